//! Loops over long arrays on every thread, with the same bits for any number of threads.
//!
//! A loop is cut into blocks. The borders depend on the length of the loop only. Reductions are
//! combined along a fixed binary tree. Threads decide who works on a block, never what is added to
//! what. Nothing is allocated.
//!
//! ```
//! use unstick_parallel::{self as parallel, vector};
//!
//! let (x, mut y) = (vec![1.0; 10_000], vec![2.0; 10_000]);
//! parallel::for_each((x.as_slice(), y.as_mut_slice()), |(x, y)| {
//!     x.iter().zip(y).for_each(|(x, y)| *y += 3.0 * x);
//! });
//! assert_eq!(vector::norm_max(&y), 5.0);
//! ```

pub mod bandwidth;
pub mod binary;
mod chunks;
pub mod clock;
pub mod exact;
pub mod simd;
mod team;
mod tree;
pub mod tridiagonal;
pub mod vector;

pub use chunks::Chunks;
pub use team::lead;

use std::ops::Range;

use tree::Cut;

/// Entries that one call of a kernel sees at most: 32 KiB of `f64`, the size of a first-level cache.
pub const BLOCK: usize = 4096;

/// Below this length handing work to another thread costs more than it saves.
const WORTH_SHARING: usize = 8 * BLOCK;

/// The same for entries that lie scattered in memory or are lists to be searched: each takes as long as dozens in a row.
const SCATTERED_BLOCK: usize = 64;
const SCATTERED_WORTH_SHARING: usize = 16 * SCATTERED_BLOCK;

/// Equally long arrays (or an index range) that are cut at the same places.
pub trait Lanes: Send + Sized {
    /// Common length. Lanes of different length are a programming error and panic.
    fn length(&self) -> usize;
    /// Cuts every lane at `middle`.
    fn cut(self, middle: usize) -> (Self, Self);
}

impl<T: Sync> Lanes for &[T] {
    fn length(&self) -> usize {
        self.len()
    }
    fn cut(self, middle: usize) -> (Self, Self) {
        self.split_at(middle)
    }
}

impl<T: Send> Lanes for &mut [T] {
    fn length(&self) -> usize {
        self.len()
    }
    fn cut(self, middle: usize) -> (Self, Self) {
        self.split_at_mut(middle)
    }
}

impl Lanes for Range<usize> {
    fn length(&self) -> usize {
        self.len()
    }
    fn cut(self, middle: usize) -> (Self, Self) {
        let middle = self.start + middle;
        (self.start..middle, middle..self.end)
    }
}

macro_rules! lanes_of_tuples {
    ($($first:ident $(, $rest:ident)*);+) => {$(
        #[allow(non_snake_case)]
        impl<$first: Lanes $(, $rest: Lanes)*> Lanes for ($first, $($rest,)*) {
            fn length(&self) -> usize {
                let ($first, $($rest,)*) = self;
                let length = $first.length();
                $(assert_eq!($rest.length(), length, "lanes of different length");)*
                length
            }
            fn cut(self, middle: usize) -> (Self, Self) {
                let ($first, $($rest,)*) = self;
                let $first = $first.cut(middle);
                $(let $rest = $rest.cut(middle);)*
                (($first.0, $($rest.0,)*), ($first.1, $($rest.1,)*))
            }
        }
    )+};
}
lanes_of_tuples!(A, B; A, B, C; A, B, C, E; A, B, C, E, F; A, B, C, E, F, G);

/// Calls `kernel` on every block.
pub fn for_each<L: Lanes>(lanes: L, kernel: impl Fn(L) + Sync) {
    fold(lanes, &kernel, &|(), ()| ());
}

/// Sum of `kernel` over all blocks, added in a fixed order.
pub fn sum<L: Lanes>(lanes: L, kernel: impl Fn(L) -> f64 + Sync) -> f64 {
    fold(lanes, &kernel, &|a, b| a + b)
}

