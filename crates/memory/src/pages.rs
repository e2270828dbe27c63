//! Whole pages from the system.

use std::ptr;

use crate::kept::{Kept, Pages};

/// Bytes of an ordinary page.
pub const SMALL: usize = 4096;

/// Bytes of a huge page.
const HUGE: usize = 2 << 20;

static KEPT: Kept = Kept::new();

/// Pages for an array, from a multiple of [`HUGE`] on; null if there are none. With `is_zero` they are new and zero.
pub fn map(size: usize, is_zero: bool) -> *mut u8 {
    let Some(length) = in_pages(size) else { return ptr::null_mut() };
    let known = if is_zero { None } else { KEPT.take(length) };
    if is_zero {
        KEPT.resize(0, length);
    }
    let array = match known {
        // SAFETY: the pages belong to nobody, and the part behind `length` bytes stays unused.
        Some(pages) => unsafe {
            release(pages.start.add(length), pages.length - length);
            pages.start
        },
        None => map_new(length),
    };
    if array.is_null() {
        KEPT.resize(length, 0);
    }
    array
}

/// New pages.
fn map_new(length: usize) -> *mut u8 {
    // So much more that a part of it begins where a huge page does. What nobody touches takes no memory.
    let Some(all) = length.checked_add(HUGE) else { return ptr::null_mut() };
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping at an address that the system chooses touches nothing that exists.
    let start = unsafe { libc::mmap(ptr::null_mut(), all, access, kind, -1, 0) };
    if start == libc::MAP_FAILED {
        return ptr::null_mut();
    }
    let start = start.cast::<u8>();
    let before = start.align_offset(HUGE).min(HUGE);
    // SAFETY: `before` + `length` is at most `all`, so both ends lie in the mapping made above, which nobody else knows.
    // Advice changes no contents; where the system does not take it, pages are small.
    unsafe {
        let array = start.add(before);
        release(start, before);
        release(array.add(length), all - before - length);
        libc::madvise(array.cast(), length, libc::MADV_HUGEPAGE);
        array
    }
}

/// Takes the pages of an array back, for another array or for the system.
///
/// # Safety
/// They must come from [`map`] or [`remap`], and nobody may use them any more.
pub unsafe fn unmap(array: *mut u8, size: usize) {
    let Some(length) = in_pages(size) else { return };
    let mut unwanted = KEPT.keep(Pages { start: array, length });
    while let Some(pages) = unwanted {
        // SAFETY: the caller's promise, now or when these were kept.
        unsafe { release(pages.start, pages.length) };
        unwanted = KEPT.surplus();
    }
}

/// Gives pages to the system.
///
/// # Safety
/// They must be mapped, and nobody may use them any more.
unsafe fn release(start: *mut u8, length: usize) {
    if length > 0 {
        // SAFETY: the caller's promise.
        unsafe { libc::munmap(start.cast(), length) };
    }
}

/// Makes an array longer or shorter, elsewhere if need be; its pages move without being copied. Null if there is no room,
/// and the array stays as it is.
///
/// # Safety
/// As for [`unmap`]; the old address is good no longer unless the result is null.
pub unsafe fn remap(array: *mut u8, size: usize, new: usize) -> *mut u8 {
    let (Some(length), Some(new)) = (in_pages(size), in_pages(new)) else { return ptr::null_mut() };
    // SAFETY: the caller's promise.
    let moved = unsafe { libc::mremap(array.cast(), length, new, libc::MREMAP_MAYMOVE) };
    if moved == libc::MAP_FAILED {
        return ptr::null_mut();
    }
    KEPT.resize(length, new);
    moved.cast()
}

/// A size rounded up to whole pages.
fn in_pages(size: usize) -> Option<usize> {
    size.checked_next_multiple_of(SMALL)
}
