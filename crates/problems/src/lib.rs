//! Complementarity problems to have and to hold on disk.
//!
//! A [`Problem`] owns all that solvers of [`unstick_mlcp`] need: the matrix, b, the bounds, where a solve may start and
//! where the rows lie on a grid. It comes from one of three places: an [`Example`] is generated, a problem folder is
//! [read](Problem::read), and the rows of a simulation are [handed over](Problem::from_rows).
//!
//! # Problem folders
//!
//! Any fluid code can hand over a pressure problem as a folder of plain files:
//!
//! | file | what it holds |
//! |---|---|
//! | `A.mtx` | the matrix: Matrix Market, coordinate, real or integer, symmetric or general |
//! | `b.npy` | b, one number per row |
//! | `wall.npy` | 1 (or true) on the rows of separating walls, 0 elsewhere |
//! | `lower.npy` | optional: the bound of each wall row; zero where the file is missing |
//! | `x.npy` | optional: a starting iterate or a known answer |
//! | `grid.json` | optional: where the rows lie on a grid ([`GridInfo`]) |
//!
//! Readers trust nothing. Whatever the bytes, they return a well-formed value or name the file, line or row that is
//! wrong, and they reserve no more memory than the length of the file accounts for. Writers leave whole files or none.

mod error;
mod folder;
mod generate;
mod grid;
mod problem;

pub use error::FileError;
pub use folder::{read_array, read_matrix, read_scipy_matrix, write_array, write_matrix};
pub use generate::{Example, GenerateError, ParseExampleError};
pub use grid::{GridInfo, GridMisfit};
pub use problem::{Problem, lower_bounds, wall_mask};