/// Largest `kernel` over all blocks; NaN where any block gives NaN, so that it cannot hide.
pub fn max<L: Lanes>(lanes: L, kernel: impl Fn(L) -> f64 + Sync) -> f64 {
    fold(lanes, &kernel, &larger)
}

/// The larger of two numbers, NaN if either is.
#[inline]
pub fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// Combines `kernel` over all blocks along a tree that depends on the length alone.
pub fn fold<L: Lanes, S: Send>(lanes: L, kernel: &(impl Fn(L) -> S + Sync), merge: &(impl Fn(S, S) -> S + Sync)) -> S {
    fold_blocks::<BLOCK, WORTH_SHARING, L, S>(lanes, kernel, merge)
}

/// The same in small blocks, for kernels that spend much time on each entry.
pub fn fold_scattered<L: Lanes, S: Send>(
    lanes: L,
    kernel: &(impl Fn(L) -> S + Sync),
    merge: &(impl Fn(S, S) -> S + Sync),
) -> S {
    fold_blocks::<SCATTERED_BLOCK, SCATTERED_WORTH_SHARING, L, S>(lanes, kernel, merge)
}

/// Calls `kernel` on every small block: for kernels that spend much time on each entry.
pub fn for_each_scattered<L: Lanes>(lanes: L, kernel: impl Fn(L) + Sync) {
    fold_scattered(lanes, &kernel, &|(), ()| ());
}

fn fold_blocks<const SIZE: usize, const SHARED: usize, L: Lanes, S: Send>(
    lanes: L,
    kernel: &(impl Fn(L) -> S + Sync),
    merge: &(impl Fn(S, S) -> S + Sync),
) -> S {
    let cut = |lanes: L| match lanes.length() {
        length if length <= SIZE => Cut::Whole(lanes),
        length => halves(lanes.cut(length.div_ceil(SIZE) / 2 * SIZE)),
    };
    let is_shared = tree::is_worth_sharing(lanes.length(), SHARED);
    tree::fold(lanes, is_shared, &cut, kernel, merge)
}

fn halves<N>((left, right): (N, N)) -> Cut<N> {
    Cut::Halves(left, right)
}

/// What `find` lists for every block, in their order.
///
/// ```
/// let even = unstick_parallel::list(0..50_000, |range| range.filter(|number| number % 2 == 0).collect());
/// assert!(even.len() == 25_000 && even.is_sorted());
/// ```
pub fn list<L: Lanes, T: Copy + Send + Sync>(lanes: L, find: impl Fn(L) -> Vec<T> + Sync) -> Vec<T> {
    let mut all = Vec::new();
    list_to(&mut all, lanes, find);
    all
}

/// The same in the memory of another list.
pub fn list_to<L: Lanes, T: Copy + Send + Sync>(all: &mut Vec<T>, lanes: L, find: impl Fn(L) -> Vec<T> + Sync) {
    concatenate(&fold(lanes, &|lanes| vec![find(lanes)], &in_order), all);
}

/// The same for small blocks: for kernels that spend much time on each entry.
pub fn list_scattered<L: Lanes, T: Copy + Send + Sync>(lanes: L, find: impl Fn(L) -> Vec<T> + Sync) -> Vec<T> {
    let mut all = Vec::new();
    concatenate(&fold_scattered(lanes, &|lanes| vec![find(lanes)], &in_order), &mut all);
    all
}

fn in_order<T>(mut left: Vec<T>, right: Vec<T>) -> Vec<T> {
    left.extend(right);
    left
}

/// Writes many lists to one, in its memory.
pub fn concatenate<T: Copy + Send + Sync>(parts: &[impl AsRef<[T]> + Sync], all: &mut Vec<T>) {
    let Some(&any) = parts.iter().flat_map(|part| part.as_ref()).next() else { return all.clear() };
    resize(all, parts.iter().map(|part| part.as_ref().len()).sum(), any);
    copy_parts(parts, all);
}

