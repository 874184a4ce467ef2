//! Bytes on their way to the output, a buffer at a time.

use std::io::Write;

use crate::error::{Error, ErrorKind};

/// How much is collected before it is written.
const BUFFER: usize = 256 << 10;

/// An output that knows how far it is.
pub(super) struct Output<'w, W> {
    out: &'w mut W,
    buffer: Vec<u8>,
    flushed: u64,
}

impl<'w, W: Write> Output<'w, W> {
    pub(super) fn new(out: &'w mut W) -> Self {
        Output { out, buffer: Vec::with_capacity(BUFFER + BUFFER / 4), flushed: 0 }
    }

    /// Returns the number of bytes so far.
    pub(super) fn position(&self) -> u64 {
        self.flushed + self.buffer.len() as u64
    }

    fn spill(&mut self) -> Result<(), Error> {
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    /// Writes what is collected.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        let io = |error: std::io::Error| Error::new(ErrorKind::Io, "output").found(error);
        self.out.write_all(&self.buffer).map_err(io)?;
        self.flushed += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    pub(super) fn u16(&mut self, number: u16) {
        self.buffer.extend_from_slice(&number.to_le_bytes());
    }

    pub(super) fn u32(&mut self, number: u32) {
        self.buffer.extend_from_slice(&number.to_le_bytes());
    }

    pub(super) fn u64(&mut self, number: u64) {
        self.buffer.extend_from_slice(&number.to_le_bytes());
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.buffer.push(byte);
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        for chunk in bytes.chunks(BUFFER) {
            self.buffer.extend_from_slice(chunk);
            self.spill()?;
        }
        Ok(())
    }

    /// Writes items of `N` bytes each.
    pub(super) fn items<T: Copy, const N: usize>(
        &mut self,
        items: &[T],
        encode: impl Fn(T) -> [u8; N],
    ) -> Result<(), Error> {
        for chunk in items.chunks(BUFFER / 16) {
            let start = self.buffer.len();
            self.buffer.resize(start + chunk.len() * N, 0);
            let room = self.buffer.get_mut(start..).unwrap_or(&mut []).as_chunks_mut().0;
            room.iter_mut().zip(chunk).for_each(|(to, item)| *to = encode(*item));
            self.spill()?;
        }
        Ok(())
    }

    pub(super) fn words(&mut self, words: &[u64]) -> Result<(), Error> {
        self.items(words, u64::to_le_bytes)
    }

    /// Writes the zero bytes that follow `len` bytes to a multiple of 8.
    pub(super) fn pad(&mut self, len: usize) {
        let zeros = len.wrapping_neg() % 8;
        self.buffer.extend([0; 8].into_iter().take(zeros));
    }
}
