//! Writes words and spans to a sink and reports the first failure at the end, which takes the least code on devices.

#![allow(unsafe_code)]

use super::Sink;
use crate::error::Result;
use crate::span::Span;

/// A sink that is not called again after its first failure.
pub struct Latch<'a> {
    sink: &'a mut dyn Sink,
    /// The first failure, or `Ok`.
    pub result: Result,
}

/// Source of zero bytes.
#[cfg(any(test, not(feature = "hosted")))]
static ZEROS: [u8; 8] = [0; 8];

impl<'a> Latch<'a> {
    /// Wraps a sink that has not failed.
    #[inline]
    pub fn new(sink: &'a mut dyn Sink) -> Latch<'a> {
        Latch { sink, result: Ok(()) }
    }

    /// Writes a span.
    ///
    /// # Safety
    /// The span must be readable for the time of the call.
    #[inline(never)]
    pub unsafe fn put(&mut self, span: Span) {
        if self.result.is_ok() {
            // SAFETY: the span is readable by this function's contract.
            self.result = unsafe { self.sink.put(span) };
        }
    }

    /// Writes a byte.
    #[inline(never)]
    pub fn byte(&mut self, byte: u8) {
        // SAFETY: a local array.
        unsafe { self.put(Span::of(&[byte])) }
    }
}

/// Parts of a raw profile, which only devices write word by word.
#[cfg(any(test, not(feature = "hosted")))]
impl Latch<'_> {
    /// Writes a word in this machine's byte order.
    #[inline(never)]
    pub fn word(&mut self, word: u64) {
        // SAFETY: a local array.
        unsafe { self.put(Span::of(&word.to_ne_bytes())) }
    }

    /// Writes a number as a word.
    #[inline(never)]
    pub fn number(&mut self, number: usize) {
        self.word(number as u64);
    }

    /// Writes `len` zero bytes.
    #[inline(never)]
    pub fn zeros(&mut self, mut len: usize) {
        while len > 0 {
            let now = Span::of(&ZEROS).prefix(len);
            // SAFETY: a part of a static array.
            unsafe { self.put(now) };
            len = len.wrapping_sub(now.len);
        }
    }
}