fn copy_parts<T: Copy + Send + Sync, P: AsRef<[T]> + Sync>(parts: &[P], all: &mut [T]) {
    fn cut<'p, T, P: AsRef<[T]>>((parts, all): (&'p [P], &'p mut [T])) -> Cut<(&'p [P], &'p mut [T])> {
        match parts.len() {
            0 | 1 => Cut::Whole((parts, all)),
            count => {
                let (left, right) = parts.split_at(count / 2);
                let (all_left, all_right) = all.split_at_mut(left.iter().map(|part| part.as_ref().len()).sum());
                Cut::Halves((left, all_left), (right, all_right))
            }
        }
    }
    let is_shared = all.len() >= BLOCK;
    let copy = |(parts, all): (&[P], &mut [T])| parts.iter().for_each(|part| all.copy_from_slice(part.as_ref()));
    tree::fold((parts, all), is_shared, &cut, &copy, &|(), ()| ());
}

/// Calls `kernel` with the number of each of some ascending `places` and the value there. `first` is the place of the
/// first of the values.
///
/// ```
/// let mut values = [0; 5];
/// unstick_parallel::for_each_at(&[11, 14], 10, &mut values, |number, value| *value = number + 1);
/// assert_eq!(values, [0, 1, 0, 0, 2]);
/// ```
pub fn for_each_at<T: Send>(places: &[u32], first: usize, values: &mut [T], kernel: impl Fn(usize, &mut T) + Sync) {
    fn cut<'p, T>(Places { number, places, first, values }: Places<'p, T>) -> Cut<Places<'p, T>> {
        if places.len() <= SCATTERED_BLOCK {
            return Cut::Whole(Places { number, places, first, values });
        }
        let half = places.len() / 2;
        let (left, right) = places.split_at(half);
        let middle = right[0] as usize;
        let (values, values_right) = values.split_at_mut(middle - first);
        let right = Places { number: number + half, places: right, first: middle, values: values_right };
        Cut::Halves(Places { number, places: left, first, values }, right)
    }
    let visit = |Places { number, places, first, values }: Places<T>| {
        (number..).zip(places).for_each(|(number, &place)| kernel(number, &mut values[place as usize - first]));
    };
    let is_shared = tree::is_worth_sharing(places.len(), SCATTERED_WORTH_SHARING);
    tree::fold(Places { number: 0, places, first, values }, is_shared, &cut, &visit, &|(), ()| ());
}

/// Ascending places with the number of the first of them, and the values from `first` on.
struct Places<'p, T> {
    number: usize,
    places: &'p [u32],
    first: usize,
    values: &'p mut [T],
}

/// Makes `count` equal values of a vector, in its memory.
pub fn refill<T: Copy + Send + Sync>(values: &mut Vec<T>, count: usize, value: T) {
    let known = values.len().min(count);
    for_each(&mut values[..known], |values| values.fill(value));
    resize(values, count, value);
}

/// Equal values.
pub fn filled<T: Copy + Send + Sync>(count: usize, value: T) -> Vec<T> {
    let mut values = Vec::new();
    resize(&mut values, count, value);
    values
}

/// The same values in memory of their own.
///
/// ```
/// assert_eq!(unstick_parallel::copied(&[3, 1, 2]), [3, 1, 2]);
/// ```
pub fn copied<T: Copy + Send + Sync>(values: &[T]) -> Vec<T> {
    let Some(&any) = values.first() else { return Vec::new() };
    let mut copy = filled(values.len(), any);
    for_each((values, copy.as_mut_slice()), |(values, copy)| copy.copy_from_slice(values));
    copy
}

