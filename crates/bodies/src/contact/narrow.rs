//! Narrow phase: where bodies touch.
//!
//! Spheres have a formula. Pairs of convex shapes go to parry. For meshes and walls the distance of the one is
//! sampled at the corners and vertices of the other \[Guendelman2003\].

use rayon::prelude::*;
use unstick_grid::vector::{dot, length, minus, plus, times};
use unstick_grid::{Pose, SignedDistance};

use super::broad::{BoundingBox, close_pairs};
use super::container::{Container, as_shape};
use super::{Contact, convex};
use crate::body::RigidBody;
use crate::shape::Shape;

/// Most points at which a mesh touches one other body.
const MOST_POINTS: usize = 8;

/// Place and gap of a contact, and the normal from the second into the first.
struct Touch<const D: usize> {
    point: [f64; D],
    normal: [f64; D],
    gap: f64,
}

/// All contacts: between bodies, then with walls, in the order of the bodies.
///
/// Each body has a margin; a pair is found when its gap is below the sum of both. Also returns the number of pairs that
/// were examined.
pub fn find_contacts<const D: usize>(
    bodies: &[RigidBody<D>],
    container: &Container<D>,
    time: f64,
    margins: &[f64],
) -> (Vec<Contact<D>>, usize) {
    let (mut contacts, pairs) = find_contacts_between(bodies, margins);
    let walls: Vec<_> = container.obstacles().iter().map(|obstacle| (obstacle.at(time), &obstacle.motion)).collect();
    let shapes: Vec<_> = walls.iter().map(|(solid, _)| as_shape(solid)).collect();
    let of_body = |index: usize| {
        let body = &bodies[index];
        let mut found = Vec::new();
        if body.inverse_mass() == 0.0 {
            return found;
        }
        for ((solid, motion), shape) in walls.iter().zip(&shapes) {
            if solid.at(body.position()) - body.shape().reach() >= margins[index] {
                continue;
            }
            let place = (body.shape(), body.pose());
            let touches = match shape {
                Some((shape, pose)) => between(place, (shape, pose), margins[index]),
                None => against(place, solid, margins[index]),
            };
            found.extend(touches.into_iter().map(|touch| Contact {
                first: index,
                second: None,
                point: touch.point,
                normal: touch.normal,
                gap: touch.gap,
                wall_velocity: motion.velocity(time, touch.point),
                restitution: container.restitution.unwrap_or(body.surface().restitution),
                friction: container.friction.unwrap_or(body.surface().friction),
            }));
        }
        found
    };
    contacts.par_extend((0..bodies.len()).into_par_iter().with_min_len(64).flat_map_iter(of_body));
    (contacts, pairs)
}

/// The contacts between bodies, and the number of pairs that were examined.
pub fn find_contacts_between<const D: usize>(bodies: &[RigidBody<D>], margins: &[f64]) -> (Vec<Contact<D>>, usize) {
    let boxed = |(body, margin): (&RigidBody<D>, &f64)| {
        let (lower, upper) = body.bounds();
        BoundingBox { lower: lower.map(|value| value - margin), upper: upper.map(|value| value + margin) }
    };
    let boxes: Vec<BoundingBox<D>> = bodies.iter().zip(margins).map(boxed).collect();
    let pairs = close_pairs(&boxes);
    let of_pair = |&(first, second): &(usize, usize)| {
        let (one, two) = (&bodies[first], &bodies[second]);
        let moves = one.inverse_mass() + two.inverse_mass() > 0.0;
        let margin = margins[first] + margins[second];
        let touches =
            if moves { between((one.shape(), one.pose()), (two.shape(), two.pose()), margin) } else { Vec::new() };
        touches.into_iter().map(move |touch| Contact {
            first,
            second: Some(second),
            point: touch.point,
            normal: touch.normal,
            gap: touch.gap,
            wall_velocity: [0.0; D],
            restitution: one.surface().restitution.max(two.surface().restitution),
            friction: (one.surface().friction * two.surface().friction).sqrt(),
        })
    };
    (pairs.par_iter().with_min_len(64).flat_map_iter(of_pair).collect(), pairs.len())
}

