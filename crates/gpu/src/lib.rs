//! Complementarity pressure solvers on the GPU, and whole steps of a liquid.
//!
//! [`Gpu`] solves the problems of `unstick-mlcp` with the solvers named there. The problem is copied to the device once.
//! Hierarchy, active sets, nested start, cycles and residuals stay there, and the host reads back single numbers. Cycles
//! are in single precision, residuals in double precision.
//!
//! ```no_run
//! use unstick_gpu::Gpu;
//! use unstick_mlcp::MlcpSolver;
//! use unstick_problems::Example;
//!
//! let problem = Example::CubeLid.generate(3, 64, 0)?;
//! let mut solver = Gpu::open(0)?.solver(&"best".parse()?, Default::default())?;
//! let mut q = vec![0.0; problem.size()];
//! let report = solver.solve(problem.mlcp(), &mut q)?;
//! println!("{}: {} after {} cycles", report.solver(), report.outcome(), report.cycles());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A fluid code on a staggered grid can pass its fields instead. The device then assembles the rows:
//!
//! ```no_run
//! use unstick_gpu::Gpu;
//! use unstick_mlcp::fields::{FieldSolver, PressureFields, WallFields};
//!
//! // Your fields, with the first axis fastest in memory. Here they are a box full of liquid at rest.
//! let (count, faces) = (64 * 64, 65 * 64);
//! let (liquid, velocity, open) = (vec![-1.0; count], vec![0.0; faces], vec![1.0; faces]);
//! let (separating, cell_open) = (vec![true; count], vec![1.0; count]);
//! let walls =
//!     WallFields { version: 0, open: [&open; 2], separating: &separating, cell_open: &cell_open, flow: None };
//! let fields = PressureFields {
//!     cells: [64, 64],
//!     spacing: 1.0 / 64.0,
//!     walls,
//!     liquid: &liquid,
//!     velocity: [&velocity; 2],
//!     divergence: None,
//!     control: 0.0,
//!     lower: None,
//! };
//! let mut solver = Gpu::first()?.solver(&"best".parse()?, Default::default())?;
//! let (mut q, mut has_let_go) = (vec![0.0; count], vec![false; count]);
//! let report = solver.solve_fields(&fields, &mut q, &mut has_let_go)?;
//! println!("{} unknowns: {}", report.rows(), report.outcome());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A simulation of `unstick-liquid` can live on the device altogether: see [`GpuLiquid`].
//!
//! Building this crate needs no toolkit. Driver and compiler are looked for when a device is opened; [`Gpu::status`] says
//! what is missing. The kernels are plain text in `kernels/` and are compiled for the device that is found. Tests run the
//! same text on the host (feature `emulation`).

mod aggregates;
mod arena;
mod assemble;
mod backend;
mod best;
mod catalogue;
mod driver;
mod error;
mod fields;
mod gradients;
mod hierarchy;
mod layout;
mod methods;
mod nested;
mod probe;
mod problem;
mod solver;
mod step;
mod tally;
mod text;

pub use backend::{Backend, Placement};
pub use error::GpuError;
pub use probe::{Probe, TimedTraffic};
pub use problem::Times;
pub use solver::{Gpu, GpuSolver};
pub use step::{GpuLiquid, LiquidView, PendingView};
pub use tally::Tally;
pub use text::kernel_text;
