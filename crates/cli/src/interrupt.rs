//! What Ctrl-C and a plain kill do: they end the process at once, or raise a flag where somebody looks at it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::{INTERRUPTED, output};

/// Whether somebody looks at the flag.
static IS_HEEDED: AtomicBool = AtomicBool::new(false);

/// The flag that an interrupt raises. Until somebody [heeds](heed) it, and once it is raised, an interrupt ends the process
/// at once.
pub fn flag() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let raised = flag.clone();
        // Without a handler Ctrl-C ends the process, which is no reason not to run.
        let _ = ctrlc::set_handler(move || {
            if !IS_HEEDED.load(Ordering::Relaxed) || raised.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(INTERRUPTED));
            }
            output::note("finishing the step and writing a checkpoint; once more to end at once");
        });
        flag
    })
    .clone()
}

/// From now on somebody looks at the flag.
pub fn heed() {
    IS_HEEDED.store(true, Ordering::Relaxed);
}
