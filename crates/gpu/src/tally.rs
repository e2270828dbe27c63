//! What a device is asked for: every launch and every wait takes its time, however little there is to do.

use std::ops::{Add, Sub};

/// How often a device was asked for something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Kernels that were launched one by one.
    pub launches: u64,
    /// Kernels that ran as part of a recording.
    pub replayed: u64,
    /// Recordings that were replayed.
    pub replays: u64,
    /// How often the host has waited for the device.
    pub waits: u64,
    /// How often memory was taken.
    pub allocations: u64,
}

impl Tally {
    fn with(self, other: Self, count: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            launches: count(self.launches, other.launches),
            replayed: count(self.replayed, other.replayed),
            replays: count(self.replays, other.replays),
            waits: count(self.waits, other.waits),
            allocations: count(self.allocations, other.allocations),
        }
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.with(other, |own, other| own + other)
    }
}

impl Sub for Tally {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        self.with(before, |now, before| now - before)
    }
}