/// Makes a vector longer by equal values, or shorter.
///
/// All threads write what is new: the first to touch a page of fresh memory waits for the system.
///
/// ```
/// let mut values = vec![1.0; 3];
/// unstick_parallel::resize(&mut values, 100_000, 2.0);
/// assert_eq!((values[2], values[3], values[99_999], values.len()), (1.0, 2.0, 2.0, 100_000));
/// unstick_parallel::resize(&mut values, 1, 2.0);
/// assert_eq!(values, [1.0]);
/// ```
#[allow(unsafe_code)]
pub fn resize<T: Copy + Send + Sync>(values: &mut Vec<T>, count: usize, value: T) {
    let Some(missing) = count.checked_sub(values.len()) else { return values.truncate(count) };
    values.reserve(missing);
    for_each(&mut values.spare_capacity_mut()[..missing], |slots| {
        slots.iter_mut().for_each(|slot| _ = slot.write(value));
    });
    // SAFETY: the capacity is `count` at least, and the loop has written every slot from the old length to `count`.
    unsafe { values.set_len(count) };
}

/// Both results of two tasks that may run at the same time.
///
/// Rayon's machinery behind it is large. It is compiled here once, not for every pair of tasks.
pub fn join<A: Send, B: Send>(left: impl FnOnce() -> A + Send, right: impl FnOnce() -> B + Send) -> (A, B) {
    let (mut tasks, mut results) = ((Some(left), Some(right)), (None, None));
    join_tasks(&mut || results.0 = tasks.0.take().map(|task| task()), &mut || {
        results.1 = tasks.1.take().map(|task| task())
    });
    (results.0.expect("the left task ran"), results.1.expect("the right task ran"))
}

#[inline(never)]
fn join_tasks(left: &mut (dyn FnMut() + Send), right: &mut (dyn FnMut() + Send)) {
    team::wake();
    rayon::join(left, right);
}

/// Calls `kernel` with the number and the values of every chunk of `size` values. The last chunk may be shorter.
///
/// ```
/// let mut values = [0; 5];
/// unstick_parallel::for_each_chunk(&mut values, 2, |number, chunk| chunk.fill(number));
/// assert_eq!(values, [0, 0, 1, 1, 2]);
/// ```
pub fn for_each_chunk<T: Send>(values: &mut [T], size: usize, kernel: impl Fn(usize, &mut [T]) + Sync) {
    fn cut<T>((first, size, values): (usize, usize, &mut [T])) -> Cut<(usize, usize, &mut [T])> {
        match values.len().div_ceil(size) {
            0 | 1 => Cut::Whole((first, size, values)),
            count => {
                let (left, right) = values.split_at_mut(count / 2 * size);
                Cut::Halves((first, size, left), (first + count / 2, size, right))
            }
        }
    }
    let visit = |(first, _, values): (usize, usize, &mut [T])| {
        if !values.is_empty() {
            kernel(first, values);
        }
    };
    tree::fold((0, size, values), true, &cut, &visit, &|(), ()| ());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_the_same_bits_for_any_number_of_threads() {
        let values: Vec<f64> = (0..300_001).map(|i| (i as f64 * 0.7).sin() / (1.0 + i as f64)).collect();
        let total = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| sum(values.as_slice(), |block| block.iter().sum()))
        };
        let one = total(1);
        assert!([2, 3, 7].iter().all(|&threads| total(threads).to_bits() == one.to_bits()));
        assert!((one - values.iter().sum::<f64>()).abs() < 1e-12);
    }

    #[test]
    fn a_nan_is_never_lost_in_a_maximum() {
        assert!(larger(f64::NAN, 1.0).is_nan() && larger(1.0, f64::NAN).is_nan());
        assert_eq!(larger(2.0, 1.0), 2.0);
    }

    #[test]
    fn every_index_is_visited_once() {
        let mut seen = vec![0u8; 100_003];
        for_each((0..100_003, seen.as_mut_slice()), |(range, seen)| {
            range.zip(seen).for_each(|(index, seen)| *seen += 1 + (index == usize::MAX) as u8);
        });
        assert!(seen.iter().all(|&count| count == 1));
    }
}
