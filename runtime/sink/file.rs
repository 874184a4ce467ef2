//! A sink that writes to an open file.

#![allow(unsafe_code)]

use core::sync::atomic::{AtomicUsize, Ordering};

use super::Sink;
use crate::error::Result;
use crate::os::Fd;
use crate::span::{List, Span};

/// An open file that is written from its current position on, or from a given offset.
pub struct File<'a> {
    fd: &'a Fd,
    /// Bytes written so far.
    pub written: u64,
    /// Offset of the first byte in a sparse file.
    from: u64,
    /// Zeros may be skipped: long sequences of them become holes. Otherwise bytes go to the current position, and nothing is skipped.
    sparse: bool,
    /// Bytes are written at an explicit offset: the position of the file is not the place of the next byte, since there was a hole, or by
    /// [`File::within`].
    by_offset: bool,
}

/// Number of spans that are collected between holes before they are written.
const PIECES: usize = 16;
/// Length of the shortest span that is searched for zeros.
const LARGE: usize = 16 * 1024;
/// Granularity of holes in files: most counters of most programs are 0.
const PAGE: usize = 4096;
/// Length of the shortest sequence that becomes a hole: a shorter one does not pay for the two system calls that skip it.
const LEAST: usize = 4 * PAGE;

impl File<'_> {
    /// Creates a sink that writes to `fd` without holes.
    pub const fn new(fd: &Fd) -> File<'_> {
        File { fd, written: 0, from: 0, sparse: false, by_offset: false }
    }

    /// Creates a sink that writes to a new file, with holes. [`File::finish`] has to follow.
    pub const fn sparse(fd: &Fd) -> File<'_> {
        File { fd, written: 0, from: 0, sparse: true, by_offset: false }
    }

    /// Creates a sink that writes to `fd` from `at` on, where the file has zeros: as many as are written. Holes stay zeros.
    pub const fn within(fd: &Fd, at: u64) -> File<'_> {
        File { fd, written: 0, from: at, sparse: true, by_offset: true }
    }

    /// Returns this file as a sink. (Here, so that programs have one vtable for it.)
    #[inline(never)]
    pub fn sink(&mut self) -> &mut dyn Sink {
        self
    }

    /// Sets the length of the file, which may end in a hole.
    pub fn finish(&mut self) -> Result {
        if self.by_offset { self.fd.set_size(self.offset()) } else { Ok(()) }
    }

    /// Returns the offset of the next byte.
    fn offset(&self) -> u64 {
        self.from.wrapping_add(self.written)
    }

    /// Writes spans as they are.
    ///
    /// # Safety
    /// The spans must be readable.
    unsafe fn write_list(&mut self, spans: &[Span]) -> Result {
        let mut total: u64 = 0;
        for span in spans {
            total = total.wrapping_add(span.len as u64);
        }
        let at = self.offset();
        // SAFETY: the spans are readable by this function's contract.
        unsafe { self.fd.write(spans, total, self.by_offset.then_some(at)) }?;
        self.written = self.written.wrapping_add(total);
        Ok(())
    }
}

impl Sink for File<'_> {
    unsafe fn put(&mut self, span: Span) -> Result {
        // SAFETY: the span is readable by this function's contract.
        unsafe { self.write(&[span]) }
    }

    unsafe fn write(&mut self, spans: &[Span]) -> Result {
        if !self.sparse || spans.iter().all(|span| span.len < LARGE) {
            // SAFETY: readable by this function's contract.
            return unsafe { self.write_list(spans) };
        }
        // Data goes to the list, which is written when it is full and before each hole. A hole only advances `written`, so that the next list is
        // written after it:
        //
        //     from ... written, and holes ... | waiting, in the list | at: rest of the span, other spans
        let mut list = List::<PIECES>::new();
        let mut at = self.offset();
        for span in spans {
            let mut rest = *span;
            while rest.len > 0 {
                // SAFETY: readable by this function's contract.
                let (len, zeros) = unsafe { first_zeros(rest, at) };
                if len > 0 {
                    list.push(rest.prefix(len));
                }
                if zeros > 0 || list.is_full() {
                    // SAFETY: parts of the caller's spans.
                    unsafe { self.write_list(list.take()) }?;
                    self.by_offset |= zeros > 0;
                    self.written = self.written.wrapping_add(zeros as u64);
                }
                let both = len.wrapping_add(zeros);
                at = at.wrapping_add(both as u64);
                rest = rest.skip(both);
            }
        }
        // SAFETY: parts of the caller's spans.
        unsafe { self.write_list(list.take()) }
    }
}

