//! How fast this machine copies: the limit that large solves are held against.

use crate::clock::Instant;
use crate::vector;

/// Bytes of each of the two arrays: 128 MiB, more than caches hold.
pub const COPIED_BYTES: usize = 128 << 20;

/// The median of this many copies counts.
const REPETITIONS: usize = 9;

/// Bytes read and written per second by copying one array to another, on the threads of the pool
/// that this is called in.
///
/// ```no_run
/// let seconds = 217e6 / unstick_parallel::bandwidth::copy();
/// println!("217 MB cannot be moved in less than {seconds} s");
/// ```
pub fn copy() -> f64 {
    let from = vec![1.0; COPIED_BYTES / size_of::<f64>()];
    let mut to = vec![0.0; from.len()];
    let seconds = median_time(REPETITIONS, || vector::copy(&from, &mut to));
    2.0 * COPIED_BYTES as f64 / seconds.max(f64::MIN_POSITIVE)
}

/// Median seconds of a call, after one to warm up.
pub fn median_time(repetitions: usize, mut work: impl FnMut()) -> f64 {
    work();
    let time = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    let times: Vec<f64> = (0..repetitions).map(time).collect();
    median(&times)
}

/// The middle one of some numbers, or the mean of the middle two; NaN of none.
///
/// ```
/// use unstick_parallel::bandwidth::median;
/// assert_eq!((median(&[3.0, 1.0, 2.0]), median(&[1.0, 4.0])), (2.0, 2.5));
/// ```
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.len(), sorted.len() / 2) {
        (0, _) => f64::NAN,
        (count, middle) if count % 2 == 1 => sorted[middle],
        (_, middle) => 0.5 * (sorted[middle - 1] + sorted[middle]),
    }
}
