//! Viscous incompressible flow on stretched grids, with rigid bodies inside by fictitious boundaries.

mod advect;
mod axis;
mod boundary;
mod direct;
mod discrete;
mod error;
mod immersed;
mod line;
mod project;
mod setup;
mod state;
mod stencil;
mod step;
mod stress;
mod tensor;
mod twist;
mod viscosity;
mod viscous;

pub use axis::{Axis, AxisError};
pub use boundary::{Boundary, Course, Inflow, Profile};
pub use error::{SetupError, StepError};
pub use immersed::{Force, Freedom, Immersed, ball_volume, stress_force};
pub use setup::{FlowSetup, SolveParams};
pub use state::{FlatFlow, FlowState};
pub use step::{Flow, StepReport};
pub use tensor::TensorGrid;
pub use twist::Twist;
pub use viscosity::Viscosity;
