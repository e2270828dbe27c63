//! Problem folders: how any fluid code hands over a pressure problem.
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
//! Readers trust nothing: whatever the bytes, they return a well-formed value or say which file,
//! line or row is wrong, and reserve no more memory than the length of the file accounts for.
//! Writers leave whole files or none.

mod array;
mod assemble;
mod atomic;
mod folder;
mod grid;
mod lines;
mod matrix_market;

pub use array::{read_array, write_array};
pub use folder::{ProblemFolder, lower, problem_on, walls};
pub use grid::GridInfo;
pub use matrix_market::{read_matrix, write_matrix};
