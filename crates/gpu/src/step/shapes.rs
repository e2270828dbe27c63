//! Shapes as lists of parts, which the kernels of `shape.cuh` evaluate.

use bytemuck::Zeroable;
use unstick_grid::vector::{dot, length, minus};
use unstick_grid::{Pose, SignedDistance};

use crate::layout::{SHAPE_STACK, ShapeKind, ShapePart};

/// The parts of a shape, in the order in which their distances are joined; none if it is one that only the processor
/// evaluates: a mesh, values on a lattice, or one that is nested too deeply.
pub(super) fn parts_of<const D: usize>(shape: &SignedDistance<D>) -> Option<Vec<ShapePart>> {
    let mut list = List { parts: Vec::new(), waiting: 0, most: 0 };
    list.add(shape, None)?;
    (list.most <= SHAPE_STACK).then_some(list.parts)
}

/// Numbers along three axes, with zeros for the axis that a plane lacks.
pub(super) fn in_space<const D: usize>(values: [f64; D]) -> [f64; 3] {
    std::array::from_fn(|axis| values.get(axis).copied().unwrap_or(0.0))
}

/// A matrix by rows, as the kernels of its dimension read it.
pub(super) fn by_rows<const D: usize>(matrix: [[f64; D]; D]) -> [f64; 9] {
    let mut rows = [0.0; 9];
    rows[..D * D].copy_from_slice(matrix.as_flattened());
    rows
}

struct List {
    parts: Vec<ShapePart>,
    /// Distances that wait to be joined after the last part, and the most after any.
    waiting: usize,
    most: usize,
}

impl List {
    /// Adds a shape; `pose` has moved it from where it is defined.
    fn add<const D: usize>(&mut self, shape: &SignedDistance<D>, pose: Option<Pose<D>>) -> Option<()> {
        let part = |kind: ShapeKind| ShapePart { kind: kind as i32, ..ShapePart::zeroed() };
        match shape {
            SignedDistance::Sphere { centre, radius } => {
                let sphere = ShapePart { place: in_space(*centre), size: *radius, ..part(ShapeKind::Sphere) };
                self.leave(sphere, pose);
            }
            SignedDistance::Cuboid { lower, upper } => {
                let half = |sign: f64| std::array::from_fn(|axis: usize| 0.5 * (upper[axis] + sign * lower[axis]));
                let (place, way) = (in_space::<D>(half(1.0)), in_space::<D>(half(-1.0)));
                self.leave(ShapePart { place, way, ..part(ShapeKind::Cuboid) }, pose);
            }
            SignedDistance::Capsule { from, to, radius } => {
                let along = minus(*to, *from);
                let (place, way, square) = (in_space(*from), in_space(along), dot(along, along));
                self.leave(ShapePart { place, way, square, size: *radius, ..part(ShapeKind::Capsule) }, pose);
            }
            SignedDistance::HalfSpace { point, normal } => {
                let (place, way, size) = (in_space(*point), in_space(*normal), length(*normal));
                self.leave(ShapePart { place, way, size, ..part(ShapeKind::HalfSpace) }, pose);
            }
            SignedDistance::Union(shapes) => {
                self.join(shapes, pose, part(ShapeKind::Nothing), part(ShapeKind::Union))?;
            }
            SignedDistance::Intersection(shapes) => {
                self.join(shapes, pose, part(ShapeKind::Everything), part(ShapeKind::Intersection))?;
            }
            SignedDistance::Complement(inner) => {
                self.add(inner, pose)?;
                self.parts.push(part(ShapeKind::Complement));
            }
            SignedDistance::Dilation(inner, by) => {
                self.add(inner, pose)?;
                self.parts.push(ShapePart { size: *by, ..part(ShapeKind::Dilation) });
            }
            SignedDistance::Transformed { part, pose: first } => {
                self.add(part, Some(pose.map_or(*first, |next| first.then(&next))))?;
            }
            _ => return None,
        }
        Some(())
    }

    /// Adds a part that leaves a distance.
    fn leave<const D: usize>(&mut self, mut part: ShapePart, pose: Option<Pose<D>>) {
        if let Some(pose) = pose {
            part.is_posed = 1;
            part.rotation = by_rows(pose.rotation());
            part.translation = in_space(pose.translation());
        }
        self.parts.push(part);
        self.waiting += 1;
        self.most = self.most.max(self.waiting);
    }

    /// Adds shapes and joins their distances.
    fn join<const D: usize>(
        &mut self,
        shapes: &[SignedDistance<D>],
        pose: Option<Pose<D>>,
        none: ShapePart,
        joined: ShapePart,
    ) -> Option<()> {
        for (number, shape) in shapes.iter().enumerate() {
            self.add(shape, pose)?;
            if number > 0 {
                self.parts.push(joined);
                self.waiting -= 1;
            }
        }
        if shapes.is_empty() {
            self.leave::<D>(none, None);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds<const D: usize>(shape: &SignedDistance<D>) -> Option<Vec<i32>> {
        Some(parts_of(shape)?.iter().map(|part| part.kind).collect())
    }

    #[test]
    fn parts_come_before_what_joins_them() {
        let ball = || SignedDistance::sphere([0.5; 2], 0.1);
        let shape = SignedDistance::Union(vec![ball(), ball().complement(), ball().and(ball()).dilated(0.1)]);
        let [sphere, union, both, not, grown] =
            [ShapeKind::Sphere, ShapeKind::Union, ShapeKind::Intersection, ShapeKind::Complement, ShapeKind::Dilation]
                .map(|kind| kind as i32);
        let expected = [sphere, sphere, not, union, sphere, sphere, both, grown, union];
        assert_eq!(kinds(&shape).unwrap(), expected);
        assert_eq!(kinds(&SignedDistance::<2>::Union(vec![])).unwrap(), [ShapeKind::Nothing as i32]);
    }

    #[test]
    fn motions_within_motions_become_one() {
        let ball = SignedDistance::sphere([1.0, 0.0], 0.1);
        let quarter = Pose::from_angle(std::f64::consts::FRAC_PI_2);
        let inner = ball.posed(&quarter).or(SignedDistance::sphere([0.0; 2], 0.1));
        let parts = parts_of(&inner.moved([3.0, 0.0])).unwrap();
        // The first is turned to [0, 1], then shifted; the second is only shifted.
        assert_eq!(parts[0].translation, [3.0, 0.0, 0.0]);
        assert!((parts[0].rotation[2] - 1.0).abs() < 1e-15 && parts[0].rotation[0].abs() < 1e-15);
        assert_eq!(
            (parts[1].translation, parts[1].rotation[..4].to_vec()),
            ([3.0, 0.0, 0.0], vec![1.0, 0.0, 0.0, 1.0])
        );
    }

    #[test]
    fn shapes_that_only_the_processor_evaluates_are_told() {
        let nested = (0..SHAPE_STACK).fold(SignedDistance::sphere([0.0; 2], 1.0), |shape, _| {
            SignedDistance::Union(vec![SignedDistance::sphere([0.0; 2], 1.0), shape])
        });
        assert!(parts_of(&nested).is_none(), "too deep");
        let grid = unstick_grid::Grid::<2>::unit(2).unwrap();
        let nodes = unstick_grid::sample_nodes(&grid, |[x, _]| x);
        let painted = unstick_grid::SampledDistance::new(grid, nodes).unwrap();
        assert!(parts_of(&SignedDistance::Sampled(painted).complement()).is_none());
    }
}
