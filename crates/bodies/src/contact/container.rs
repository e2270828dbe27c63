//! The container of bodies: walls that bodies do not move.

use unstick_grid::vector::{length, minus, plus, times};
use unstick_grid::{Grid, Motion, Pose, SignedDistance};

use crate::shape::Shape;

/// A solid that bodies cannot enter and do not move.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle<const D: usize> {
    /// The solid, where its motion is the identity.
    pub shape: SignedDistance<D>,
    /// How it moves.
    pub motion: Motion<D>,
}

/// All obstacles.
///
/// A body touches every obstacle separately, so that it can lie in the corner of two. For this reason unions and the
/// complement of a box are split into their parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Container<const D: usize> {
    obstacles: Vec<Obstacle<D>>,
    /// Part of the approach velocity with which bodies bounce off. Default: that of the body.
    pub restitution: Option<f64>,
    /// Coulomb's coefficient. Default: that of the body.
    pub friction: Option<f64>,
}

impl<const D: usize> Default for Container<D> {
    fn default() -> Self {
        Self { obstacles: Vec::new(), restitution: None, friction: None }
    }
}

impl<const D: usize> Container<D> {
    /// The inside of a box.
    pub fn inside(lower: [f64; D], upper: [f64; D]) -> Self {
        Self::default().with(&SignedDistance::cuboid(lower, upper).complement(), &Motion::Still)
    }

    /// The inside of a grid.
    pub fn of_grid(grid: &Grid<D>) -> Self {
        Self::inside(grid.origin(), grid.node(grid.cells()))
    }

    /// The same with another solid.
    pub fn with(mut self, shape: &SignedDistance<D>, motion: &Motion<D>) -> Self {
        let parts = parts_of(shape).into_iter();
        self.obstacles.extend(parts.map(|shape| Obstacle { shape, motion: motion.clone() }));
        self
    }

    /// All obstacles, split into parts.
    pub fn obstacles(&self) -> &[Obstacle<D>] {
        &self.obstacles
    }
}

impl<const D: usize> Obstacle<D> {
    /// The solid as it lies at a time.
    pub fn at(&self, time: f64) -> SignedDistance<D> {
        match self.motion {
            Motion::Still => self.shape.clone(),
            _ => self.shape.clone().posed(&self.motion.pose(time)),
        }
    }
}

/// Simple solids whose union is this one.
fn parts_of<const D: usize>(shape: &SignedDistance<D>) -> Vec<SignedDistance<D>> {
    match shape {
        SignedDistance::Union(parts) => parts.iter().flat_map(parts_of).collect(),
        SignedDistance::Transformed { part, pose } => parts_of(part).into_iter().map(|part| part.posed(pose)).collect(),
        SignedDistance::Complement(inner) => match &**inner {
            SignedDistance::Cuboid { lower, upper } => (0..D)
                .flat_map(|axis| {
                    let unit = |sign: f64| std::array::from_fn(|other| if other == axis { sign } else { 0.0 });
                    [SignedDistance::half_space(*lower, unit(1.0)), SignedDistance::half_space(*upper, unit(-1.0))]
                })
                .collect(),
            SignedDistance::Intersection(parts) => {
                parts.iter().flat_map(|part| parts_of(&part.clone().complement())).collect()
            }
            SignedDistance::Transformed { part, pose } => {
                parts_of(&(**part).clone().complement()).into_iter().map(|part| part.posed(pose)).collect()
            }
            SignedDistance::Complement(shape) => parts_of(shape),
            _ => vec![shape.clone()],
        },
        _ => vec![shape.clone()],
    }
}

/// A solid as the shape of a body at its place, if there is such a shape.
pub(super) fn as_shape<const D: usize>(solid: &SignedDistance<D>) -> Option<(Shape<D>, Pose<D>)> {
    match solid {
        SignedDistance::Sphere { centre, radius } => {
            Some((Shape::Sphere { radius: *radius }, Pose::from_translation(*centre)))
        }
        SignedDistance::Cuboid { lower, upper } => {
            let half = times(0.5, minus(*upper, *lower));
            Some((Shape::Cuboid { half }, Pose::from_translation(times(0.5, plus(*lower, *upper)))))
        }
        SignedDistance::Capsule { from, to, radius } => {
            let along = minus(*to, *from);
            let shape = Shape::Capsule { half_length: 0.5 * length(along), radius: *radius };
            let rotation = upright_to(along)?;
            Some((shape, rotation.then(&Pose::from_translation(times(0.5, plus(*from, *to))))))
        }
        SignedDistance::Transformed { part, pose } => as_shape(part).map(|(shape, first)| (shape, first.then(pose))),
        _ => None,
    }
}

/// A rotation that takes the second axis to a direction.
fn upright_to<const D: usize>(direction: [f64; D]) -> Option<Pose<D>> {
    let size = length(direction);
    let up = times(1.0 / size, direction);
    let mut rotation = unstick_grid::vector::identity::<D>();
    let cosine = up[1];
    if cosine < -1.0 + 1e-12 {
        (rotation[0][0], rotation[1][1]) = (-1.0, -1.0);
        return Pose::from_parts(rotation, [0.0; D]);
    }
    // R = 1 + [v] + [v]²/(1 + c) with v = y × up, written out by components.
    for row in 0..D {
        for column in 0..D {
            let e = |axis: usize| f64::from(u8::from(axis == 1));
            let sum = |axis: usize| e(axis) + up[axis];
            rotation[row][column] += 2.0 * up[row] * e(column) - sum(row) * sum(column) / (1.0 + cosine);
        }
    }
    Pose::from_parts(rotation, [0.0; D])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_taken_apart_into_its_sides() {
        let container = Container::inside([0.0, 0.0], [2.0, 1.0]);
        assert_eq!(container.obstacles().len(), 4);
        let at = |point: [f64; 2]| container.obstacles().iter().map(|side| side.shape.at(point)).fold(9.0, f64::min);
        assert!(
            (at([0.5, 0.25]) - 0.25).abs() < 1e-15 && (at([1.9, 0.5]) - 0.1).abs() < 1e-15 && at([-1.0, 0.5]) < 0.0
        );
    }

    #[test]
    fn a_capsule_points_where_it_should() {
        for to in [[1.0, 0.0, 0.0], [0.3, -0.8, 0.5], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]] {
            let solid = SignedDistance::capsule([0.1, 0.2, 0.3], plus([0.1, 0.2, 0.3], to), 0.25);
            let (shape, pose) = as_shape(&solid).unwrap();
            let same = shape.signed_distance().posed(&pose);
            for point in [[0.5, 0.0, 0.0], [1.0, 2.0, 0.3], [0.0, -1.0, 0.6]] {
                assert!((same.at(point) - solid.at(point)).abs() < 1e-14, "{to:?}");
            }
        }
    }
}
