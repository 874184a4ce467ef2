//! A sink that writes to an open file.

#![allow(unsafe_code)]

use super::{Sink, zeros};
use crate::error::Result;
use crate::os::{self, Fd};
use crate::span::{List, Span};

/// Writes to a file at its current place and counts the bytes.
#[derive(Debug)]
pub struct File<'a> {
    fd: &'a Fd,
    /// Bytes written so far.
    pub written: u64,
    /// Where the file was when the first one was, if it has nothing behind that.
    new_from: Option<u64>,
    /// The last bytes were left out.
    ends_in_hole: bool,
}

/// Pieces that go to the file in one call.
const PIECES: usize = 16;
/// Spans that are looked at for zeros.
const LARGE: usize = 16 * 1024;
/// Spans whose pages are asked for all at once: they may be pages of the program's file that were not touched before.
const HUGE: usize = 256 * 1024;

impl File<'_> {
    /// A sink into `fd`.
    pub const fn new(fd: &Fd) -> File<'_> {
        File { fd, written: 0, new_from: None, ends_in_hole: false }
    }

    /// A sink into a new file that has nothing from the current place on, which is `at`: long runs of zeros become holes, which
    /// read as zeros. [`File::finish`] has to follow.
    pub const fn sparse(fd: &Fd, at: u64) -> File<'_> {
        File { fd, written: 0, new_from: Some(at), ends_in_hole: false }
    }

    /// Gives the file its length, for it may end in a hole.
    pub fn finish(&mut self) -> Result {
        match self.new_from {
            Some(from) if self.ends_in_hole => self.fd.set_size(from.wrapping_add(self.written)),
            _ => Ok(()),
        }
    }

    /// # Safety
    /// The spans must be readable.
    unsafe fn write_list(&mut self, spans: &[Span]) -> Result {
        if spans.is_empty() {
            return Ok(());
        }
        // SAFETY: this function's contract.
        let written = unsafe { self.fd.write(spans) }?;
        self.ends_in_hole = false;
        self.written = self.written.wrapping_add(written);
        Ok(())
    }

    /// Leaves the next bytes out.
    fn leave_out(&mut self, from: u64, len: usize) -> Result {
        self.written = self.written.wrapping_add(len as u64);
        self.ends_in_hole = true;
        self.fd.seek(from.wrapping_add(self.written))
    }
}

impl Sink for File<'_> {
    unsafe fn put(&mut self, span: Span) -> Result {
        // SAFETY: this function's contract.
        unsafe { self.write(&[span]) }
    }

    unsafe fn write(&mut self, spans: &[Span]) -> Result {
        let Some(from) = self.new_from.filter(|_| spans.iter().any(|span| span.len >= LARGE)) else {
            // SAFETY: readable by this function's contract.
            return unsafe { self.write_list(spans) };
        };
        let mut list = List::<PIECES>::new();
        // Bytes in the list.
        let mut waiting: u64 = 0;
        for span in spans {
            let mut rest = *span;
            if rest.len >= HUGE {
                os::prefetch(rest.start.addr(), rest.len);
            }
            while rest.len > 0 {
                let at = from.wrapping_add(self.written).wrapping_add(waiting);
                // SAFETY: readable by this function's contract.
                let run = if rest.len >= LARGE { unsafe { zeros::first_run(rest, at) } } else { None };
                let data = rest.prefix(run.map_or(rest.len, |(before, _)| before));
                if data.len > 0 {
                    list.push(data);
                    waiting = waiting.wrapping_add(data.len as u64);
                }
                if run.is_some() || list.is_full() {
                    // SAFETY: parts of the caller's spans.
                    unsafe { self.write_list(list.take()) }?;
                    waiting = 0;
                }
                rest = rest.skip(data.len);
                if let Some((_, zeros)) = run {
                    self.leave_out(from, zeros)?;
                    rest = rest.skip(zeros);
                }
            }
        }
        // SAFETY: parts of the caller's spans.
        unsafe { self.write_list(list.take()) }
    }
}
