//! Loops as binary trees of pieces of work. The tree depends on the work alone, whoever does it.

use std::sync::{Mutex, PoisonError};

use crate::team;

/// Tasks that a loop is handed around in at most: a power of two, and so many for each thread of a large machine that none
/// waits long for the last one.
const MOST: usize = 256;

/// What becomes of a piece of work.
pub(crate) enum Cut<N> {
    /// It is done at once.
    Whole(N),
    /// Both halves are done, and their results merged.
    Halves(N, N),
}

/// A team begins its loops this many times as fast as rayon: it shares loops that are so much shorter.
const FASTER: usize = 8;

/// Whether a loop is handed around that has so many entries, where `least` of them are worth it to rayon.
pub(crate) fn is_worth_sharing(length: usize, least: usize) -> bool {
    length >= least || length >= least / FASTER && team::is_led()
}

/// Combines the results of all pieces of `root` along the tree that `cut` makes.
pub(crate) fn fold<N: Send, S: Send>(
    root: N,
    is_shared: bool,
    cut: &(impl Fn(N) -> Cut<N> + Sync),
    work: &(impl Fn(N) -> S + Sync),
    merge: &(impl Fn(S, S) -> S + Sync),
) -> S {
    let (left, right) = match cut(root) {
        Cut::Whole(root) => return work(root),
        Cut::Halves(left, right) => (left, right),
    };
    if !is_shared || rayon::current_num_threads() == 1 {
        let left = alone(left, cut, work, merge);
        return merge(left, alone(right, cut, work, merge));
    }
    let mut tasks = Tasks { pieces: [const { Mutex::new(Piece::Empty) }; MOST], depths: [0; MOST], count: 0 };
    tasks.add(left, 1, cut);
    tasks.add(right, 1, cut);
    team::call(tasks.count, &|number| {
        if let Piece::Open(piece) = tasks.swap(number, Piece::Empty) {
            tasks.swap(number, Piece::Done(alone(piece, cut, work, merge)));
        }
    });
    // Neighbours of the same depth are the two halves of one piece.
    let mut merged: [Option<(u32, S)>; MOST.ilog2() as usize + 2] = Default::default();
    let mut end = 0;
    for number in 0..tasks.count {
        let Piece::Done(result) = tasks.swap(number, Piece::Empty) else { unreachable!("every task was done") };
        let mut last = (tasks.depths[number], result);
        while let Some((_, before)) = merged[..end].last_mut().and_then(|one| one.take_if(|one| one.0 == last.0)) {
            last = (last.0 - 1, merge(before, last.1));
            end -= 1;
        }
        merged[end] = Some(last);
        end += 1;
    }
    merged[0].take().expect("a loop has a task").1
}

fn alone<N, S>(piece: N, cut: &impl Fn(N) -> Cut<N>, work: &impl Fn(N) -> S, merge: &impl Fn(S, S) -> S) -> S {
    match cut(piece) {
        Cut::Whole(piece) => work(piece),
        Cut::Halves(left, right) => {
            let left = alone(left, cut, work, merge);
            merge(left, alone(right, cut, work, merge))
        }
    }
}

/// The upper part of a tree: pieces from left to right, with their depths.
struct Tasks<N, S> {
    pieces: [Mutex<Piece<N, S>>; MOST],
    depths: [u32; MOST],
    count: usize,
}

enum Piece<N, S> {
    Empty,
    Open(N),
    Done(S),
}

impl<N, S> Tasks<N, S> {
    fn add(&mut self, piece: N, depth: u32, cut: &impl Fn(N) -> Cut<N>) {
        match if depth < MOST.ilog2() { cut(piece) } else { Cut::Whole(piece) } {
            Cut::Whole(piece) => {
                self.swap(self.count, Piece::Open(piece));
                self.depths[self.count] = depth;
                self.count += 1;
            }
            Cut::Halves(left, right) => {
                self.add(left, depth + 1, cut);
                self.add(right, depth + 1, cut);
            }
        }
    }

    fn swap(&self, number: usize, piece: Piece<N, S>) -> Piece<N, S> {
        std::mem::replace(&mut *self.pieces[number].lock().unwrap_or_else(PoisonError::into_inner), piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_merged_along_the_tree() {
        // Uneven trees: a range is cut at a third, down to single numbers.
        let cut = |(first, end): (usize, usize)| match end - first {
            0 | 1 => Cut::Whole((first, end)),
            length => {
                let middle = first + length.div_ceil(3).min(length - 1);
                Cut::Halves((first, middle), (middle, end))
            }
        };
        let work = |(first, _)| format!("{first}");
        let merge = |left: String, right: String| format!("({left} {right})");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        for end in [1, 2, 3, 63, 64, 65, 1000] {
            let one = alone((0, end), &cut, &work, &merge);
            pool.install(|| {
                assert_eq!(fold((0, end), true, &cut, &work, &merge), one);
                assert_eq!(team::lead(|| fold((0, end), true, &cut, &work, &merge)), one);
            });
        }
    }
}
