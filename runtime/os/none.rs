//! No operating system: no pages, no threads that we know of, no files.

/// There are none.
pub fn map_pages(_len: usize) -> Option<*mut u8> {
    None
}

/// There were none.
pub fn unmap_pages(_start: *mut u8, _len: usize) {}

/// No sanitizer.
#[inline(always)]
pub fn initialized(_start: *const u8, _len: usize) {}

/// Whether plain additions are enough. Unknown here: other cores or interrupt handlers may count too.
#[inline(always)]
pub fn single_threaded() -> bool {
    false
}

/// Nothing that tells threads apart.
#[inline(always)]
pub fn thread_pointer() -> Option<usize> {
    None
}
