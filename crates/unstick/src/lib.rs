//! Liquids that let go of walls.
//!
//! A wall can push a liquid, but it cannot pull it. Pressure solvers that ignore this make water cling to ceilings.
//! With separating walls, the pressure becomes a complementarity problem. This crate gathers what the project offers
//! to programs.
//!
//! A breaking dam in a closed square, in five statements:
//!
//! ```
//! use unstick::grid::{Grid, SignedDistance};
//! use unstick::liquid::{Setup, Simulation};
//!
//! let grid = Grid::<2>::unit(32)?;
//! let dam = SignedDistance::cuboid([0.0, 0.0], [0.3, 0.75]);
//! let mut simulation = Simulation::new(Setup::new(grid), &dam)?;
//! let report = simulation.advance_to(0.1)?;
//! println!("{} steps, {} particles", report.steps.len(), simulation.state().particles.position.len());
//! # assert!(report.steps.iter().all(|step| step.converged));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what it does |
//! |---|---|
//! | [`mlcp`] | complementarity problems and every solver of them |
//! | [`problems`] | problems to try, problem folders |
//! | [`gpu`] | the same solvers on a GPU |
//! | [`liquid`] | one time step of a liquid with a free surface |
//! | [`flow`] | viscous flow that fills a box, on stretched grids |
//! | [`bodies`] | rigid bodies, contacts, floating bodies, suspensions |
//! | [`scene`] | scene files, runs, pictures, movies, reports |
//! | [`files`] | OpenVDB, USD, glTF, VTK and other formats; plots and pages |
//! | [`grid`] | lattices, fields, signed distances, meshes |
//!
//! A solver works on any problem, such as a generated one:
//!
//! ```
//! use unstick::mlcp::{SolverName, Stop};
//! use unstick::problems::Example;
//!
//! let problem = Example::SphereHalf.generate(2, 24, 0)?;
//! let mut solver = "best".parse::<SolverName>()?.build(&Stop::default());
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
