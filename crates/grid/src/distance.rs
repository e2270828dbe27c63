//! Shapes as values: signed distances that can be printed, compared and combined.

use crate::mesh::{MeshDistance, TriangleMesh};
use crate::pose::{Pose, Spin};
use crate::sampled::SampledDistance;
use crate::vector::{dot, length, minus, times};

/// A shape, given by its signed distance: negative inside, positive outside.
///
/// The sign of a combination is exact. Its size is exact near the surface of a single part and a lower bound
/// elsewhere, because parts are combined by minimum and maximum.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SignedDistance<const D: usize> {
    /// A disc or ball.
    Sphere {
        /// Centre.
        centre: [f64; D],
        /// Radius.
        radius: f64,
    },
    /// A box along the axes.
    Cuboid {
        /// Lower corner.
        lower: [f64; D],
        /// Upper corner.
        upper: [f64; D],
    },
    /// All points within a radius of a segment.
    Capsule {
        /// One end of the segment.
        from: [f64; D],
        /// The other end.
        to: [f64; D],
        /// Radius.
        radius: f64,
    },
    /// All points behind a plane.
    HalfSpace {
        /// A point on the plane.
        point: [f64; D],
        /// The direction out of the shape, of any length.
        normal: [f64; D],
    },
    /// The union of the parts.
    Union(Vec<SignedDistance<D>>),
    /// The intersection of the parts.
    Intersection(Vec<SignedDistance<D>>),
    /// All points outside of the part.
    Complement(Box<SignedDistance<D>>),
    /// The part grown by a distance, or shrunk by a negative one.
    Dilation(Box<SignedDistance<D>>, f64),
    /// The part moved rigidly. Its distance stays exact.
    Transformed {
        /// The part at rest.
        part: Box<SignedDistance<D>>,
        /// Its position and orientation.
        pose: Pose<D>,
    },
    /// The inside of a closed mesh, in three dimensions only.
    Mesh(MeshDistance<D>),
    /// A distance given by its values on a lattice.
    Sampled(SampledDistance<D>),
}

impl SignedDistance<3> {
    /// The inside of a closed mesh.
    pub fn mesh(mesh: &TriangleMesh) -> Self {
        Self::Mesh(MeshDistance::new(mesh))
    }
}

impl<const D: usize> SignedDistance<D> {
    /// A disc or ball.
    pub fn sphere(centre: [f64; D], radius: f64) -> Self {
        Self::Sphere { centre, radius }
    }

    /// A box along the axes.
    pub fn cuboid(lower: [f64; D], upper: [f64; D]) -> Self {
        Self::Cuboid { lower, upper }
    }

    /// All points within `radius` of the segment between two points.
    pub fn capsule(from: [f64; D], to: [f64; D], radius: f64) -> Self {
        Self::Capsule { from, to, radius }
    }

    /// All points behind the plane through `point`. `normal` points out of the shape and may have any length but zero.
    pub fn half_space(point: [f64; D], normal: [f64; D]) -> Self {
        Self::HalfSpace { point, normal }
    }

    /// All points outside of this shape.
    pub fn complement(self) -> Self {
        Self::Complement(Box::new(self))
    }

    /// The union of this shape and another.
    pub fn or(self, other: Self) -> Self {
        Self::Union(vec![self, other])
    }

    /// The intersection of this shape and another.
    pub fn and(self, other: Self) -> Self {
        Self::Intersection(vec![self, other])
    }

    /// This shape grown by a distance, or shrunk by a negative one.
    pub fn dilated(self, by: f64) -> Self {
        Self::Dilation(Box::new(self), by)
    }

    /// This shape moved rigidly.
    pub fn posed(self, pose: &Pose<D>) -> Self {
        match self {
            Self::Transformed { part, pose: first } => Self::Transformed { part, pose: first.then(pose) },
            part => Self::Transformed { part: Box::new(part), pose: *pose },
        }
    }

    /// This shape shifted.
    pub fn moved(self, by: [f64; D]) -> Self {
        self.posed(&Pose::from_translation(by))
    }

    /// This shape turned about a point.
    pub fn rotated(self, by: &Spin<D>, pivot: [f64; D]) -> Self {
        self.posed(&Pose::from_spin(by).about(pivot))
    }

    /// The direction of steepest ascent, of length 1: it points out of the shape.
    ///
    /// Computed by central differences over `step` to each side. Zero where they cancel, for example at the centre of a
    /// sphere.
    pub fn gradient(&self, point: [f64; D], step: f64) -> [f64; D] {
        let slope: [f64; D] = std::array::from_fn(|axis| {
            let shifted = |by: f64| {
                let mut shifted = point;
                shifted[axis] += by;
                self.at(shifted)
            };
            shifted(step) - shifted(-step)
        });
        let size = length(slope);
        if size > 0.0 && size.is_finite() { times(1.0 / size, slope) } else { [0.0; D] }
    }

