//! The two-dimensional simulator for a web page: walls that are painted, liquid that is poured.
//!
//! [`Sandbox`] is the simulator with everything a visitor can do to it, [`Picture`] what the page draws, and [`abi`]
//! what JavaScript calls. `viewer/build.sh` compiles it for browsers.
//!
//! ```
//! use unstick_sandbox::{Preset, Sandbox};
//!
//! let mut sandbox = Sandbox::new(32, Preset::Dam)?;
//! sandbox.set_separating(false);
//! sandbox.advance(0.02)?;
//! assert!(sandbox.simulation().state().time > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod abi;
mod picture;
mod preset;
mod sandbox;

pub use picture::Picture;
pub use preset::Preset;
pub use sandbox::Sandbox;
