//! The pressure: its problem as fields or rows, who solves it, and what it does to the velocity.

mod air_bounds;
mod bubbles;
mod couple;
mod fields;
mod project;
pub(crate) mod pull;
mod rows;
pub(crate) mod splitting;
mod stage;
mod update;
mod wetting;

pub use stage::PressureStage;

pub(crate) use air_bounds::Enclosed;
pub(crate) use bubbles::BubbleRows;
pub use fields::PressureSources;
pub(crate) use rows::{NO_ROW, PressureRows, RowAnswer};
pub(crate) use update::update_velocity;

use unstick_mlcp::fields::RowSolver;
use unstick_mlcp::{PressureMethod, SplittingName};

use crate::setup::PressureParams;
use crate::share::Share;

/// The method of the setup, ready to work on the processor.
pub(crate) enum PressureSolver<const D: usize> {
    /// Takes fields, and rows where there are bodies.
    Solver(Box<RowSolver<D>>),
    /// Takes rows.
    Splitting(SplittingName),
}

impl<const D: usize> PressureSolver<D> {
    /// Puts the method together.
    pub fn of(params: &PressureParams) -> Self {
        match params.solver {
            PressureMethod::Splitting(name) => Self::Splitting(name),
            PressureMethod::Solver(name) => Self::Solver(Box::new(RowSolver::new(name.build(&params.stop())))),
        }
    }

    /// The same for one of many ranks.
    pub fn on_rank(params: &PressureParams, share: &Share<D>) -> Self {
        match params.solver {
            PressureMethod::Splitting(name) => Self::Splitting(name),
            PressureMethod::Solver(name) => {
                Self::Solver(Box::new(RowSolver::on_rank(name.build(&params.stop()), share.part())))
            }
        }
    }
}
