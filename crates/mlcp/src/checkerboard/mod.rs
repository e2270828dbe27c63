//! Multigrid on a checkerboard: the fast hierarchy behind `best` and `multigrid`.
//!
//! **Layout.** Cells are stored in pairs along the first axis. Slot s of a line holds cells 2k and
//! 2k + 1, one red and one black; the red cells of all slots form one array, the black ones another.
//! All neighbours of a red cell are black and lie at fixed distances in memory while their lines go
//! on. So a half-sweep of Gauss–Seidel reads and writes without gaps and without column indices, and
//! fills every lane of the vector unit. Inside the liquid it reads the two colours and the right-hand
//! side, and nothing else.
//!
//! **Coarse unknowns** are the connected components of blocks of 2^D cells: a thin wall keeps separate
//! what it separates. Transfers are piecewise constant. The Galerkin operators PᵀAP/2 keep one neighbour
//! a side, and inside the liquid they are again those of an inner cell. A pair of the fine level is one
//! cell of the coarse level.
//!
//! **Pinned rows**, where a wall has let go, are left out of every level (truncated Galerkin
//! products). They change at walls only, and so do the coefficients. The work for a new active set is
//! proportional to the rows that changed.
//!
//! **Ranks.** A level may be the part that one of many ranks holds, with ghosts around it ([`Share`](crate::ranks)).
//! Half-sweeps fill the ghosts, and sums are those of all ranks. From some level on one rank has the whole.
//!
//! Everything here is single precision. It finds corrections to an iterate whose residual is known in
//! double precision. A hierarchy that is rebuilt for another problem works in the memory of the last
//! one.

mod cells;
mod coarsen;
mod coarsest;
mod couple;
mod cycle;
mod finest;
mod gathered;
mod ghosts;
mod krylov;
mod layout;
mod level;
mod nested;
mod policy;
mod sweep;
mod transfer;

pub(crate) use cycle::Hierarchy;
pub(crate) use krylov::Reduced;
pub(crate) use layout::Layout;
pub(crate) use nested::NestedStart;
pub(crate) use policy::LevelProblem;

#[cfg(test)]
mod tests;
