//! Work that Ctrl-C can end.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

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
            let result = work(&stop);
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
