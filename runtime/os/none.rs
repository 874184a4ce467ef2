//! Without an operating system: no pages, no files, and threads are not known.

/// Returns `None`: pages cannot be mapped.
pub fn map_pages(_len: usize) -> Option<*mut u8> {
    None
}

/// Does nothing, since nothing was mapped.
pub fn unmap_pages(_start: *mut u8, _len: usize) {}

/// Does nothing, since there is no MemorySanitizer.
#[inline(always)]
pub fn initialized(_start: *const u8, _len: usize) {}

/// Returns `false`: other cores or interrupt handlers may count, too.
#[inline(always)]
pub fn single_threaded() -> bool {
    false
}

/// Returns `None`: threads cannot be distinguished.
#[inline(always)]
pub fn thread_pointer() -> Option<usize> {
    None
}
