//! Convex pairs through parry, in the plane and in space.

use unstick_grid::Pose;

use crate::shape::Shape;

/// Contact points of two convex shapes: the normal from the second into the first, then place and gap of each point.
pub(super) type Touching<const D: usize> = ([f64; D], Vec<([f64; D], f64)>);

/// Writes one module per dimension: the two crates differ in their types only.
macro_rules! through_parry {
    ($module:ident, $parry:ident, $dimension:literal, $rotation:expr) => {
        mod $module {
            use unstick_grid::Pose;
            use unstick_grid::vector::{applied, plus, times, transposed};
            use $parry::math::{Matrix, Rotation, Vector};
            use $parry::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
            use $parry::shape::{Ball, Capsule, Cuboid, Shape as ParryShape};

            use super::Touching;
            use crate::shape::Shape;

            fn pose_of(pose: &Pose<$dimension>) -> $parry::math::Pose {
                let columns = transposed(&pose.rotation());
                let to_rotation: fn(Matrix) -> Rotation = $rotation;
                let rotation = to_rotation(Matrix::from_cols_array_2d(&columns));
                $parry::math::Pose::from_parts(Vector::from(pose.translation()), rotation)
            }

            fn shape_of(shape: &Shape<$dimension>) -> Option<Box<dyn ParryShape>> {
                match shape {
                    Shape::Sphere { radius } => Some(Box::new(Ball::new(*radius))),
                    Shape::Cuboid { half } => Some(Box::new(Cuboid::new(Vector::from(*half)))),
                    Shape::Capsule { half_length, radius } => Some(Box::new(Capsule::new_y(*half_length, *radius))),
                    Shape::Mesh(_) => None,
                }
            }

            pub fn touching(
                (first, first_pose): (&Shape<$dimension>, &Pose<$dimension>),
                (second, second_pose): (&Shape<$dimension>, &Pose<$dimension>),
                margin: f64,
            ) -> Option<Touching<$dimension>> {
                let (one, two) = (shape_of(first)?, shape_of(second)?);
                let relative = pose_of(first_pose).inverse() * pose_of(second_pose);
                let mut manifolds: Vec<ContactManifold<(), ()>> = Vec::new();
                DefaultQueryDispatcher
                    .contact_manifolds(&relative, &*one, &*two, margin, &mut manifolds, &mut None)
                    .ok()?;
                let manifold = manifolds.first()?;
                let normal = times(-1.0, applied(&first_pose.rotation(), manifold.local_n1.into()));
                let near = manifold.points.iter().filter(|point| point.dist < margin);
                let place = |point: &$parry::query::TrackedContact<()>| {
                    let ends = [first_pose.apply(point.local_p1.into()), second_pose.apply(point.local_p2.into())];
                    (times(0.5, plus(ends[0], ends[1])), point.dist)
                };
                Some((normal, near.map(place).collect()))
            }
        }
    };
}

through_parry!(plane, parry2d_f64, 2, Rotation::from_matrix_unchecked);
through_parry!(space, parry3d_f64, 3, |matrix| Rotation::from_mat3(&matrix));

/// Where two convex shapes touch or come closer than `margin`; none if they do not.
pub(super) fn touching<const D: usize>(
    first: (&Shape<D>, &Pose<D>),
    second: (&Shape<D>, &Pose<D>),
    margin: f64,
) -> Option<Touching<D>> {
    match D {
        2 => space_of(plane::touching(flat(first)?.each(), flat(second)?.each(), margin)?),
        _ => space_of(space::touching(flat(first)?.each(), flat(second)?.each(), margin)?),
    }
}

/// A convex shape at its place, in a dimension that is a literal.
struct Placed<const N: usize>(Shape<N>, Pose<N>);

impl<const N: usize> Placed<N> {
    fn each(&self) -> (&Shape<N>, &Pose<N>) {
        (&self.0, &self.1)
    }
}

/// D and N are the same number, but not to the compiler: a copy converts the type.
fn flat<const D: usize, const N: usize>((shape, pose): (&Shape<D>, &Pose<D>)) -> Option<Placed<N>> {
    let shape = match shape {
        Shape::Sphere { radius } => Shape::Sphere { radius: *radius },
        Shape::Cuboid { half } => Shape::Cuboid { half: same(*half) },
        Shape::Capsule { half_length, radius } => Shape::Capsule { half_length: *half_length, radius: *radius },
        Shape::Mesh(_) => return None,
    };
    let rotation = pose.rotation();
    let rotation = std::array::from_fn(|row| same(rotation[row]));
    Some(Placed(shape, Pose::from_parts(rotation, same(pose.translation()))?))
}

fn same<const D: usize, const N: usize>(a: [f64; D]) -> [f64; N] {
    std::array::from_fn(|axis| a[axis])
}

fn space_of<const N: usize, const D: usize>((normal, points): Touching<N>) -> Option<Touching<D>> {
    Some((same(normal), points.into_iter().map(|(point, gap)| (same(point), gap)).collect()))
}
