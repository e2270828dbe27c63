//! Progress on the terminal, and Ctrl-C.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::output;

/// A bar on a terminal; nothing anywhere else.
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    /// A bar of `frames`, of which some are there already.
    pub fn new(shown: bool, title: &str, done: usize, frames: usize) -> Self {
        let bar = if shown { ProgressBar::new(frames as u64) } else { ProgressBar::hidden() };
        let template = "{msg}  [{wide_bar:.cyan/blue}]  frame {pos} of {len}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(title.to_owned());
        bar.set_position(done as u64);
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_millis(500));
        Self { bar }
    }

    /// That frame is there.
    pub fn reached(&self, frame: usize) {
        self.bar.set_position(frame as u64);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A flag that Ctrl-C raises; a second Ctrl-C ends the process.
pub fn stop_on_interrupt() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let raised = flag.clone();
        // Without a handler Ctrl-C ends the process, which is no reason not to run.
        let _ = ctrlc::set_handler(move || {
            if raised.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(crate::INTERRUPTED));
            }
            output::note("finishing the step and writing a checkpoint; once more to end at once");
        });
        flag
    })
    .clone()
}
