//! A piece of memory by address and length: what linkers, notes and sinks deal in.
//!
//! A `Span` promises nothing by itself: it may be read while other threads write to it (counters), so it is never turned
//! into a slice of live counters.

use core::ptr;

/// `len` bytes from `start` on. The layout is that of POSIX `struct iovec`, so that a gather list of spans is one.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Span {
    /// First byte; may be null when `len` is 0.
    pub start: *const u8,
    /// Length in bytes.
    pub len: usize,
}

impl Span {
    /// No bytes.
    pub const EMPTY: Span = Span { start: ptr::null(), len: 0 };

    /// The bytes of a slice. The caller keeps the slice alive while the span is used.
    #[inline]
    pub const fn of(bytes: &[u8]) -> Span {
        Span { start: bytes.as_ptr(), len: bytes.len() }
    }

    /// From `start` up to `stop`; empty when `stop` is not above `start`, as for absent sections.
    #[inline]
    pub fn between(start: *const u8, stop: *const u8) -> Span {
        let len = (stop as usize).saturating_sub(start as usize);
        Span { start, len }
    }

    /// The first `len` bytes, or all when there are fewer.
    #[inline]
    pub fn prefix(self, len: usize) -> Span {
        Span { start: self.start, len: if len < self.len { len } else { self.len } }
    }

    /// What is left behind the first `len` bytes.
    #[inline]
    pub fn skip(self, len: usize) -> Span {
        let len = if len < self.len { len } else { self.len };
        Span { start: self.start.wrapping_add(len), len: self.len.wrapping_sub(len) }
    }

    /// As many bytes, so many further on. No bytes stay where they are.
    #[inline]
    pub fn moved(self, by: isize) -> Span {
        if self.len == 0 { self } else { Span { start: self.start.wrapping_offset(by), len: self.len } }
    }

    /// The address of the first byte as a number, as the header's deltas need it.
    #[inline]
    pub fn address(self) -> u64 {
        self.start as usize as u64
    }
}
