//! Mixed linear complementarity problems and every solver of them that liquids need.
//!
//! A liquid that may let go of its walls has a pressure q with 0 ≤ q ⟂ A q + b ≥ 0 at the walls and
//! A q + b = 0 elsewhere ([`Mlcp`]). Give the matrix as a [`CsrMatrix`] or as any
//! [`LinearOperator`], pick a solver by [name](SolverName), get q and an honest [`SolveReport`]:
//!
//! ```
//! use unstick_mlcp::{CsrMatrix, Mlcp, SolverName};
//!
//! let matrix = CsrMatrix::from_triplets(2, [(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0)])?;
//! let problem = Mlcp::new(matrix, &[1.0, -1.0])?.with_walls(&[true, false])?;
//! let mut solver = "policy+cg/mic0".parse::<SolverName>()?.build(&Default::default());
//! let mut q = [0.0; 2];
//! let report = solver.solve(&problem, &mut q)?;
//! println!("{}: {} after {} cycles", report.solver(), report.outcome(), report.cycles());
//! # assert!(report.converged());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Parameters are part of the name: `best:forcing=0.05`. [`catalogue`] lists them.
//!
//! The folders show the structure. [`solvers`] holds the nonlinear methods, one file each; [`linear`] the Krylov
//! methods that they use; [`precondition`] the preconditioners; [`fft`] the transforms that solve boxes at once.
//! [`fields`] takes problems as fields of a fluid code. The crate `unstick-problems` makes problems to try and keeps
//! problems in folders. Citation keys such as \[Lai2021\] refer to `docs/references.bib`.

#[doc(hidden)]
pub mod device;
pub mod fft;
pub mod fields;
pub mod linear;
pub mod multigrid;
pub mod precondition;
pub mod ranks;
pub mod run;
pub mod solvers;

mod aggregation;
mod checkerboard;
mod convergence;
mod csr;
mod error;
mod fingerprint;
mod interrupt;
mod lattice;
mod low_rank;
mod name;
mod operator;
mod parameter;
mod pool;
mod pressure;
mod problem;
mod recognise;
mod report;
mod scale;
mod singular;
mod start;
mod stop;
#[cfg(test)]
mod test_problems;
mod witness;

pub use convergence::{Convergence, Unconverged};
pub use csr::{CsrMatrix, MMatrixDefect};
pub use error::{MatrixError, ProblemError, SolveError};
pub use interrupt::{interruptible, is_interrupted};
pub use lattice::Lattice;
pub use low_rank::LowRank;
pub use name::{
    CatalogueEntry, Krylov, Method, ParseNameError, PreconditionerName, PressureMethod, SolverName, Splitting,
    SplittingName, catalogue, nearest,
};
pub use operator::LinearOperator;
pub use parameter::{Parameter, ParameterRange, ParameterValue, Parameters};
pub use pool::{in_pool, join};
pub use pressure::{AnyPressureOperator, PressureOperator, Stencil};
pub use problem::Mlcp;
pub use report::{Outcome, PocketReport, SolveReport};
pub use solvers::MlcpSolver;
pub use start::{ParseStartError, Start};
pub use stop::{Stop, Tolerance};
pub use witness::{Cycle, Witness, show_system, witnessed};

/// The programs of the tutorial, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/tutorial-solver.md")]
struct Tutorial;
