//! Named places in the writing of files where tests let it fail. Without the feature `faults` they do nothing.
//!
//! A test names a place and a file, not a moment: what happens there is the same every time.

use std::io;
use std::path::Path;

/// A place in the writing of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// Before bytes are written.
    Write,
    /// The temporary file is complete; the file does not have its name yet.
    Rename,
    /// The file has its name.
    Renamed,
    /// Before lines are added to a table.
    Append,
}

impl Point {
    /// Its name in tests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Rename => "rename",
            Self::Renamed => "renamed",
            Self::Append => "append",
        }
    }
}

/// What happens at a place: nothing, an error, or the end of the process.
#[cfg(feature = "faults")]
type Hook = Box<dyn Fn(Point, &Path) -> io::Result<()> + Send + Sync>;

#[cfg(feature = "faults")]
static HOOK: std::sync::OnceLock<Hook> = std::sync::OnceLock::new();

/// Calls a function at every place from now on, in this process. The first one stays.
#[cfg(feature = "faults")]
pub fn set_hook(hook: impl Fn(Point, &Path) -> io::Result<()> + Send + Sync + 'static) {
    let _ = HOOK.set(Box::new(hook));
}

/// Who writes passes here.
#[inline]
pub fn pass(point: Point, path: &Path) -> io::Result<()> {
    #[cfg(feature = "faults")]
    if let Some(hook) = HOOK.get() {
        return hook(point, path);
    }
    let _ = (point, path);
    Ok(())
}
