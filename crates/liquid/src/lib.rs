//! The physics of one time step of a liquid that lets go of walls.
//!
//! Particles carry the liquid through a staggered grid. A complementarity problem gives the pressure, so that walls
//! push and never pull. A whole simulation:
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

mod air;
mod cells;
mod distribution;
mod error;
mod particles;
mod pressure;
mod setup;
mod share;
mod simulation;
mod solids;
mod state;
mod surface;
mod tension;
mod velocity;
mod viscosity;
mod volume;

pub use air::{Air, AirState, Bubble, Part};
pub use error::{SetupError, StepError};
pub use particles::Particles;
pub use particles::exchange::{cells_near, lattice_in};
pub use pressure::splitting::{Marked, Marking, SplittingParams, Stopping};
pub use pressure::{PressureSources, PressureStage};
pub use setup::{Drag, Emitter, Gravity, PressureParams, Setup, Solid, Transport, Wall};
pub use share::{Resuming, SharedSimulation, WholeView};
pub use simulation::report::{AdvanceReport, Stage, StepReport};
pub use simulation::{Rules, Simulation, equal_part};
pub use solids::{Bodies, Covered, Geometry, Immersed, JointMotion, NearestWall, Push, Response, StillSolids};
pub use state::{LiquidState, MetSolids};
pub use unstick_flow::Viscosity;
pub use unstick_mlcp::Unconverged;
pub use velocity::{interpolate_cells, interpolate_velocity};
pub use viscosity::{ViscousRules, viscous_boxes};