    /// The signed distance of a point.
    pub fn at(&self, point: [f64; D]) -> f64 {
        match self {
            Self::Sphere { centre, radius } => length(minus(point, *centre)) - radius,
            Self::Cuboid { lower, upper } => {
                let beyond: [f64; D] = std::array::from_fn(|axis| {
                    let (middle, half) = (0.5 * (lower[axis] + upper[axis]), 0.5 * (upper[axis] - lower[axis]));
                    (point[axis] - middle).abs() - half
                });
                let inside = beyond.iter().fold(f64::NEG_INFINITY, |most, &value| most.max(value)).min(0.0);
                length(beyond.map(|value| value.max(0.0))) + inside
            }
            Self::Capsule { from, to, radius } => {
                let (along, offset) = (minus(*to, *from), minus(point, *from));
                let squared = dot(along, along);
                let part = if squared > 0.0 { (dot(offset, along) / squared).clamp(0.0, 1.0) } else { 0.0 };
                length::<D>(std::array::from_fn(|axis| offset[axis] - part * along[axis])) - radius
            }
            Self::HalfSpace { point: on_plane, normal } => dot(minus(point, *on_plane), *normal) / length(*normal),
            Self::Union(parts) => parts.iter().fold(f64::INFINITY, |least, part| least.min(part.at(point))),
            Self::Intersection(parts) => parts.iter().fold(f64::NEG_INFINITY, |most, part| most.max(part.at(point))),
            Self::Complement(part) => -part.at(point),
            Self::Dilation(part, by) => part.at(point) - by,
            Self::Transformed { part, pose } => part.at(pose.apply_inverse(point)),
            Self::Mesh(mesh) => mesh.at(point),
            Self::Sampled(values) => values.at(point),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_primitive_shapes_are_exact() {
        let ball = SignedDistance::sphere([0.0, 0.0, 0.0], 2.0);
        assert_eq!((ball.at([3.0, 0.0, 0.0]), ball.at([0.0; 3])), (1.0, -2.0));
        let cuboid = SignedDistance::cuboid([0.0, 0.0], [2.0, 4.0]);
        assert_eq!((cuboid.at([5.0, 8.0]), cuboid.at([1.5, 2.0])), (5.0, -0.5));
        let capsule = SignedDistance::capsule([0.0, 0.0], [1.0, 0.0], 0.5);
        assert_eq!((capsule.at([0.5, 1.0]), capsule.at([3.0, 0.0])), (0.5, 1.5));
        let below = SignedDistance::half_space([0.0, 1.0], [0.0, 2.0]);
        assert_eq!(below.at([7.0, 4.0]), 3.0);
    }

    #[test]
    fn combinations_follow_the_set_algebra() {
        let (left, right) = (SignedDistance::sphere([0.0, 0.0], 1.0), SignedDistance::sphere([1.5, 0.0], 1.0));
        let (in_left, in_both) = ([-0.5, 0.0], [0.75, 0.0]);
        assert!(left.clone().or(right.clone()).at(in_left) < 0.0);
        assert!(left.clone().and(right.clone()).at(in_left) > 0.0);
        assert!(left.clone().and(right).at(in_both) < 0.0);
        assert!(left.clone().complement().at(in_left) > 0.0);
        assert_eq!(left.dilated(0.5).at([2.0, 0.0]), 0.5);
    }

    #[test]
    fn a_moved_shape_keeps_its_distances() {
        let plank = SignedDistance::cuboid([0.0, 0.0], [4.0, 1.0]);
        let upright = plank.clone().rotated(&Spin::in_plane(std::f64::consts::FRAC_PI_2), [0.0, 0.0]);
        let as_box = SignedDistance::cuboid([-1.0, 0.0], [0.0, 4.0]).moved([2.0, 3.0]);
        let moved = upright.moved([2.0, 3.0]);
        assert!(matches!(&moved, SignedDistance::Transformed { part, .. } if **part == plank), "poses are joined");
        for point in [[0.0, 0.0], [1.4, 5.0], [9.0, -3.0], [1.5, 7.5]] {
            assert!((moved.at(point) - as_box.at(point)).abs() < 1e-14);
        }
    }

    #[test]
    fn gradients_point_out_of_the_shape() {
        let ball = SignedDistance::sphere([1.0, 2.0, 3.0], 0.5);
        let gradient = ball.gradient([1.0, 2.3, 3.4], 1e-4);
        assert!(length(minus(gradient, [0.0, 0.6, 0.8])) < 1e-8, "{gradient:?}");
        assert_eq!(ball.gradient([1.0, 2.0, 3.0], 0.125), [0.0; 3]);
        let below = SignedDistance::half_space([0.0, 1.0], [0.0, 7.0]);
        assert_eq!(below.complement().gradient([5.0, 5.0], 0.5), [0.0, -1.0]);
        assert_eq!(SignedDistance::<2>::Union(vec![]).gradient([0.0; 2], 0.5), [0.0; 2]);
    }
}
