//! Solves whose rows many processes share.
//!
//! Each process, a *rank*, holds a box of the grid. The method is `best` as it is on one machine. Two things differ, and
//! they are the only seams: values at the borders of boxes come from the neighbours ([`Ranks::exchange`]), and sums,
//! maxima and counts are those of all ranks ([`Ranks::sum`], [`Ranks::max`]).
//!
//! Reductions are of integers. A sum of numbers is made [exactly](unstick_parallel::exact) and rounded once, and boxes
//! never cut a line of cells along the first axis. So every cell sees the same numbers in the same order for any number of
//! ranks, and the answer has the same bits as that of one machine.
//!
//! A rank makes a [`PressureOperator`](crate::PressureOperator) of the rows in its box, with
//! [`PressureOperator::part`](crate::PressureOperator::part), and solves as usual. The report is the same on all of them.
//! The crate `unstick-mpi` implements [`Ranks`] with MPI, [`team`] does it with threads.

mod boxes;
mod halo;
mod part;
mod reductions;
mod team;

pub use boxes::{Boxes, BoxesError};
pub use reductions::Reductions;
pub use team::{Member, team};

pub(crate) use halo::{Halo, Share};

use bytemuck::Pod;

use crate::error::ProblemError;

/// What a solve needs of the other ranks. All ranks call the same functions in the same order.
///
/// A rank that fails ends all of them: nothing here returns an error.
pub trait Ranks: Send + Sync {
    /// The number of this rank.
    fn rank(&self) -> usize;

    /// How many there are.
    fn count(&self) -> usize;

    /// Sends and receives. A message without bytes is not sent. Both sides know the lengths.
    fn exchange(&self, messages: &mut [Message<'_>]);

    /// Replaces numbers by their sums over all ranks.
    fn sum(&self, numbers: &mut [i64]);

    /// Replaces numbers by their maxima over all ranks.
    fn max(&self, numbers: &mut [i64]);

    /// How many ranks make a group. What the first rank gathers and hands out goes through the first of each group, so that
    /// it need not talk to every rank. With few ranks that is no use: then each is a group of its own.
    fn group(&self) -> usize {
        group_of(self.count())
    }
}

/// So many ranks talk to the first one without groups. Its messages overlap; a second step does not.
const WITHOUT_GROUPS: usize = 64;

/// How many of so many ranks make a group.
pub fn group_of(count: usize) -> usize {
    if count <= WITHOUT_GROUPS { 1 } else { count.isqrt() }
}

/// What goes to another rank, and room for what comes from it.
pub struct Message<'m> {
    /// The other rank.
    pub rank: usize,
    /// What goes there.
    pub send: &'m [u8],
    /// What comes from there.
    pub receive: &'m mut [u8],
}

impl<'m> Message<'m> {
    /// Sends some values and receives others.
    pub fn swap<T: Pod>(rank: usize, send: &'m [T], receive: &'m mut [T]) -> Self {
        Self { rank, send: bytemuck::cast_slice(send), receive: bytemuck::cast_slice_mut(receive) }
    }

    /// Sends alone.
    pub fn to<T: Pod>(rank: usize, send: &'m [T]) -> Self {
        Self::swap(rank, send, &mut [])
    }

    /// Receives alone.
    pub fn from<T: Pod>(rank: usize, receive: &'m mut [T]) -> Self {
        Self::swap(rank, &[], receive)
    }
}

/// A single process.
pub(crate) struct Alone;

impl Ranks for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn count(&self) -> usize {
        1
    }

    fn exchange(&self, _: &mut [Message<'_>]) {}

    fn sum(&self, _: &mut [i64]) {}

    fn max(&self, _: &mut [i64]) {}
}

/// A refusal of any rank, on all of them: none goes on alone.
pub(crate) fn agree<T>(ranks: &dyn Ranks, result: Result<T, ProblemError>) -> Result<T, ProblemError> {
    let [refusals] = ranks.total([result.is_err() as usize]);
    match result {
        Ok(_) if refusals > 0 => Err(ProblemError::OtherRank),
        result => result,
    }
}
