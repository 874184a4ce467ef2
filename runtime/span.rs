//! A piece of memory by address and length, and a list of such pieces.
//!
//! A `Span` promises nothing by itself: it may be read while other threads write to it (counters), so it is never turned
//! into a slice of live counters.

#![allow(unsafe_code)]

use core::mem::MaybeUninit;
use core::ptr;

/// `len` bytes from `start` on. The layout is that of POSIX `struct iovec`, so that a slice of spans is a gather list for system calls.
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

    /// Returns the span of a slice. The caller keeps the slice alive while the span is used.
    #[inline]
    pub const fn of(bytes: &[u8]) -> Span {
        Span { start: bytes.as_ptr(), len: bytes.len() }
    }

    /// Returns the bytes from `start` up to `stop`; none when `stop` is not above `start`, as for absent sections.
    #[inline]
    pub fn between(start: *const u8, stop: *const u8) -> Span {
        let len = (stop as usize).saturating_sub(start as usize);
        Span { start, len }
    }

    /// Returns the first `len` bytes, or all when there are fewer.
    #[inline]
    pub fn prefix(self, len: usize) -> Span {
        Span { start: self.start, len: if len < self.len { len } else { self.len } }
    }

    /// Returns the bytes after the first `len`.
    #[inline]
    pub fn skip(self, len: usize) -> Span {
        let len = if len < self.len { len } else { self.len };
        Span { start: self.start.wrapping_add(len), len: self.len.wrapping_sub(len) }
    }

    /// Returns a span of the same length whose address is `by` higher, maybe in another object.
    #[inline]
    pub fn moved(self, by: isize) -> Span {
        let address = self.start.expose_provenance().wrapping_add_signed(by);
        Span { start: ptr::with_exposed_provenance(address), len: self.len }
    }

    /// Returns the bytes.
    ///
    /// # Safety
    /// They must be readable for `'a`, and not change meanwhile.
    #[inline]
    pub unsafe fn bytes<'a>(self) -> &'a [u8] {
        // SAFETY: readable bytes that do not change, by this function's contract; not null, since there are some.
        if self.len > 0 { unsafe { core::slice::from_raw_parts(self.start, self.len) } } else { &[] }
    }

    /// Returns the address of the first byte as a number.
    #[inline]
    pub fn address(self) -> u64 {
        self.start as usize as u64
    }
}

/// A list of at most `N` spans. Unused places are not initialized, since that would call `memset`, which a program would have to look up.
pub struct List<const N: usize> {
    spans: [MaybeUninit<Span>; N],
    /// Number of spans that are set.
    len: usize,
}

impl<const N: usize> List<N> {
    /// Creates an empty list.
    #[inline(always)]
    pub const fn new() -> List<N> {
        List { spans: [const { MaybeUninit::uninit() }; N], len: 0 }
    }

    /// Adds a span, unless the list is full.
    #[inline(always)]
    pub fn push(&mut self, span: Span) {
        if let Some(slot) = self.spans.get_mut(self.len) {
            slot.write(span);
            self.len = self.len.wrapping_add(1);
        }
    }

    /// Returns whether the list is full.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.len == N
    }

    /// Empties the list, and returns its spans.
    #[inline(always)]
    pub fn take(&mut self) -> &[Span] {
        let len = core::mem::replace(&mut self.len, 0);
        // SAFETY: the first `len` are set.
        unsafe { core::slice::from_raw_parts(self.spans.as_ptr().cast(), len) }
    }
}
