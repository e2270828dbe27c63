//! Work that goes on beside a run.

use std::thread::JoinHandle;

use super::RunError;

/// One job at a time on a thread of its own, while the run computes what comes next.
///
/// What goes wrong in a job is told by the call after it. A job that has begun is always finished, also when this is
/// dropped.
#[derive(Debug, Default)]
pub(super) struct Background {
    working: Option<JoinHandle<Result<(), RunError>>>,
}

impl Background {
    /// Begins a job when the one before is done.
    pub fn begin(&mut self, job: impl FnOnce() -> Result<(), RunError> + Send + 'static) -> Result<(), RunError> {
        self.wait()?;
        self.working = Some(std::thread::spawn(job));
        Ok(())
    }

    /// Waits until the job that was begun last is done.
    pub fn wait(&mut self) -> Result<(), RunError> {
        match self.working.take() {
            Some(working) => working.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            None => Ok(()),
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(working) = self.working.take() {
            let _ = working.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn jobs_follow_each_other_and_their_errors_are_told_once() {
        let done = Arc::new(AtomicUsize::new(0));
        let mut background = Background::default();
        for job in 0..3 {
            let done = done.clone();
            let in_turn = move || {
                std::thread::sleep(std::time::Duration::from_millis(5));
                assert_eq!(done.fetch_add(1, Ordering::SeqCst), job);
                Ok(())
            };
            background.begin(in_turn).unwrap();
        }
        background.begin(|| Err(RunError::OtherFrames)).unwrap();
        assert_eq!(done.load(Ordering::SeqCst), 3);
        assert!(matches!(background.wait(), Err(RunError::OtherFrames)) && background.wait().is_ok());
    }
}
