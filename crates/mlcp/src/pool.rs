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

/// Both results of two tasks that may run at the same time, on any two threads of the pool. What interrupts this thread
/// interrupts both, and who looks at the solves of this thread sees those of both.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::AtomicBool;
/// use unstick_mlcp::{interruptible, is_interrupted, join};
///
/// let raised = Arc::new(AtomicBool::new(true));
/// assert_eq!(interruptible(&raised, || join(is_interrupted, is_interrupted)), (true, true));
/// assert_eq!(join(is_interrupted, is_interrupted), (false, false));
/// ```
pub fn join<A: Send, B: Send>(left: impl FnOnce() -> A + Send, right: impl FnOnce() -> B + Send) -> (A, B) {
    let here = || (interrupt::current(), witness::current());
    let ((flag, witness), (other_flag, other_witness)) = (here(), here());
    unstick_parallel::join(
        || interrupt::under(flag, || witness::under(witness, left)),
        || interrupt::under(other_flag, || witness::under(other_witness, right)),
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::{interruptible, is_interrupted};

    /// The left task holds its thread until the right one has run on another.
    #[test]
    fn a_task_that_another_thread_takes_is_interrupted_too() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let (raised, has_run) = (Arc::new(AtomicBool::new(true)), AtomicBool::new(false));
        let (left, right) = pool.install(|| {
            interruptible(&raised, || {
                let wait = || {
                    let begin = Instant::now();
                    while !has_run.load(Ordering::Acquire) && begin.elapsed() < Duration::from_secs(60) {
                        thread::yield_now();
                    }
                    thread::current().id()
                };
                let run = || {
                    has_run.store(true, Ordering::Release);
                    (thread::current().id(), is_interrupted())
                };
                join(wait, run)
            })
        });
        assert!(left != right.0 && right.1);
    }
}
