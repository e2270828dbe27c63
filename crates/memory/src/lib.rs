//! Memory for large arrays in huge pages.
//!
//! A solve at 256³ touches gigabytes of fresh memory. The system hands it out by pages of 4 KiB: each first touch waits
//! for it, and sixteen threads wait for each other. In pages of 2 MiB there are 512 times fewer waits, and far fewer
//! addresses for the processor to translate. On Linux most systems give such pages only to those who ask. Some of the pages
//! that are freed are kept for the next array of that size.
//!
//! A program asks with one line. Libraries leave the choice to the program.
//!
//! ```
//! #[global_allocator]
//! static MEMORY: unstick_memory::HugePages = unstick_memory::HugePages;
//!
//! let zeros = vec![0.0f64; 1 << 20]; // 8 MiB
//! assert!(zeros.iter().all(|&zero| zero == 0.0));
//! ```

#![allow(unsafe_code)] // an allocator is made of addresses; every block says why it is sound

use std::alloc::{GlobalAlloc, Layout, System};

#[cfg(target_os = "linux")]
mod kept;
#[cfg(target_os = "linux")]
mod pages;

/// Asks the system for huge pages for large arrays, and leaves all else to the allocator of the system.
pub struct HugePages;

/// Arrays from this size on get pages of their own.
#[cfg(target_os = "linux")]
const LARGE: usize = 4 << 20;

/// Whether an array gets pages of its own. It depends on its layout alone, so that whoever frees it knows.
#[cfg(target_os = "linux")]
fn is_large(size: usize, align: usize) -> bool {
    size >= LARGE && align <= pages::SMALL
}

// SAFETY: an array with pages of its own goes to `pages` from its birth to its death, every other one to `System`; both
// keep the contract. `is_large` tells them apart by size and alignment, which callers must repeat exactly.
#[cfg(target_os = "linux")]
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match is_large(layout.size(), layout.align()) {
            true => pages::map(layout.size(), false),
            // SAFETY: the caller's contract is that of `System`.
            false => unsafe { System.alloc(layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match is_large(layout.size(), layout.align()) {
            true => pages::map(layout.size(), true),
            // SAFETY: as above.
            false => unsafe { System.alloc_zeroed(layout) },
        }
    }

    unsafe fn dealloc(&self, array: *mut u8, layout: Layout) {
        match is_large(layout.size(), layout.align()) {
            // SAFETY: the caller gives back what `map` or `remap` gave it, with its size.
            true => unsafe { pages::unmap(array, layout.size()) },
            // SAFETY: as above.
            false => unsafe { System.dealloc(array, layout) },
        }
    }

    unsafe fn realloc(&self, array: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match (is_large(layout.size(), layout.align()), is_large(size, layout.align())) {
            // SAFETY: the caller owns `layout.size()` bytes at `array`, which came from `map` or `remap`.
            (true, true) => unsafe { pages::remap(array, layout.size(), size) },
            // SAFETY: as above.
            (false, false) => unsafe { System.realloc(array, layout, size) },
            // SAFETY: the caller promises that `size` suits the alignment. Old and new array are different ones, and both
            // have room for the shorter of the two sizes.
            _ => unsafe {
                let other = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
                if !other.is_null() {
                    std::ptr::copy_nonoverlapping(array, other, layout.size().min(size));
                    self.dealloc(array, layout);
                }
                other
            },
        }
    }
}

// SAFETY: all goes to the allocator of the system.
#[cfg(not(target_os = "linux"))]
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is that of `System`; so in the other three.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, array: *mut u8, layout: Layout) {
        unsafe { System.dealloc(array, layout) }
    }

    unsafe fn realloc(&self, array: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        unsafe { System.realloc(array, layout, size) }
    }
}
