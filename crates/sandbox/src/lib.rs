//! The two-dimensional simulator for a web page: the user paints walls and pours liquid.
//!
//! [`Sandbox`] is the simulator and what a user can do to it. [`Picture`] is what the page draws. [`abi`] holds the
//! functions that JavaScript calls. `viewer/build.sh` compiles the crate to WebAssembly.
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
