//! Shapes as values: signed distances that print, compare and combine.

/// A shape, by its distance: negative inside, positive outside.
///
/// Combinations are exact in sign and, near the surface of a single part, in size; far away they
/// are bounds, as usual for distances combined by minimum and maximum.
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
    /// Everything behind a plane.
    HalfSpace {
        /// A point of the plane.
        point: [f64; D],
        /// The direction out of the shape; of any length.
        normal: [f64; D],
    },
    /// What any of the parts covers.
    Union(Vec<SignedDistance<D>>),
    /// What all of the parts cover.
    Intersection(Vec<SignedDistance<D>>),
    /// What the part does not cover.
    Complement(Box<SignedDistance<D>>),
    /// The part grown by a distance, or shrunk by a negative one.
    Dilation(Box<SignedDistance<D>>, f64),
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

    /// What this shape does not cover.
    pub fn complement(self) -> Self {
        Self::Complement(Box::new(self))
    }

    /// What this shape or the other covers.
    pub fn or(self, other: Self) -> Self {
        Self::Union(vec![self, other])
    }

    /// What this shape and the other cover.
    pub fn and(self, other: Self) -> Self {
        Self::Intersection(vec![self, other])
    }

    /// The distance of a point.
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
        }
    }
}

fn minus<const D: usize>(a: [f64; D], b: [f64; D]) -> [f64; D] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

fn dot<const D: usize>(a: [f64; D], b: [f64; D]) -> f64 {
    (0..D).map(|axis| a[axis] * b[axis]).sum()
}

fn length<const D: usize>(a: [f64; D]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_plain_shapes_are_exact() {
        let ball = SignedDistance::sphere([0.0, 0.0, 0.0], 2.0);
        assert_eq!((ball.at([3.0, 0.0, 0.0]), ball.at([0.0; 3])), (1.0, -2.0));
        let cuboid = SignedDistance::cuboid([0.0, 0.0], [2.0, 4.0]);
        assert_eq!((cuboid.at([5.0, 8.0]), cuboid.at([1.5, 2.0])), (5.0, -0.5));
        let capsule = SignedDistance::Capsule { from: [0.0, 0.0], to: [1.0, 0.0], radius: 0.5 };
        assert_eq!((capsule.at([0.5, 1.0]), capsule.at([3.0, 0.0])), (0.5, 1.5));
        let below = SignedDistance::HalfSpace { point: [0.0, 1.0], normal: [0.0, 2.0] };
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
        assert_eq!(SignedDistance::Dilation(Box::new(left), 0.5).at([2.0, 0.0]), 0.5);
    }
}
