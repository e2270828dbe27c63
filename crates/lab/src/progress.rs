//! What a long measurement tells whoever watches.

/// Receives news of a measurement. Every method does nothing unless it is overridden.
pub trait Progress: Sync {
    /// What is about to begin, in a line.
    fn announce(&self, _text: &str) {}

    /// Something is not done the way that was asked for.
    fn warn(&self, _text: &str) {}

    /// Simulation of a scene begins at frame `from` and ends at frame `to`.
    fn begin_frames(&self, _title: &str, _from: usize, _to: usize) {}

    /// `count` measurements of a study begin.
    fn begin_measurements(&self, _study: &str, _count: usize) {}

    /// So many frames or measurements are done.
    fn reached(&self, _count: usize) {}

    /// What is being done right now.
    fn activity(&self, _text: &str) {}

    /// Whatever began is over.
    fn end(&self) {}
}

/// Nobody watches.
pub struct Silent;

impl Progress for Silent {}
