//! Lattices, fields on them and signed distances: the geometry below `unstick`.
//!
//! Everything is generic over the dimension `D`, which is two or three.
//!
//! ```
//! use unstick_grid::{Grid, SignedDistance, open_fractions};
//!
//! // How much of each face lies inside a round container?
//! let grid = Grid::<2>::unit(16)?;
//! let solid = SignedDistance::sphere([0.5, 0.5], 0.4).complement();
//! let open = open_fractions(&grid, |point| solid.at(point));
//! assert_eq!(open[0].at([8, 8]), 1.0); // the middle of the container
//! assert_eq!(open[0].at([0, 0]), 0.0); // a corner of the domain
//! # Ok::<(), unstick_grid::GridError>(())
//! ```

mod bounds;
mod dimension;
mod distance;
mod field;
mod fraction;
mod grid;
mod keyframes;
mod mesh;
mod motion;
mod number;
mod pose;
mod random;
mod sample;
mod sampled;
pub mod stored;
mod varying;
pub mod vector;

pub use dimension::by_dimension;
pub use distance::SignedDistance;
pub use field::{CellField, FaceField};
pub use fraction::{CLOSED, TOUCHES, open_fractions, open_fractions_of_nodes, part_behind_plane};
pub use grid::{Grid, GridError, linear_index, multi_index};
pub use keyframes::{Interpolation, Keyframe, Keyframes};
pub use mesh::{MeshDistance, MeshError, MeshProblem, TriangleMesh};
pub use motion::{Motion, MotionError};
pub use number::{NotANumber, NumberPlace};
pub use pose::{Pose, Spin};
pub use random::Random;
pub use sample::{sample, sample_cells, sample_faces, sample_nodes};
pub use sampled::SampledDistance;
pub use varying::{Formula, Picture, Varying};
