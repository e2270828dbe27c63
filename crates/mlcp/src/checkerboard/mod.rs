//! Multigrid on a checkerboard: the fast hierarchy behind `best` and `multigrid`.
//!
//! **Layout.** Cells are stored in pairs along the first axis. Slot s of a line holds cells 2k and
//! 2k + 1, one red and one black; the red cells of all slots form one array, the black ones another.
//! All neighbours of a red cell are black and lie at fixed distances in memory while their lines go
//! on, so that a half-sweep of Gauss–Seidel reads and writes without gaps, without column indices,
//! and fills every lane of the vector unit. Inside the liquid nothing is read but the two colours
//! and the right-hand side.
//!
//! **Coarse unknowns** are the connected components of blocks of 2^D cells, so that a thin wall
//! never joins what it separates. Transfers are piecewise constant; the Galerkin operators PᵀAP/2
//! keep one neighbour a side and are again those of an inner cell inside the liquid. A pair of the
//! fine level is one cell of the coarse one.
//!
//! **Pinned rows**, where a wall has let go, are left out of every level (truncated Galerkin
//! products). They change at walls only, and so do the coefficients: a new active set costs work in
//! proportion to the rows that changed.
//!
//! Everything here is single precision: it serves to find corrections to an iterate whose residual
//! is known in double precision.

mod coarsen;
mod coarsest;
mod couple;
mod cycle;
mod finest;
mod krylov;
mod layout;
mod level;
mod nested;
mod pin;
mod sweep;
mod traffic;
mod transfer;

pub(crate) use cycle::Hierarchy;
pub(crate) use krylov::Reduced;
pub(crate) use layout::Layout;
pub(crate) use nested::NestedStart;

#[cfg(test)]
mod tests;
