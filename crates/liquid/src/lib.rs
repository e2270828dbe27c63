//! The physics of one time step of a liquid that lets go of walls.
//!
//! Particles carry the liquid through a staggered grid; a complementarity problem gives the
//! pressure, so that walls push and never pull. A whole simulation:
//!
//! ```
//! use unstick_grid::{Grid, SignedDistance};
//! use unstick_liquid::{Setup, Simulation};
//!
//! let grid = Grid::<2>::unit(24)?;
//! let setup = Setup::new(grid); // a closed box, separating walls, gravity along −y
//! let block = SignedDistance::cuboid([0.0, 0.0], [0.4, 0.6]);
//! let mut simulation = Simulation::new(setup, &block)?;
//! let report = simulation.advance_to(0.05)?;
//! assert!(report.steps.iter().all(|step| step.converged));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bodies;
mod cells;
mod error;
mod extrapolate;
mod gather;
mod geometry;
mod immerse;
mod interpolate;
mod particles;
mod pieces;
mod place;
mod pressure;
mod project;
mod report;
mod reseed;
mod scatter;
mod seed;
mod semi_lagrangian;
mod setup;
mod slabs;
mod splitting;
mod stage;
mod state;
mod step;
mod surface;
mod trace;
mod update;
mod volume;

pub use bodies::{Bodies, Immersed, Push};
pub use error::{SetupError, StepError};
pub use geometry::Geometry;
pub use immerse::Covered;
pub use interpolate::{sample_cells, sample_velocity};
pub use particles::Particles;
pub use report::{AdvanceReport, Stage, StepReport};
pub use setup::{Emitter, Gravity, PressureParams, Setup, Solid, Transport, Wall};
pub use splitting::{Marking, SplittingParams, Stopping};
pub use stage::PressureStage;
pub use state::LiquidState;
pub use step::{Simulation, equal_part};
pub use unstick_mlcp::Unconverged;
