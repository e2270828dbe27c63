//! Work that Ctrl-C can end.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Whether this process was forked from one that had the package loaded.
static IS_FORKED: AtomicBool = AtomicBool::new(false);

/// The threads of a forked process. Those of the process it came from do not exist there.
static OWN_POOL: Mutex<Option<Arc<ThreadPool>>> = Mutex::new(None);

/// What Python calls in a child after a fork.
#[pyfunction]
pub fn after_fork() {
    IS_FORKED.store(true, Ordering::Release);
    // The pool of a forked parent has no threads here to be told that it ends.
    std::mem::forget(OWN_POOL.lock().unwrap_or_else(PoisonError::into_inner).take());
}

/// The threads to work on, where they are not the usual ones.
fn own_pool() -> Option<Arc<ThreadPool>> {
    if !IS_FORKED.load(Ordering::Acquire) {
        return None;
    }
    let mut pool = OWN_POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if pool.is_none() {
        *pool = ThreadPoolBuilder::new().build().ok().map(Arc::new);
    }
    pool.clone()
}

/// How often signals are looked for.
const INTERVAL: Duration = Duration::from_millis(20);

/// Does `work` on a thread of its own, without the interpreter's lock, and looks for signals meanwhile.
///
/// When a signal handler raises (as that of Ctrl-C does), the flag is raised, on which `work` must end soon;
/// then the exception goes its way. Handlers run on the main thread alone: called from another one, this
/// merely waits.
pub fn interruptibly<T: Send>(py: Python<'_>, work: impl FnOnce(&Arc<AtomicBool>) -> T + Send) -> PyResult<T> {
    let (stop, is_done, waiting) = (Arc::new(AtomicBool::new(false)), AtomicBool::new(false), thread::current());
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let result = match own_pool() {
                Some(pool) => pool.install(|| work(&stop)),
                None => work(&stop),
            };
            is_done.store(true, Ordering::Release);
            waiting.unpark();
            result
        });
        let mut exception = None;
        while exception.is_none() && !is_done.load(Ordering::Acquire) && !worker.is_finished() {
            py.detach(|| thread::park_timeout(INTERVAL));
            exception = py.check_signals().err();
        }
        stop.store(exception.is_some(), Ordering::Relaxed);
        let result = py.detach(|| worker.join());
        match exception {
            Some(exception) => Err(exception),
            None => Ok(result.unwrap_or_else(|panic| resume_unwind(panic))),
        }
    })
}
