//! Viscous flow with known answers, without bodies and with them.

mod cavity;
mod channel;
mod settling;

use super::Study;

/// All of them.
pub const ALL: &[&[Study]] = &[cavity::ALL, channel::ALL, settling::ALL];
