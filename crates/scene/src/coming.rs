//! Frames that are on their way.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::frame::Frame;
use crate::run::RunError;

/// Brings a frame, or says why there is none.
type Arrive<const D: usize> = Box<dyn FnOnce() -> Result<Frame<D>, String> + Send>;

/// A frame that may still be on its way from a device. Steps go on meanwhile. Whoever needs it first waits for it and
/// makes it; all others share that one.
pub struct ComingFrame<const D: usize> {
    arrive: Mutex<Option<Arrive<D>>>,
    arrived: OnceLock<Result<Arc<Frame<D>>, String>>,
}

impl<const D: usize> ComingFrame<D> {
    /// A frame that somebody brings.
    pub fn new(arrive: impl FnOnce() -> Result<Frame<D>, String> + Send + 'static) -> Self {
        Self { arrive: Mutex::new(Some(Box::new(arrive))), arrived: OnceLock::new() }
    }

    /// A frame that is there.
    pub fn there(frame: Arc<Frame<D>>) -> Self {
        Self { arrive: Mutex::new(None), arrived: Ok(frame).into() }
    }

    /// Whether nobody has to wait for it.
    pub fn is_there(&self) -> bool {
        self.arrived.get().is_some()
    }

    /// Waits for the frame. If the device was lost and what it has shown cannot be had again, that is an error.
    pub fn wait(&self) -> Result<Arc<Frame<D>>, RunError> {
        let arrived = self.arrived.get_or_init(|| {
            let arrive = self.arrive.lock().unwrap_or_else(PoisonError::into_inner).take();
            arrive.map_or_else(|| Err("what was to bring the frame has failed".into()), |arrive| arrive().map(Arc::new))
        });
        arrived.clone().map_err(RunError::Device)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use unstick_grid::Grid;

    use super::*;

    #[test]
    fn all_who_wait_share_one_frame() {
        let made = Arc::new(AtomicUsize::new(0));
        let count = made.clone();
        let coming = ComingFrame::new(move || {
            std::thread::sleep(std::time::Duration::from_millis(5));
            count.fetch_add(1, Ordering::SeqCst);
            Ok(Frame::at_rest(Grid::<2>::unit(4).unwrap(), |_| 1.0, |_| 1.0))
        });
        let frames: Vec<_> = std::thread::scope(|scope| {
            let waiting: Vec<_> = (0..3).map(|_| scope.spawn(|| coming.wait().unwrap())).collect();
            waiting.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(coming.is_there() && frames.iter().all(|frame| Arc::ptr_eq(frame, &frames[0])));
        assert_eq!(made.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_frame_that_is_lost_is_lost_for_all() {
        let coming = ComingFrame::<3>::new(|| Err("the device is lost".into()));
        for _ in 0..2 {
            assert!(matches!(coming.wait(), Err(RunError::Device(reason)) if reason == "the device is lost"));
        }
    }
}
