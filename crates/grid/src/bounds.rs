//! Bounding boxes of shapes.

use crate::distance::SignedDistance;

impl<const D: usize> SignedDistance<D> {
    /// Lower and upper corner of a box that contains the shape; none if the shape is unbounded.
    pub fn bounds(&self) -> Option<([f64; D], [f64; D])> {
        let around = |lower: [f64; D], upper: [f64; D], by: f64| {
            Some((lower.map(|value| value - by), upper.map(|value| value + by)))
        };
        match self {
            Self::Sphere { centre, radius } => around(*centre, *centre, *radius),
            Self::Cuboid { lower, upper } => Some((*lower, *upper)),
            Self::Capsule { from, to, radius } => around(lowest(*from, *to), highest(*from, *to), *radius),
            // A sampled distance continues beyond its lattice.
            Self::HalfSpace { .. } | Self::Complement(_) | Self::Sampled(_) => None,
            Self::Union(parts) => {
                let mut boxes = parts.iter().map(Self::bounds);
                let first = boxes.next()??;
                boxes.try_fold(first, |all, next| next.map(|next| (lowest(all.0, next.0), highest(all.1, next.1))))
            }
            // The box of every part contains the intersection, and so does the intersection of the boxes.
            Self::Intersection(parts) => parts
                .iter()
                .filter_map(Self::bounds)
                .reduce(|all, next| (highest(all.0, next.0), lowest(all.1, next.1))),
            Self::Dilation(part, by) => part.bounds().and_then(|(lower, upper)| around(lower, upper, *by)),
            Self::Transformed { part, pose } => {
                let (lower, upper) = part.bounds()?;
                let corners = (0..1usize << D).map(|corner| {
                    let choose = |axis: usize| if corner >> axis & 1 == 1 { upper[axis] } else { lower[axis] };
                    pose.apply(std::array::from_fn(choose))
                });
                corners
                    .map(|corner| (corner, corner))
                    .reduce(|all, next| (lowest(all.0, next.0), highest(all.1, next.1)))
            }
            Self::Mesh(mesh) => Some(mesh.bounds()),
        }
    }
}

fn lowest<const D: usize>(a: [f64; D], b: [f64; D]) -> [f64; D] {
    std::array::from_fn(|axis| a[axis].min(b[axis]))
}

fn highest<const D: usize>(a: [f64; D], b: [f64; D]) -> [f64; D] {
    std::array::from_fn(|axis| a[axis].max(b[axis]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spin;

    #[test]
    fn a_bounding_box_contains_its_shape_and_touches_it() {
        let ball = SignedDistance::sphere([0.5, 0.0], 0.25);
        let turned = SignedDistance::cuboid([0.0, 0.0], [1.0, 1.0])
            .rotated(&Spin::in_plane(std::f64::consts::FRAC_PI_4), [0.0, 0.0]);
        let (lower, upper) = ball.clone().or(turned).bounds().unwrap();
        assert!((lower[0] + 0.5f64.sqrt()).abs() < 1e-12 && (upper[1] - 2f64.sqrt()).abs() < 1e-12);
        assert!((lower[1] + 0.25).abs() < 1e-12 && (upper[0] - 0.75).abs() < 1e-12);
        assert_eq!(ball.clone().complement().bounds(), None);
        let half = SignedDistance::half_space([0.0, 0.0], [1.0, 0.0]);
        assert_eq!(ball.clone().and(half.clone()).bounds(), ball.bounds());
        assert_eq!(ball.or(half).bounds(), None);
    }
}
