//! The nonlinear methods, one file or folder each.

pub(crate) mod active_set;
pub mod best;
pub mod fas;
pub mod fischer;
mod inner;
mod line_search;
pub mod mprgp;
pub mod newton;
pub mod penalty;
pub mod pivoting;
pub mod policy;
pub mod psor;
pub mod sticking;
pub mod subspace;

pub use inner::{Composed, ComposedMethod, Inner, InnerParams};
pub use line_search::LineSearch;

use crate::error::SolveError;
use crate::problem::Mlcp;
use crate::report::SolveReport;

/// A method that solves complementarity problems.
///
/// Linear solvers and factorisations keep their memory between calls, so one solver serves a whole
/// simulation. To write a method of your own, see [`run`](crate::run).
pub trait MlcpSolver: Send {
    /// Full name, e.g. `policy+cg/mic0`.
    fn name(&self) -> String;

    /// Improves `q` from what it holds until the problem is solved or the method gives up.
    ///
    /// The report says which. An error means that nothing could be done; `q` may then hold
    /// anything.
    fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError>;
}
