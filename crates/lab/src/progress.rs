//! News of a long measurement.

/// Receives news of a measurement. Every method does nothing unless it is overridden.
pub trait Progress: Sync {
    /// One line on what is about to begin.
    fn announce(&self, _text: &str) {}

    /// Something is done in another way than requested.
    fn warn(&self, _text: &str) {}

    /// Simulation of a scene begins at frame `from` and ends at frame `to`.
    fn begin_frames(&self, _title: &str, _from: usize, _to: usize) {}

    /// `count` measurements of a study begin.
    fn begin_measurements(&self, _study: &str, _count: usize) {}

    /// So many frames or measurements are done.
    fn reached(&self, _count: usize) {}

    /// What is going on now.
    fn activity(&self, _text: &str) {}

    /// The frames, measurements or activity are over.
    fn end(&self) {}
}

/// Ignores all news.
pub struct Silent;

impl Progress for Silent {}
