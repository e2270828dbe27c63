//! Viscous incompressible flow on stretched grids, with rigid bodies inside by fictitious boundaries.
//!
//! The liquid fills a box, bodies included. So its equations separate along the axes, and a direct solver
//! solves them. A disc that falls in a closed box:
//!
//! ```
//! use unstick_flow::{Axis, Flow, FlowSetup, Freedom, FlowBody, TensorGrid};
//!
//! let axis = || Axis::uniform(0.0, 1.0, 24);
//! let mut flow = Flow::new(FlowSetup::new(TensorGrid::new([axis()?, axis()?]), 0.01))?;
//! let mut disc = FlowBody::ball([0.5, 0.6], 0.1);
//! let mass = 2.0 * disc.volume; // in liquid of density 1
//! let inertia = [[0.0; 3], [0.0; 3], [0.0, 0.0, 0.5 * mass * 0.1 * 0.1]];
//! disc.freedom = Freedom::Free { mass, inertia, force: [0.0, -9.81 * disc.volume], torque: [0.0; 3] };
//!
//! let mut bodies = [disc];
//! let report = flow.advance(0.01, &mut bodies)?;
//! assert!(bodies[0].twist.linear[1] < 0.0 && report.divergence < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `unstick_bodies::Suspension` also moves the bodies. Citation keys such as \[Turek2012\] refer to
//! `docs/references.bib`.

mod advect;
mod axis;
mod axis_operator;
mod boundary;
mod direct;
mod discrete;
mod error;
mod following;
mod immersed;
mod momentum;
mod moving;
mod project;
mod sample;
mod setup;
mod state;
mod stencil;
mod step;
mod stress;
mod tensor;
#[cfg(test)]
mod testing;
mod twist;
mod viscosity;
mod viscous;

pub use axis::{Axis, AxisError};
pub use boundary::{Boundary, Course, Inflow, Profile};
pub use error::{SetupError, SolveKind, StepError};
pub use following::FollowingAxis;
pub use immersed::{FlowBody, Force, Freedom, Surface, ball_volume, stress_force};
pub use sample::velocity_at;
pub use setup::{FlowSetup, SolveParams};
pub use state::{FlowState, RestoredFlow};
pub use step::{Flow, FlowReport, FlowSeconds};
pub use tensor::TensorGrid;
pub use twist::Twist;
pub use unstick_mlcp::{Convergence, Outcome, Unconverged};
pub use viscosity::Viscosity;
