//! Value data as a stream of words, collected until there are enough for a call of the sink.

#![allow(unsafe_code)]

pub mod kind_header;

use crate::error::Result;
use crate::format::record::Record;
use crate::format::value::{halves, kind_header_size, record_size};
use crate::sink::Sink;
use crate::span::Span;

/// Words of the stream's buffer where nothing larger is given.
pub const WORDS: usize = 16;

/// Words collected until there are enough for a call of the sink.
pub struct WordStream<'a> {
    sink: &'a mut dyn Sink,
    buffer: &'a mut [u64],
    len: usize,
}

impl<'a> WordStream<'a> {
    /// A stream into `sink` by way of `buffer`, which is not empty.
    pub fn new(sink: &'a mut dyn Sink, buffer: &'a mut [u64]) -> WordStream<'a> {
        WordStream { sink, buffer, len: 0 }
    }

    /// The next word.
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

    /// Two `u32`, in their order in memory.
    pub fn put_halves(&mut self, first: u32, second: u32) -> Result {
        self.put(halves(first, second))
    }

    /// A kind whose sites have no values.
    pub fn put_empty_kind_header(&mut self, kind: usize, sites: usize) -> Result {
        self.put_halves(kind as u32, sites as u32)?;
        for _ in 1..kind_header_size(sites as u32) / 8 {
            self.put(0)?;
        }
        Ok(())
    }

    /// The words that are free.
    #[inline]
    pub fn free(&mut self) -> &mut [u64] {
        self.buffer.get_mut(self.len..).unwrap_or_default()
    }

    /// So many of them are filled.
    #[inline]
    pub fn advance(&mut self, words: usize) {
        self.len = self.len.wrapping_add(words);
    }

    /// Hands on what is left.
    pub fn flush(&mut self) -> Result {
        let bytes = self.len.wrapping_mul(8);
        self.len = 0;
        let full = Span { start: self.buffer.as_ptr().cast(), len: bytes };
        // SAFETY: the first words of the buffer.
        unsafe { self.sink.put(full) }
    }
}

/// The first word of a value record: its size in bytes, and its kinds.
#[cfg_attr(not(feature = "hosted"), inline(never))]
pub fn record_header(record: &Record, pairs: u32) -> u64 {
    let total = record_size(&record.num_value_sites, u64::from(pairs)).unwrap_or(0);
    let kinds = record.num_value_sites.iter().filter(|sites| **sites > 0).count();
    halves(total as u32, kinds as u32)
}
