//! The common reductions, and what one rank gathers and hands out.

use std::ops::Range;

use bytemuck::Pod;

use super::{Message, Ranks};

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

    /// The same on the first rank; an empty list elsewhere. All ranks know the `lengths`, or none does.
    fn gather<T: Pod>(&self, own: &[T], lengths: Option<&[usize]>) -> Vec<Vec<T>> {
        let counted = lengths.is_none().then(|| self.lengths(own.len()));
        let lengths = lengths.or(counted.as_deref()).unwrap_or_default();
        let group = group_around(self, self.rank());
        if self.rank() != group.start {
            self.exchange(&mut [Message::to(group.start, own)]);
            return Vec::new();
        }
        let room = |ranks: Range<usize>| vec![T::zeroed(); lengths[ranks].iter().sum()];
        let mut of_group = room(group.clone());
        let (first, rest) = of_group.split_at_mut(own.len());
        first.copy_from_slice(own);
        let members = pieces_mut(rest, group.clone().skip(1).map(|rank| (rank, lengths[rank])));
        self.exchange(&mut members.into_iter().map(|(rank, piece)| Message::from(rank, piece)).collect::<Vec<_>>());
        if self.rank() != 0 {
            self.exchange(&mut [Message::to(0, &of_group)]);
            return Vec::new();
        }
        let groups: Vec<Range<usize>> = groups(self).collect();
        let mut all: Vec<Vec<T>> = groups[1..].iter().map(|ranks| room(ranks.clone())).collect();
        let others = groups[1..].iter().zip(&mut all);
        self.exchange(&mut others.map(|(ranks, words)| Message::from(ranks.start, words)).collect::<Vec<_>>());
        all.insert(0, of_group);
        let of_groups = groups.into_iter().zip(&mut all);
        let parts = of_groups.flat_map(|(ranks, words)| pieces_mut(words, ranks.map(|rank| (rank, lengths[rank]))));
        parts.map(|(_, part)| part.to_vec()).collect()
    }

    /// Hands parts that the first rank has to all, each its own. All ranks know the `lengths`.
    fn hand_out<T: Pod>(&self, parts: &[Vec<T>], lengths: &[usize], own: &mut [T]) {
        let group = group_around(self, self.rank());
        if self.rank() != group.start {
            return self.exchange(&mut [Message::from(group.start, own)]);
        }
        let mut of_group = vec![T::zeroed(); lengths[group.clone()].iter().sum()];
        if self.rank() != 0 {
            self.exchange(&mut [Message::from(0, &mut of_group)]);
        } else {
            let all: Vec<(usize, Vec<T>)> =
                groups(self).skip(1).map(|ranks| (ranks.start, parts[ranks].concat())).collect();
            self.exchange(&mut all.iter().map(|(rank, words)| Message::to(*rank, words)).collect::<Vec<_>>());
            of_group = parts[group.clone()].concat();
        }
        let (first, rest) = of_group.split_at_mut(own.len());
        own.copy_from_slice(first);
        let members = pieces_mut(rest, group.skip(1).map(|rank| (rank, lengths[rank])));
        self.exchange(&mut members.iter().map(|(rank, piece)| Message::to(*rank, piece)).collect::<Vec<_>>());
    }
}

impl<R: Ranks + ?Sized> Reductions for R {}

/// The groups of ranks, in their order.
fn groups(ranks: &(impl Ranks + ?Sized)) -> impl Iterator<Item = Range<usize>> {
    let (size, count) = (ranks.group(), ranks.count());
    (0..count).step_by(size).map(move |first| first..(first + size).min(count))
}

/// The group of a rank.
fn group_around(ranks: &(impl Ranks + ?Sized), rank: usize) -> Range<usize> {
    let first = rank / ranks.group() * ranks.group();
    first..(first + ranks.group()).min(ranks.count())
}

/// A list cut into the pieces of some ranks, whose lengths are given.
fn pieces_mut<T>(mut list: &mut [T], ranks: impl Iterator<Item = (usize, usize)>) -> Vec<(usize, &mut [T])> {
    let cut = |(rank, length)| {
        let (piece, rest) = std::mem::take(&mut list).split_at_mut(length);
        list = rest;
        (rank, piece)
    };
    ranks.map(cut).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ranks::{group_of, team};

    /// Ranks in groups of three.
    struct InThrees(Arc<dyn Ranks>);

    impl Ranks for InThrees {
        fn rank(&self) -> usize {
            self.0.rank()
        }

        fn count(&self) -> usize {
            self.0.count()
        }

        fn exchange(&self, messages: &mut [Message<'_>]) {
            assert!(messages.len() <= 4, "no rank talks to all others");
            self.0.exchange(messages);
        }

        fn sum(&self, numbers: &mut [i64]) {
            self.0.sum(numbers);
        }

        fn max(&self, numbers: &mut [i64]) {
            self.0.max(numbers);
        }

        fn group(&self) -> usize {
            3
        }
    }

    #[test]
    fn groups_pass_on_what_the_first_rank_gathers_and_hands_out() {
        for count in [1, 2, 3, 4, 7, 9] {
            let of_rank =
                |rank: usize| -> Vec<u32> { (0..rank % 4).map(|number| (10 * rank + number) as u32).collect() };
            let found = team(count, 1, |ranks| {
                let ranks = InThrees(ranks);
                let own = of_rank(ranks.rank());
                let lengths: Vec<usize> = (0..count).map(|rank| rank % 4).collect();
                let parts = ranks.gather(&own, None);
                assert_eq!(parts, ranks.gather(&own, Some(&lengths)));
                let mut back = vec![0; own.len()];
                ranks.hand_out(&parts, &lengths, &mut back);
                assert_eq!(back, own);
                parts
            });
            assert_eq!(found[0], (0..count).map(of_rank).collect::<Vec<_>>());
            assert!(found[1..].iter().all(Vec::is_empty));
        }
        assert_eq!([1, 64, 512, 4096].map(group_of), [1, 1, 22, 64]);
    }
}
