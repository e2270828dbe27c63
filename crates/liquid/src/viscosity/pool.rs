//! Arrays that the viscous solves of many steps share.
//!
//! A solve makes some sixty arrays, and so does that of the next step. Fresh memory for them would take longer than the solve:
//! the system clears every page before it hands it out.

use std::sync::{Mutex, PoisonError};

use unstick_parallel as parallel;

/// Arrays that nobody uses at present.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    double: Shelf<f64>,
    single: Shelf<f32>,
}

/// Those of one kind of number.
#[derive(Debug)]
pub(crate) struct Shelf<T>(Mutex<Vec<Vec<T>>>);

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// A kind of number that the pool has arrays of.
pub(super) trait Pooled: Copy + Send + Sync + Sized {
    fn shelf(pool: &Pool) -> &Shelf<Self>;
}

impl Pooled for f64 {
    fn shelf(pool: &Pool) -> &Shelf<Self> {
        &pool.double
    }
}

impl Pooled for f32 {
    fn shelf(pool: &Pool) -> &Shelf<Self> {
        &pool.single
    }
}

impl Pool {
    /// Equal values: in the shortest array with room for them, if it is not more than twice as long.
    pub(super) fn filled<T: Pooled>(&self, count: usize, value: T) -> Vec<T> {
        let mut kept = T::shelf(self).0.lock().unwrap_or_else(PoisonError::into_inner);
        let suits = |array: &Vec<T>| (count..=2 * count).contains(&array.capacity());
        let found = (0..kept.len()).filter(|&at| suits(&kept[at])).min_by_key(|&at| kept[at].capacity());
        // One that does not suit makes room for a new one, so that there are never more than a solve needs.
        let array = found.map(|at| kept.swap_remove(at)).or_else(|| kept.pop().map(|_| Vec::new()));
        drop(kept);
        let mut array = array.unwrap_or_default();
        parallel::refill(&mut array, count, value);
        array
    }

    /// The same values in an array of their own.
    pub(super) fn copied<T: Pooled>(&self, values: &[T]) -> Vec<T> {
        let Some(&any) = values.first() else { return Vec::new() };
        let mut copy = self.filled(values.len(), any);
        parallel::vector::copy(values, &mut copy);
        copy
    }

    /// Keeps arrays for others.
    pub(super) fn keep<T: Pooled>(&self, arrays: impl IntoIterator<Item = Vec<T>>) {
        let mut kept = T::shelf(self).0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(arrays.into_iter().filter(|array| array.capacity() > 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_that_was_kept_serves_again_if_it_suits() {
        let pool = Pool::default();
        let array = pool.filled(1000, 1.0);
        let place = array.as_ptr();
        pool.keep([array]);
        let again = pool.filled(900, 2.0);
        assert!(again.as_ptr() == place && again.len() == 900 && again.iter().all(|&value| value == 2.0));
        pool.keep([again]);
        // One that is far too long makes room.
        assert_eq!(pool.filled(10, 3.0), [3.0; 10]);
        assert!(pool.double.0.lock().unwrap().is_empty());
    }
}
