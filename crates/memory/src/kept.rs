//! Pages that were given back, kept for the next array of about that size.
//!
//! A step makes and drops the same arrays as the step before. Fresh pages would be cleared by the system each time.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

/// Pages of one array.
#[derive(Clone, Copy)]
pub struct Pages {
    pub start: *mut u8,
    /// Bytes, a multiple of the page size.
    pub length: usize,
}

/// How many arrays are kept at most.
const MOST: usize = 64;

/// A kept one serves an array that needs at least this part of it, in eighths.
const LEAST_EIGHTHS: usize = 6;

/// What is kept. At most a quarter of what is in use: a program that frees its memory gives it back.
pub struct Kept {
    is_locked: AtomicBool,
    inner: UnsafeCell<Inner>,
}

struct Inner {
    pages: [Pages; MOST],
    count: usize,
    /// Bytes that are kept, and that are in use.
    kept: usize,
    used: usize,
}

// SAFETY: `with` lets one thread at a time touch `inner`. The addresses in it belong to nobody else.
unsafe impl Sync for Kept {}

impl Kept {
    pub const fn new() -> Self {
        let none = Pages { start: std::ptr::null_mut(), length: 0 };
        let inner = Inner { pages: [none; MOST], count: 0, kept: 0, used: 0 };
        Self { is_locked: AtomicBool::new(false), inner: UnsafeCell::new(inner) }
    }

    /// Pages that were kept and have at least `length` bytes, not many more. `length` counts as used from now on, whether
    /// there are any or not.
    pub fn take(&self, length: usize) -> Option<Pages> {
        self.with(|inner| {
            inner.used += length;
            let suits = |pages: &Pages| pages.length >= length && pages.length / 8 * LEAST_EIGHTHS <= length;
            let found =
                (0..inner.count).filter(|&at| suits(&inner.pages[at])).min_by_key(|&at| inner.pages[at].length)?;
            let pages = inner.pages[found];
            inner.count -= 1;
            inner.pages[found] = inner.pages[inner.count];
            inner.kept -= pages.length;
            Some(pages)
        })
    }

    /// Counts `length` as used no longer and keeps its pages, or hands them back if there is no room.
    pub fn keep(&self, pages: Pages) -> Option<Pages> {
        self.with(|inner| {
            inner.used = inner.used.saturating_sub(pages.length);
            if inner.count == MOST || inner.kept + pages.length > inner.used / 4 {
                return Some(pages);
            }
            inner.pages[inner.count] = pages;
            inner.count += 1;
            inner.kept += pages.length;
            None
        })
    }

    /// Counts an array that has become longer or shorter.
    pub fn resize(&self, length: usize, new: usize) {
        self.with(|inner| inner.used = (inner.used + new).saturating_sub(length));
    }

    /// One of those that are kept beyond a quarter of what is in use.
    pub fn surplus(&self) -> Option<Pages> {
        self.with(|inner| {
            if inner.kept <= inner.used / 4 || inner.count == 0 {
                return None;
            }
            inner.count -= 1;
            let pages = inner.pages[inner.count];
            inner.kept -= pages.length;
            Some(pages)
        })
    }

    /// Runs `work` while no other thread does. It is over in less than a microsecond, so waiting threads spin.
    fn with<R>(&self, work: impl FnOnce(&mut Inner) -> R) -> R {
        while self.is_locked.swap(true, Ordering::Acquire) {
            std::hint::spin_loop();
        }
        // SAFETY: the flag was false and is true now: no other thread is here until it is false again. `work` does not
        // panic and does not allocate.
        let result = work(unsafe { &mut *self.inner.get() });
        self.is_locked.store(false, Ordering::Release);
        result
    }
}
