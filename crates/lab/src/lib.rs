//! The laboratory: solvers side by side, and published results measured again.
//!
//! - [`source`] finds pressure problems: frames of scenes, generated examples, problem folders.
//! - [`compare`] runs several solvers on one problem from the same start, once or against the clock.
//! - [`soak`] simulates every scene with random values for hours and audits every pressure solve.
//! - [`study`] holds published tables and figures as data, measures them and judges what they claim.
//! - [`present`] turns results into tables, JSON, plots and pages.
//!
//! The library never prints. Whoever wants to watch a long measurement passes a [`Progress`].

pub mod compare;
mod destination;
mod error;
pub mod machine;
pub mod present;
mod progress;
pub mod soak;
pub mod source;
pub mod study;

pub use destination::Destination;
pub use error::LabError;
pub use progress::{Progress, Silent};
