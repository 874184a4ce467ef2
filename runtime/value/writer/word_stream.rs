//! A stream of words that collects value records for a sink.

#![allow(unsafe_code)]

use crate::error::{Error, Result};
use crate::format::value_record::WordSink;
use crate::sink::Sink;
use crate::span::Span;

/// The number of words of a stream's buffer on the stack.
pub const WORDS: usize = 16;

/// Buffered stream of words: calls the sink once the buffer is full.
pub struct WordStream<'a> {
    sink: &'a mut dyn Sink,
    buffer: &'a mut [u64],
    len: usize,
}

impl<'a> WordStream<'a> {
    /// Makes a stream into `sink` through `buffer`, which is not empty.
    pub fn new(sink: &'a mut dyn Sink, buffer: &'a mut [u64]) -> WordStream<'a> {
        WordStream { sink, buffer, len: 0 }
    }

    /// Returns the free words of the buffer, for the caller to fill.
    #[inline]
    pub fn free(&mut self) -> &mut [u64] {
        self.buffer.get_mut(self.len..).unwrap_or_default()
    }

    /// Appends the first `words` free words, which the caller has filled.
    #[inline]
    pub fn advance(&mut self, words: usize) {
        self.len = self.len.wrapping_add(words);
    }

    /// Passes all collected words to the sink.
    pub fn flush(&mut self) -> Result {
        let bytes = self.len.wrapping_mul(8);
        self.len = 0;
        let full = Span { start: self.buffer.as_ptr().cast(), len: bytes };
        // SAFETY: the first words of the buffer, by the invariant that `len` is at most the buffer's length.
        if bytes == 0 { Ok(()) } else { unsafe { self.sink.put(full) } }
    }
}

impl WordSink for WordStream<'_> {
    type Error = Error;

    #[cfg_attr(feature = "hosted", inline(never))]
    #[cfg_attr(not(feature = "hosted"), inline)]
    fn word(&mut self, word: u64) -> Result {
        if self.len == self.buffer.len() {
            self.flush()?;
        }
        if let Some(slot) = self.buffer.get_mut(self.len) {
            *slot = word;
        }
        self.len = self.len.wrapping_add(1);
        Ok(())
    }
}
