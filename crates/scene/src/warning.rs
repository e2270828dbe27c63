//! What is allowed in a scene and hardly ever meant: shapes that the grid does not see.

use std::fmt;

use unstick_bodies::RigidBody;
use unstick_grid::{Grid, Motion, SignedDistance};

use crate::scene::Scene;

/// A shape of a scene that the grid does not see, or not all of it.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneWarning {
    /// Which, such as `solid 2`.
    pub what: String,
    /// What is odd about it.
    pub kind: WarningKind,
}

/// What is odd about a shape.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WarningKind {
    /// It lies outside of the grid and has no effect.
    Outside {
        /// Lower corner of a box around it.
        lower: Vec<f64>,
        /// Upper corner.
        upper: Vec<f64>,
    },
    /// It is liquid, and what lies outside of the grid is left out.
    PartlyOutside {
        /// The axis, from 0.
        axis: usize,
        /// How far it reaches beyond the grid, in metres.
        by: f64,
    },
    /// It is thinner than a cell: liquid may pass.
    Thin {
        /// How thick it is, in metres.
        thickness: f64,
        /// Size of a cell.
        cell: f64,
    },
}

impl fmt::Display for SceneWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = &self.what;
        match &self.kind {
            WarningKind::Outside { lower, upper } => {
                write!(f, "{what} lies outside of the grid, from {lower:?} to {upper:?}, and has no effect")
            }
            WarningKind::PartlyOutside { axis, by } => {
                write!(f, "{what} reaches {by:.3e} m beyond the grid along axis {axis}; that part is left out")
            }
            WarningKind::Thin { thickness, cell } => {
                write!(f, "{what} is {thickness:.3e} m thick, a cell measures {cell:.3e} m: liquid may pass through it")
            }
        }
    }
}

impl<const D: usize> Scene<D> {
    /// Shapes that the grid does not see, or not all of them.
    pub fn warnings(&self) -> Vec<SceneWarning> {
        let setup = &self.setup;
        let view = View::of(&setup.grid);
        let mut warnings = Vec::new();
        let mut warn = |what: String, kind: Option<WarningKind>| {
            warnings.extend(kind.map(|kind| SceneWarning { what, kind }));
        };
        for (number, solid) in (1..).zip(&setup.solids) {
            // What moves may come in later.
            let outside = view.outside(&solid.shape).filter(|_| matches!(solid.motion, Motion::Still));
            warn(format!("solid {number}"), outside.or_else(|| thin(&solid.shape, setup.grid.spacing())));
        }
        for (number, (shape, _)) in (1..).zip(&self.liquids) {
            warn(format!("liquid {number}"), view.outside(shape).or_else(|| view.partly_outside(shape)));
        }
        let (mut sources, mut drains) = (0, 0);
        for emitter in &setup.emitters {
            let (kind, number) =
                if emitter.velocity.is_some() { ("source", &mut sources) } else { ("drain", &mut drains) };
            *number += 1;
            warn(format!("{kind} {number}"), view.outside(&emitter.shape));
        }
        warnings.extend(thin_bodies(&self.bodies, setup.grid.spacing()));
        warnings
    }
}

/// Bodies that are thinner than a cell.
pub(crate) fn thin_bodies<const D: usize>(
    bodies: &[RigidBody<D>],
    cell: f64,
) -> impl Iterator<Item = SceneWarning> + '_ {
    bodies.iter().filter_map(move |body| {
        let kind = thin(&body.signed_distance(), cell)?;
        Some(SceneWarning { what: format!("body `{}`", body.name()), kind })
    })
}

/// The box that the grid fills.
struct View<const D: usize> {
    lower: [f64; D],
    upper: [f64; D],
    cell: f64,
}

impl<const D: usize> View<D> {
    fn of(grid: &Grid<D>) -> Self {
        Self { lower: grid.origin(), upper: grid.node(grid.cells()), cell: grid.spacing() }
    }

    fn outside(&self, shape: &SignedDistance<D>) -> Option<WarningKind> {
        let (lower, upper) = shape.bounds()?;
        let is_outside = (0..D).any(|axis| upper[axis] <= self.lower[axis] || lower[axis] >= self.upper[axis]);
        is_outside.then(|| WarningKind::Outside { lower: lower.to_vec(), upper: upper.to_vec() })
    }

    /// Where it reaches farthest beyond the grid, by more than a cell.
    fn partly_outside(&self, shape: &SignedDistance<D>) -> Option<WarningKind> {
        let (lower, upper) = shape.bounds()?;
        let beyond = (0..D).map(|axis| (axis, (self.lower[axis] - lower[axis]).max(upper[axis] - self.upper[axis])));
        let (axis, by) = beyond.max_by(|one, other| one.1.total_cmp(&other.1))?;
        (by > self.cell).then_some(WarningKind::PartlyOutside { axis, by })
    }
}

fn thin<const D: usize>(shape: &SignedDistance<D>, cell: f64) -> Option<WarningKind> {
    let thickness = thickness(shape)?;
    (thickness < cell).then_some(WarningKind::Thin { thickness, cell })
}

/// The least extent of a box around a shape, or around a part of it that stands by itself, in the axes of the part.
fn thickness<const D: usize>(shape: &SignedDistance<D>) -> Option<f64> {
    match shape {
        SignedDistance::Transformed { part, .. } => thickness(part),
        SignedDistance::Union(parts) => parts.iter().filter_map(thickness).reduce(f64::min),
        SignedDistance::Dilation(part, by) => thickness(part).map(|thickness| thickness + 2.0 * by),
        shape => {
            let (lower, upper) = shape.bounds()?;
            (0..D).map(|axis| upper[axis] - lower[axis]).reduce(f64::min)
        }
    }
}
