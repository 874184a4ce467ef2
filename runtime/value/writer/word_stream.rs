//! A stream of words that collects value data for a sink.

#![allow(unsafe_code)]

pub mod kind_header;

use crate::error::Result;
use crate::format::value::{halves, kind_header_size, record_size};
use crate::native::Record;
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

    /// Appends a word.
    #[inline]
    pub fn put(&mut self, word: u64) -> Result {
        if self.len == self.buffer.len() {
            self.flush()?;
        }
        if let Some(slot) = self.buffer.get_mut(self.len) {
            *slot = word;
        }
        self.len = self.len.wrapping_add(1);
        Ok(())
    }

    /// Appends two `u32`, in their order in memory.
    pub fn put_halves(&mut self, first: u32, second: u32) -> Result {
        self.put(halves(first, second))
    }

    /// Appends the header of a kind whose sites have no values.
    pub fn put_empty_kind_header(&mut self, kind: usize, sites: usize) -> Result {
        self.put_halves(kind as u32, sites as u32)?;
        for _ in 1..kind_header_size(sites as u32) / 8 {
            self.put(0)?;
        }
        Ok(())
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
        // SAFETY: a part of the buffer.
        unsafe { self.sink.put(full) }
    }
}

/// Returns the first word of a value record: the record's size in bytes, and the number of its kinds.
#[cfg_attr(not(feature = "hosted"), inline(never))]
pub fn record_header(record: &Record, pairs: u32) -> u64 {
    let total = record_size(&record.num_value_sites, u64::from(pairs)).unwrap_or(0);
    let kinds = record.num_value_sites.iter().filter(|sites| **sites > 0).count();
    halves(total as u32, kinds as u32)
}
