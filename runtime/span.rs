//! A piece of memory by address and length: what linkers, notes and sinks deal in; and a list of them.
//!
//! A `Span` promises nothing by itself: it may be read while other threads write to it (counters), so it is never turned
//! into a slice of live counters.

#![allow(unsafe_code)]

use core::mem::MaybeUninit;
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

    /// As many bytes, so many further on, which may be in another object. No bytes stay where they are.
    #[inline]
    pub fn moved(self, by: isize) -> Span {
        let address = self.start.expose_provenance().wrapping_add_signed(by);
        if self.len == 0 { self } else { Span { start: core::ptr::with_exposed_provenance(address), len: self.len } }
    }

    /// The address of the first byte as a number, as the header's deltas need it.
    #[inline]
    pub fn address(self) -> u64 {
        self.start as usize as u64
    }
}

/// A gather list. Its room is not cleared, which would take `memset`: a program's last moments are a bad time to look that up.
pub struct List<const N: usize> {
    spans: [MaybeUninit<Span>; N],
    /// So many of them are set.
    len: usize,
}

impl<const N: usize> List<N> {
    /// No spans.
    #[inline(always)]
    pub const fn new() -> List<N> {
        List { spans: [const { MaybeUninit::uninit() }; N], len: 0 }
    }

    /// Adds a span, if there is room.
    #[inline(always)]
    pub fn push(&mut self, span: Span) {
        if let Some(slot) = self.spans.get_mut(self.len) {
            slot.write(span);
            self.len = self.len.wrapping_add(1);
        }
    }

    /// Whether there is no more room.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.len == N
    }

    /// Takes all spans out.
    #[inline(always)]
    pub fn take(&mut self) -> &[Span] {
        let len = core::mem::replace(&mut self.len, 0);
        // SAFETY: the first `len` are set.
        unsafe { core::slice::from_raw_parts(self.spans.as_ptr().cast(), len) }
    }
}