/// Where two shapes come closer than `margin`.
fn between<const D: usize>(first: (&Shape<D>, &Pose<D>), second: (&Shape<D>, &Pose<D>), margin: f64) -> Vec<Touch<D>> {
    match (first.0, second.0) {
        (Shape::Sphere { radius: one }, Shape::Sphere { radius: two }) => {
            let offset = minus(first.1.translation(), second.1.translation());
            let distance = length(offset);
            let gap = distance - one - two;
            // Two equal centres have no direction: take any.
            let up = std::array::from_fn(|axis| f64::from(u8::from(axis == 1)));
            let normal = if distance > 0.0 { times(1.0 / distance, offset) } else { up };
            let point = plus(second.1.translation(), times(two + 0.5 * gap, normal));
            if gap < margin { vec![Touch { point, normal, gap }] } else { Vec::new() }
        }
        (Shape::Mesh(_), Shape::Sphere { .. }) => flipped(against(second, &placed(first), margin)),
        (Shape::Sphere { .. }, Shape::Mesh(_)) => against(first, &placed(second), margin),
        (Shape::Mesh(_), _) | (_, Shape::Mesh(_)) => {
            let mut touches = against(first, &placed(second), margin);
            touches.extend(flipped(against(second, &placed(first), margin)));
            touches
        }
        _ => {
            let Some((normal, points)) = convex::touching(first, second, margin) else { return Vec::new() };
            // Edges that coincide are found from both sides.
            let same = 1e-12 * (first.0.reach() + second.0.reach()).powi(2);
            let mut touches: Vec<Touch<D>> = Vec::new();
            for (point, gap) in points {
                let offset = |touch: &Touch<D>| minus(touch.point, point);
                if touches.iter().all(|touch| dot(offset(touch), offset(touch)) > same) {
                    touches.push(Touch { point, normal, gap });
                }
            }
            touches
        }
    }
}

fn placed<const D: usize>((shape, pose): (&Shape<D>, &Pose<D>)) -> SignedDistance<D> {
    shape.signed_distance().posed(pose)
}

fn flipped<const D: usize>(mut touches: Vec<Touch<D>>) -> Vec<Touch<D>> {
    touches.iter_mut().for_each(|touch| touch.normal = times(-1.0, touch.normal));
    touches
}

/// Where the features of a shape come closer to a solid than `margin`.
fn against<const D: usize>(
    (shape, pose): (&Shape<D>, &Pose<D>),
    solid: &SignedDistance<D>,
    margin: f64,
) -> Vec<Touch<D>> {
    let (features, radius) = features(shape);
    let step = 1e-6 * shape.reach();
    let mut touches: Vec<Touch<D>> = Vec::new();
    for feature in features {
        let place = pose.apply(feature);
        let gap = solid.at(place) - radius;
        if gap < margin {
            let normal = solid.gradient(place, step);
            let point = minus(place, times(radius + 0.5 * gap, normal));
            touches.push(Touch { point, normal, gap });
        }
    }
    spread_out(touches)
}

/// The points of a shape that can touch first, and the distance of its surface from them.
fn features<const D: usize>(shape: &Shape<D>) -> (Vec<[f64; D]>, f64) {
    match shape {
        Shape::Sphere { radius } => (vec![[0.0; D]], *radius),
        Shape::Cuboid { half } => {
            let corner = |index: usize| {
                std::array::from_fn(|axis| if index >> axis & 1 == 1 { half[axis] } else { -half[axis] })
            };
            ((0..1usize << D).map(corner).collect(), 0.0)
        }
        Shape::Capsule { half_length, radius } => {
            let end = |sign: f64| std::array::from_fn(|axis| if axis == 1 { sign * half_length } else { 0.0 });
            (vec![end(-1.0), end(1.0)], *radius)
        }
        Shape::Mesh(mesh) => {
            (mesh.surface().vertices().iter().map(|vertex| std::array::from_fn(|axis| vertex[axis])).collect(), 0.0)
        }
    }
}

