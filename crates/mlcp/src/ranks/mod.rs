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
mod team;

pub use boxes::{Boxes, BoxesError};
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

/// The common reductions, and what one rank gathers and hands out.
pub trait Reductions: Ranks {
    /// The largest of numbers that are not negative, NaN if any is: their bits have the order of the numbers, with NaN
    /// above all.
    fn largest<const N: usize>(&self, numbers: [f64; N]) -> [f64; N] {
        let mut bits = numbers.map(|number| (number.to_bits() & !(1 << 63)) as i64);
        self.max(&mut bits);
        bits.map(|bits| f64::from_bits(bits as u64))
    }

    /// Counts of all ranks.
    fn total<const N: usize>(&self, counts: [usize; N]) -> [usize; N] {
        let mut counts = counts.map(|count| count as i64);
        self.sum(&mut counts);
        counts.map(|count| count as usize)
    }

    /// Whether this rank has the least number, or the first place of those who have it.
    fn has_least(&self, own: Option<(f64, [usize; 3])>) -> bool {
        if self.count() == 1 {
            return true;
        }
        let words: Vec<u64> = own
            .iter()
            .flat_map(|(number, place)| [number.to_bits()].into_iter().chain(place.map(|along| along as u64)))
            .collect();
        let order = |one: &Vec<u64>, other: &Vec<u64>| {
            let numbers = f64::from_bits(one[0]).total_cmp(&f64::from_bits(other[0]));
            numbers.then_with(|| one[1..].cmp(&other[1..]))
        };
        let all = self.gather_all(&words);
        all.iter().filter(|words| !words.is_empty()).min_by(|one, other| order(one, other)) == Some(&words)
    }

    /// How many values each rank has.
    fn lengths(&self, own: usize) -> Vec<usize> {
        let mut lengths = vec![0; self.count()];
        lengths[self.rank()] = own as i64;
        self.sum(&mut lengths);
        lengths.into_iter().map(|length| length as usize).collect()
    }

    /// What every rank has, in their order, on all of them.
    fn gather_all<T: Pod>(&self, own: &[T]) -> Vec<Vec<T>> {
        let mut parts: Vec<Vec<T>> =
            self.lengths(own.len()).into_iter().map(|length| vec![T::zeroed(); length]).collect();
        parts[self.rank()].copy_from_slice(own);
        let others = parts.iter_mut().enumerate().filter(|(rank, _)| *rank != self.rank());
        let mut messages: Vec<Message> = others.map(|(rank, part)| Message::swap(rank, own, part)).collect();
        self.exchange(&mut messages);
        parts
    }

    /// The same on the first rank, which may know the lengths; an empty list elsewhere.
    fn gather<T: Pod>(&self, own: &[T], lengths: Option<Vec<usize>>) -> Vec<Vec<T>> {
        let lengths = lengths.unwrap_or_else(|| self.lengths(own.len()));
        if self.rank() != 0 {
            self.exchange(&mut [Message::to(0, own)]);
            return Vec::new();
        }
        let mut parts: Vec<Vec<T>> = lengths.into_iter().map(|length| vec![T::zeroed(); length]).collect();
        parts[0].copy_from_slice(own);
        let others = parts.iter_mut().enumerate().skip(1);
        self.exchange(&mut others.map(|(rank, part)| Message::from(rank, part)).collect::<Vec<_>>());
        parts
    }

    /// Hands parts that the first rank has to all, each its own.
    fn hand_out<T: Pod>(&self, parts: &[Vec<T>], own: &mut [T]) {
        if self.rank() != 0 {
            return self.exchange(&mut [Message::from(0, own)]);
        }
        own.copy_from_slice(&parts[0]);
        let others = parts.iter().enumerate().skip(1);
        self.exchange(&mut others.map(|(rank, part)| Message::to(rank, part)).collect::<Vec<_>>());
    }
}

impl<R: Ranks + ?Sized> Reductions for R {}
