//! How much time and memory an input takes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write as _;
use std::time::Duration;

/// An input that takes longer is reported.
pub const SLOW: Duration = Duration::from_secs(5);

/// An input for which a thread holds more bytes is reported.
pub const LARGE: i64 = 2 << 30;

thread_local! {
    static HELD: Cell<i64> = const { Cell::new(0) };
    static MOST: Cell<i64> = const { Cell::new(0) };
    static ROUND: Cell<(&'static str, usize)> = const { Cell::new(("", 0)) };
}

/// The system's allocator, which counts for each thread what it holds.
pub struct Counting;

// SAFETY: every call goes to the system's allocator unchanged; counting touches nothing but this thread's numbers.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as i64 - layout.size() as i64);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn count(bytes: i64) {
    // A thread that ends frees memory after its numbers are gone.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        let most = MOST.with(|most| most.replace(most.get().max(held.get())));
        if most <= LARGE && held.get() > LARGE {
            // Told at once: the process may not live long enough to tell it later.
            let (target, round) = ROUND.get();
            let _ = writeln!(std::io::stderr(), "{target}: round {round} holds {} bytes", held.get());
        }
    });
}

/// Begins to count for an input.
pub fn begin(target: &'static str, round: usize) {
    ROUND.set((target, round));
    HELD.set(0);
    MOST.set(0);
}

/// The most bytes that this thread has held since [`begin`].
pub fn most_bytes() -> i64 {
    MOST.get()
}
