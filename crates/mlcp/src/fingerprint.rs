//! Numbers that tell whether something is what it was before: others have them only by an accident that nobody lives to see.

use unstick_parallel as parallel;

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The fingerprint of what has the fingerprint `hash` and, behind it, a word.
pub(crate) fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(29) ^ word).wrapping_mul(MULTIPLIER)
}

/// The fingerprint of some values, each known by a word.
pub(crate) fn of<T: Sync>(values: &[T], word: impl Fn(&T) -> u64 + Sync) -> u64 {
    let of_block = |values: &[T]| values.iter().fold(MULTIPLIER, |hash, value| mix(hash, word(value)));
    mix(parallel::fold(values, &of_block, &mix), values.len() as u64)
}
