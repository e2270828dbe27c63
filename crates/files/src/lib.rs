//! Writers of the files that Houdini, Blender, ParaView and NumPy open.
//!
//! Every format is a function from values to the bytes of a file. [`write_atomic`] puts them on disk: a reader of
//! the path sees the old file or the complete new one.
//!
//! | values | formats |
//! |---|---|
//! | [`Points`] | [`ply`], [`vtk`] (`.vtk`, `.vtp`), [`npz`] |
//! | [`Surface`] | [`ply`], [`obj`], [`gltf`], [`vtk`] (`.vtp`), [`usd`] |
//! | [`Fields`] | [`vtk`] (`.vtk`, `.vti`) |
//! | [`vdb::Liquid`] | [`vdb`] |
//! | [`plot::Plot`] | SVG, CSV |
//! | text | [`page`] (`.html`) |
//! | numbered files of a folder | [`vtk::pvd`], [`usd::stage`] |
//!
//! ```
//! use unstick_files::{Surface, gltf, ply};
//! use unstick_grid::{Grid, SignedDistance, sample_cells};
//!
//! let grid = Grid::<3>::unit(16)?;
//! let ball = SignedDistance::sphere([0.5; 3], 0.3);
//! let surface = Surface::of_distance(&grid, &sample_cells(&grid, |point| ball.at(point)), 0.0);
//! assert!(ply::surface(&surface).starts_with(b"ply\n"));
//! assert!(gltf::surface(&surface).starts_with(b"glTF"));
//! # Ok::<(), unstick_grid::GridError>(())
//! ```

mod atomic;
#[doc(hidden)] // for tests
pub mod faults;
mod fields;
pub mod gltf;
mod lock;
pub mod npz;
pub mod obj;
pub mod page;
pub mod plot;
pub mod ply;
mod points;
mod series;
mod surface;
pub mod usd;
pub mod vdb;
pub mod vtk;

pub use atomic::{AtomicFile, AtomicFolder, is_leftover, read_bounded, remove_leftovers, write_atomic, write_fleeting};
pub use fields::Fields;
pub use lock::{FileLock, LockError};
pub use points::Points;
pub use series::{FileCount, Series};
pub use surface::Surface;

/// Three components of a vector of the plane or of space.
pub(crate) fn in_space<const D: usize>(vector: &[f64; D]) -> [f64; 3] {
    std::array::from_fn(|axis| vector.get(axis).copied().unwrap_or(0.0))
}
