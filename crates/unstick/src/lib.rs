//! Liquids that let go of walls.
//!
//! A wall can push a liquid but not pull it. Pressure solvers that forget this make water cling to
//! ceilings; with it, the pressure becomes a complementarity problem. This crate gathers what the
//! project offers to programs:
//!
//! - [`mlcp`]: complementarity problems and every solver of them;
//! - [`problems`]: problems to try, and problem folders;
//! - [`gpu`]: the same solvers on a GPU;
//! - [`liquid`]: the physics of one time step;
//! - [`flow`]: viscous flow that fills a box, on stretched grids;
//! - [`bodies`]: rigid bodies, their contacts, bodies afloat and in viscous flow;
//! - [`scene`]: scene files, run folders, pictures;
//! - [`files`]: OpenVDB, USD, glTF, VTK and the other files of the trade;
//! - [`grid`]: the lattices that problems live on.
//!
//! Make a problem, solve it, look at the account:
//!
//! ```
//! use unstick::mlcp::{SolverName, SolverOptions};
//! use unstick::problems::Example;
//!
//! let problem = Example::SphereHalf.generate(2, 24, 0)?;
//! let mut solver = "best".parse::<SolverName>()?.build(&SolverOptions::default());
//!
//! let mut q = vec![0.0; problem.size()];
//! let report = solver.solve(problem.mlcp(), &mut q)?;
//! assert!(report.converged());
//! println!("{} of {} wall rows let go", report.active_rows(), report.wall_rows());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use unstick_bodies as bodies;
pub use unstick_files as files;
pub use unstick_flow as flow;
pub use unstick_gpu as gpu;
pub use unstick_grid as grid;
pub use unstick_liquid as liquid;
pub use unstick_mlcp as mlcp;
pub use unstick_problems as problems;
pub use unstick_scene as scene;