/// The deepest of many contacts, and then those farthest from the ones already kept.
fn spread_out<const D: usize>(touches: Vec<Touch<D>>) -> Vec<Touch<D>> {
    if touches.len() <= MOST_POINTS {
        return touches;
    }
    let deepest = (0..touches.len()).min_by(|&a, &b| touches[a].gap.total_cmp(&touches[b].gap)).unwrap_or(0);
    let squared = |a: &Touch<D>, b: &Touch<D>| dot(minus(a.point, b.point), minus(a.point, b.point));
    let mut kept = vec![deepest];
    let mut distance: Vec<f64> = touches.iter().map(|touch| squared(touch, &touches[deepest])).collect();
    while kept.len() < MOST_POINTS {
        let farthest = (0..touches.len()).max_by(|&a, &b| distance[a].total_cmp(&distance[b])).unwrap_or(0);
        kept.push(farthest);
        for (value, touch) in distance.iter_mut().zip(&touches) {
            *value = value.min(squared(touch, &touches[farthest]));
        }
    }
    kept.sort_unstable();
    let is_kept = |index: &usize| kept.binary_search(index).is_ok();
    touches.into_iter().enumerate().filter(|(index, _)| is_kept(index)).map(|(_, touch)| touch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Weight, meshes};

    fn body<const D: usize>(shape: Shape<D>, pose: Pose<D>) -> RigidBody<D> {
        RigidBody::new("body", shape, Weight::Density(1.0), pose).unwrap()
    }

    fn only<const D: usize>(bodies: &[RigidBody<D>]) -> Vec<Contact<D>> {
        find_contacts_between(bodies, &vec![0.05; bodies.len()]).0
    }

    #[test]
    fn spheres_touch_in_one_point() {
        let ball = |x: f64| body(Shape::Sphere { radius: 0.5 }, Pose::from_translation([x, 0.0, 0.0]));
        let contacts = only(&[ball(0.0), ball(0.98)]);
        assert_eq!(contacts.len(), 1);
        let Contact { point, normal, gap, .. } = contacts[0];
        assert!((point[0] - 0.49).abs() < 1e-14 && normal[0] == -1.0 && (gap + 0.02).abs() < 1e-14);
        assert!(only(&[ball(0.0), ball(1.2)]).is_empty());
    }

    #[test]
    fn a_box_stands_on_four_points_and_in_the_plane_on_two() {
        let cuboid = |y: f64| body(Shape::Cuboid { half: [0.5; 3] }, Pose::from_translation([0.0, y, 0.0]));
        let contacts = only(&[cuboid(0.0), cuboid(1.01)]);
        assert_eq!(contacts.len(), 4);
        assert!(contacts.iter().all(|c| (c.gap - 0.01).abs() < 1e-12 && (c.normal[1] + 1.0).abs() < 1e-12));
        let square = |y: f64| body(Shape::Cuboid { half: [0.5; 2] }, Pose::from_translation([0.2 * y, y]));
        let contacts = only(&[square(0.0), square(0.99)]);
        assert_eq!(contacts.len(), 2);
        assert!(contacts.iter().all(|c| (c.gap + 0.01).abs() < 1e-12 && (c.normal[1] + 1.0).abs() < 1e-12));
    }

    #[test]
    fn a_mesh_of_a_box_touches_as_a_box_does() {
        let cube = Shape::mesh(&meshes::cuboid([0.5; 3])).unwrap().0;
        let ball = body(Shape::Sphere { radius: 0.25 }, Pose::from_translation([0.1, 0.76, 0.0]));
        for (first, second) in [(0, 1), (1, 0)] {
            let pair = [body(cube.clone(), Pose::identity()), ball.clone()];
            let contacts = only(&[pair[first].clone(), pair[second].clone()]);
            assert_eq!(contacts.len(), 1);
            let up = if first == 0 { -1.0 } else { 1.0 };
            assert!((contacts[0].gap - 0.01).abs() < 1e-9 && (contacts[0].normal[1] - up).abs() < 1e-9);
        }
        let above = body(Shape::Cuboid { half: [0.3; 3] }, Pose::from_translation([0.0, 0.79, 0.0]));
        let contacts = only(&[body(cube, Pose::identity()), above]);
        assert!(contacts.len() >= 4 && contacts.iter().all(|c| (c.gap + 0.01).abs() < 1e-9 && c.normal[1] < -0.999));
    }

    #[test]
    fn a_ball_in_a_corner_touches_both_walls() {
        let ball = body(Shape::Sphere { radius: 0.1 }, Pose::from_translation([0.1, 0.11]));
        let contacts = find_contacts(&[ball], &Container::inside([0.0; 2], [1.0; 2]), 0.0, &[0.02]).0;
        assert_eq!(contacts.len(), 2);
        assert_eq!((contacts[0].normal, contacts[1].normal), ([1.0, 0.0], [0.0, 1.0]));
    }

    #[test]
    fn a_box_lies_on_a_round_obstacle_that_none_of_its_corners_touches() {
        let plank = body(Shape::Cuboid { half: [1.0, 0.1] }, Pose::from_translation([0.0, 0.6]));
        let hill = SignedDistance::sphere([0.0, 0.0], 0.5);
        let container = Container::default().with(&hill, &unstick_grid::Motion::Still);
        let contacts = find_contacts(&[plank], &container, 0.0, &[0.02]).0;
        assert_eq!(contacts.len(), 1);
        assert!(contacts[0].gap.abs() < 1e-12 && (contacts[0].normal[1] - 1.0).abs() < 1e-12, "{contacts:?}");
    }
}
