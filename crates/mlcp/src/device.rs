//! The seams for machines that hold a problem in their own memory, such as a GPU.
//!
//! Unstable: this module is for `unstick-gpu` and changes with it.
//!
//! A device implements [`RemoteProblem`] for problems that it holds, and the steps of each method that it has:
//! [`BestSteps`], [`PolicySteps`], [`NewtonSteps`], [`StickingSteps`]. The loops here call those steps.
//! [`FoundGrid`] finds the grid of a bare matrix; [`unit`] is what one means in single precision for all others.
//! [`SolverName::params`](crate::SolverName::params) gives the parameters of the method as a name sets them;
//! [`SolverName::without_parameters`](crate::SolverName::without_parameters) tells which solver it is.

pub use crate::aggregation::{fits_single_precision, unit};
pub use crate::recognise::FoundGrid;
pub use crate::run::Reached;
pub use crate::run::remote::{RemoteProblem, run_remote};
pub use crate::solvers::active_set::Patience;
pub use crate::solvers::best::{BestSteps, FORCING_WITHOUT_SWEEPS, MISLED, MOST_CYCLES, iterate as iterate_best};
pub use crate::solvers::newton::{NewtonSteps, iterate as iterate_newton};
pub use crate::solvers::policy::{PolicySteps, iterate as iterate_policy};
pub use crate::solvers::sticking::{StickingSteps, iterate as iterate_sticking};
