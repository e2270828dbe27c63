//! Work inside of the thread pool.

use crate::{interrupt, witness};

/// Does `work` on a thread of the pool, where parallel loops start without delay. What interrupts this thread interrupts
/// `work`, and who looks at the solves of this thread sees those of `work`.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::AtomicBool;
/// use unstick_mlcp::{in_pool, interruptible, is_interrupted};
///
/// let raised = Arc::new(AtomicBool::new(true));
/// assert!(interruptible(&raised, || in_pool(is_interrupted)));
/// assert!(!in_pool(is_interrupted));
/// ```
pub fn in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let (flag, witness) = (interrupt::current(), witness::current());
    rayon::scope(|_| unstick_parallel::lead(|| interrupt::under(flag, || witness::under(witness, work))))
}
