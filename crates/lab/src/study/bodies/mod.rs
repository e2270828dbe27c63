//! Rigid bodies: floating, contact as a complementarity problem, and what many of them cost.

mod archimedes;
mod contact;
mod many;
mod scaling;

use super::Study;

/// All of them.
pub const ALL: &[&[Study]] = &[archimedes::ALL, contact::ALL, scaling::ALL, many::ALL];