/// Finds the first sequence of zeros that may become a hole when `span` is written at offset `at` of a file. Returns the number of bytes
/// before it, and its length: whole pages of the file, or 0.
///
/// # Safety
/// The span must be readable. Its bytes may change meanwhile.
unsafe fn first_zeros(span: Span, at: u64) -> (usize, usize) {
    let mut end = (at.wrapping_neg() % PAGE as u64) as usize;
    let mut zeros: usize = 0;
    if span.len >= LARGE && span.start.wrapping_add(end).addr().is_multiple_of(align_of::<usize>()) {
        while end.wrapping_add(PAGE) <= span.len {
            // SAFETY: a page inside of the span, aligned for words.
            if unsafe { is_zero(span.start.wrapping_add(end)) } {
                zeros = zeros.wrapping_add(PAGE);
            } else if zeros >= LEAST {
                break;
            } else {
                zeros = 0;
            }
            end = end.wrapping_add(PAGE);
        }
    }
    if zeros < LEAST { (span.len, 0) } else { (end.wrapping_sub(zeros), zeros) }
}

/// Returns whether all bytes of a page are 0.
///
/// # Safety
/// The page must be readable and aligned for words.
unsafe fn is_zero(page: *const u8) -> bool {
    // SAFETY: readable and aligned by this function's contract. Atomic, since threads may count in the page.
    let words = unsafe { core::slice::from_raw_parts(page.cast::<AtomicUsize>(), PAGE / size_of::<usize>()) };
    words.iter().all(|word| word.load(Ordering::Relaxed) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::file::create_new;
    use proptest::prelude::*;
    use std::ffi::CString;
    use std::vec::Vec;
    use std::{format, fs, vec};

    /// Writes pieces to a new file. What is in the file then, and what should be.
    fn written(pieces: &[Vec<u8>]) -> (Vec<u8>, Vec<u8>) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let name = CString::new(path.to_str().unwrap()).unwrap();
        let fd = create_new(crate::path::Path::from(name.as_c_str()).into(), None).unwrap();
        let mut sink = File::sparse(&fd);
        for piece in pieces {
            // In one call what belongs together, as parts of a profile are.
            let spans: Vec<Span> = piece.chunks(700_000).map(Span::of).collect();
            // SAFETY: slices.
            unsafe { sink.write(&spans) }.unwrap();
        }
        assert_eq!(sink.written, pieces.iter().map(|piece| piece.len() as u64).sum::<u64>());
        sink.finish().unwrap();
        (fs::read(path).unwrap(), pieces.concat())
    }

    #[test]
    fn the_last_byte_may_be_in_a_hole() {
        for len in [LARGE, LARGE * 4, LARGE * 64, LARGE * 256] {
            let (found, wanted) = written(&[std::vec![1; 8192], std::vec![0; len]]);
            assert!(found == wanted, "{} bytes, not {}", found.len(), wanted.len());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn holes_and_room_change_nothing(
            pieces in proptest::collection::vec((0usize..900_000, any::<bool>(), 1u8..255), 0..6),
        ) {
            let pieces: Vec<Vec<u8>> = pieces
                .iter()
                .map(|(len, zero, byte)| {
                    // Data has a hole in its middle, where it is long enough.
                    let at = |at: usize| if *zero || at / 30_000 % 5 == 3 { 0 } else { *byte };
                    (0..*len).map(at).collect()
                })
                .collect();
            let (found, wanted) = written(&pieces);
            prop_assert!(found == wanted, "{}", format!("{} bytes, not {}", found.len(), wanted.len()));
        }
    }

    fn of(bytes: &[u8], at: u64) -> (usize, usize) {
        // SAFETY: a slice.
        unsafe { first_zeros(Span::of(bytes), at) }
    }

    #[test]
    fn whole_pages_of_the_file() {
        // Aligned for words, as sections are.
        let mut words = vec![0u64; 16 * PAGE / 8];
        // SAFETY: the vector's own bytes, which are numbers in any pattern.
        let bytes = unsafe { core::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), 16 * PAGE) };
        assert_eq!(of(bytes, 0), (0, 16 * PAGE));
        assert_eq!(of(bytes, 16), (PAGE - 16, 15 * PAGE));
        bytes[5 * PAGE] = 1;
        assert_eq!(of(bytes, 0), (0, 5 * PAGE));
        assert_eq!(of(&bytes[5 * PAGE..], 0), (PAGE, 10 * PAGE));
        bytes[2 * PAGE + 4095] = 1;
        assert_eq!(of(bytes, 0), (6 * PAGE, 10 * PAGE));
        assert_eq!(of(&bytes[..LEAST - 1], 0), (LEAST - 1, 0));
        assert_eq!(of(&bytes[6 * PAGE..6 * PAGE + LEAST], 0), (0, LEAST));
        // The file's pages are not those of memory.
        assert_eq!(of(&bytes[6 * PAGE..6 * PAGE + LEAST], 8), (LEAST, 0));
        assert_eq!(of(&bytes[..0], 7), (0, 0));
        // Words are aligned where the first page begins, or nowhere.
        assert_eq!(of(&bytes[1..], 0), (16 * PAGE - 1, 0));
        assert_eq!(of(bytes, 1), (16 * PAGE, 0));
        assert_eq!(of(&bytes[6 * PAGE + 1..], 1), (PAGE - 1, 9 * PAGE));
        // The shortest one that counts, between others.
        bytes[10 * PAGE] = 1;
        assert_eq!(of(bytes, 0), (6 * PAGE, LEAST));
    }
}
