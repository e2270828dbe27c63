//! How far a long job is, on a terminal.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use unstick_lab::Progress;

use crate::output;

/// Shows a bar while frames or measurements are counted, and a spinner otherwise.
///
/// A quiet one shows warnings alone.
pub struct TerminalProgress {
    is_shown: bool,
    bar: Mutex<Option<ProgressBar>>,
}

impl TerminalProgress {
    /// Shows nothing but warnings unless `is_shown`.
    pub fn new(is_shown: bool) -> Self {
        Self { is_shown, bar: Mutex::new(None) }
    }

    fn bar(&self) -> MutexGuard<'_, Option<ProgressBar>> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, bar: ProgressBar, template: &str, tick: Duration) {
        self.end();
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.enable_steady_tick(tick);
        *self.bar() = Some(bar);
    }
}

impl Progress for TerminalProgress {
    fn announce(&self, text: &str) {
        if self.is_shown {
            output::note(text);
        }
    }

    fn warn(&self, text: &str) {
        output::note(text);
    }

    fn begin_frames(&self, title: &str, from: usize, to: usize) {
        if self.is_shown {
            let bar = ProgressBar::new(to as u64).with_position(from as u64).with_message(title.to_owned());
            bar.reset_eta();
            let template = "{msg}  [{wide_bar:.cyan/blue}]  frame {pos} of {len}, {eta} left";
            self.begin(bar, template, Duration::from_millis(500));
        }
    }

    fn begin_measurements(&self, study: &str, count: usize) {
        if self.is_shown {
            let template = format!("{study}  [{{bar:24.cyan/blue}}]  {{pos}} of {{len}}, {{eta}} left  {{wide_msg}}");
            self.begin(ProgressBar::new(count as u64), &template, Duration::from_millis(500));
        }
    }

    fn reached(&self, count: usize) {
        if let Some(bar) = &*self.bar() {
            bar.set_position(count as u64);
        }
    }

    fn activity(&self, text: &str) {
        if self.is_shown && self.bar().is_none() {
            self.begin(ProgressBar::new_spinner(), "{spinner} {msg}, {elapsed}", Duration::from_millis(100));
        }
        if let Some(bar) = &*self.bar() {
            if bar.length().is_none() {
                bar.reset_elapsed(); // a spinner times each activity by itself
            }
            bar.set_message(text.to_owned());
        }
    }

    fn end(&self) {
        if let Some(bar) = self.bar().take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for TerminalProgress {
    fn drop(&mut self) {
        self.end();
    }
}
