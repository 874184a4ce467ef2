//! Bounds on what is read from an archive: a few bytes must not become all memory, or hours of work.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What may still be read, and what was.
#[derive(Debug, Default)]
pub(super) struct Allowance {
    /// Bytes that may still be read.
    pub(super) left: Cell<u64>,
    /// The end of the source was reached.
    pub(super) has_ended: Cell<bool>,
    /// The zeros with which ends what was read.
    pub(super) zeros: Cell<u64>,
}

/// Reads no more than an allowance, then fails with a message.
pub(super) struct Budget<R> {
    pub(super) source: R,
    pub(super) allowance: Rc<Allowance>,
    pub(super) message: &'static str,
}

impl<R: Read> Read for Budget<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        let Allowance { left, has_ended, zeros } = &*self.allowance;
        let tail = buffer.iter().take(read).rev().take_while(|byte| **byte == 0).count();
        zeros.set(tail as u64 + if tail == read { zeros.get() } else { 0 });
        has_ended.set(read == 0 && !buffer.is_empty());
        match left.get().checked_sub(read as u64) {
            Some(rest) => left.set(rest),
            None => return Err(io::Error::other(self.message)),
        }
        Ok(read)
    }
}

/// Counts what is read.
pub(super) struct Counted<R> {
    pub(super) source: R,
    pub(super) packed: Arc<Packed>,
}

/// Bytes that were read.
#[derive(Debug, Default)]
pub(super) struct Packed {
    /// Of this archive.
    pub(super) own: AtomicU64,
    /// Of all archives, for the progress bar.
    pub(super) all: Arc<AtomicU64>,
}

impl Packed {
    pub(super) fn add(&self, bytes: u64) {
        self.own.fetch_add(bytes, Ordering::Relaxed);
        self.all.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.packed.add(read as u64);
        Ok(read)
    }
}
