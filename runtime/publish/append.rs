//! Appends a profile to a plain file, so that readers find it complete or not at all, whenever its writer is killed.
//!
//! Readers skip zeros between profiles, and the padding that a header specifies. So the file is whole after each step:
//!
//! ```text
//! earlier profiles                                            before
//! earlier profiles  zeros                                     the file is extended for the next bytes
//! earlier profiles  placeholder, which specifies padding      the header of a profile without counts
//! earlier profiles  placeholder, the rest of the profile      written into the padding
//! earlier profiles  profile                                   its first bytes replace the placeholder
//! ```
//!
//! The middle steps repeat, once for each call of the sink.
//!
//! The placeholder lies in one page of the file, in which the kernel completes a write before it looks for a kill.

#![allow(unsafe_code)]

use crate::error::Result;
use crate::format::header::Field;
use crate::format::{RawVersion, Variant};
use crate::native::{RAW_VERSION, RECORD};
use crate::os::Fd;
use crate::sink::Sink;
use crate::sink::file::File;
use crate::span::Span;

/// The placeholder has a function without a name, whose only counter is 0, in 8 bytes: `llvm-profdata` 14 and 15 misread a header without
/// functions that follows another profile.
const HAS_FUNCTION: bool = matches!(RAW_VERSION, RawVersion::V8);
/// Bytes of the header.
const HEADER: usize = RAW_VERSION.header_words() * 8;
/// Bytes of the placeholder.
const LEN: usize = HEADER + if HAS_FUNCTION { RECORD.size as usize + 8 } else { 0 };
/// Indexes of words in the header, whose first is the magic.
const VERSION: usize = Field::Version as usize + 1;
const DATA: usize = Field::NumData as usize + 1;
const COUNTERS: usize = Field::NumCounters as usize + 1;
const PADDING: usize = Field::PaddingBytesAfterCounters as usize + 1;
/// The smallest page.
const PAGE: u64 = 4096;

/// A sink that appends one profile to a file. [`Appended::finish`] makes it visible.
pub struct Appended<'a> {
    fd: &'a Fd,
    /// Offset of the profile.
    from: u64,
    /// The size of the file.
    size: u64,
    /// The first bytes of the profile, which are written last.
    first: [u8; LEN],
    /// How many there are so far.
    filled: usize,
    /// Writes what follows the first bytes.
    rest: File<'a>,
}

impl<'a> Appended<'a> {
    /// Creates a sink for a file of `size` bytes, which this process has locked.
    pub fn new(fd: &'a Fd, size: u64) -> Appended<'a> {
        let aligned = size.next_multiple_of(8);
        let in_page = aligned % PAGE;
        let from = if in_page.saturating_add(LEN as u64) > PAGE { aligned.next_multiple_of(PAGE) } else { aligned };
        let rest = File::within(fd, from.saturating_add(LEN as u64));
        Appended { fd, from, size, first: [0; LEN], filled: 0, rest }
    }

    /// Returns the offset after the placeholder.
    fn rest_from(&self) -> u64 {
        self.from.saturating_add(LEN as u64)
    }

    /// Writes the first bytes. The profile is in the file then.
    pub fn finish(&mut self) -> Result {
        self.extend(0)?;
        self.write_first(&self.first)?;
        let end = match self.filled {
            LEN => self.rest_from().saturating_add(self.rest.written),
            filled => self.from.saturating_add(filled as u64),
        };
        if end < self.size { self.fd.set_size(end) } else { Ok(()) }
    }

    /// Makes room for the next `more` bytes after the placeholder.
    fn extend(&mut self, more: u64) -> Result {
        // Readers expect the next header at a multiple of 8.
        let padding = self.rest.written.saturating_add(more).next_multiple_of(8);
        let end = self.rest_from().saturating_add(padding);
        if end <= self.size {
            return Ok(());
        }
        self.fd.set_size(end)?;
        self.size = end;
        let own_version = self.first.as_chunks::<8>().0.get(VERSION).copied().unwrap_or_default();
        // A counter of one byte leaves 7 of its 8.
        let unused = if HAS_FUNCTION { 8 - Variant(u64::from_ne_bytes(own_version)).counter_size() } else { 0 };
        let mut placeholder = [0; LEN];
        let (words, _) = placeholder.as_chunks_mut::<8>();
        for (index, (word, own)) in words.iter_mut().zip(self.first.as_chunks::<8>().0).enumerate() {
            match index {
                0 | VERSION => *word = *own,
                DATA | COUNTERS if HAS_FUNCTION => *word = 1u64.to_ne_bytes(),
                PADDING => *word = padding.saturating_add(unused).to_ne_bytes(),
                _ => {}
            }
        }
        if HAS_FUNCTION {
            let at = HEADER + RECORD.num_counters;
            if let Some(number) = placeholder.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
                *number = 1u32.to_ne_bytes();
            }
        }
        self.write_first(&placeholder)
    }

    fn write_first(&self, bytes: &[u8; LEN]) -> Result {
        // SAFETY: the bytes of an array that outlives the call.
        unsafe { self.fd.write(&[Span::of(bytes)], LEN as u64, Some(self.from)) }
    }
}

impl Sink for Appended<'_> {
    unsafe fn put(&mut self, span: Span) -> Result {
        // SAFETY: the span is readable by this function's contract.
        unsafe { self.write(&[span]) }
    }

    unsafe fn write(&mut self, mut spans: &[Span]) -> Result {
        let mut part = Span::EMPTY;
        while self.filled < LEN
            && let Some((span, others)) = spans.split_first()
        {
            let room = self.first.get_mut(self.filled..).unwrap_or_default();
            let now = span.prefix(room.len());
            // SAFETY: readable by this function's contract, and as long as the room at least.
            unsafe { crate::copy::copy(room.as_mut_ptr(), now.start, now.len) };
            self.filled = self.filled.saturating_add(now.len);
            (part, spans) = (span.skip(now.len), others);
        }
        let total = spans.iter().fold(part.len as u64, |sum, span| sum.saturating_add(span.len as u64));
        if total == 0 {
            return Ok(());
        }
        self.extend(total)?;
        // SAFETY: the rest of one span, and the spans after it, which are readable by this function's contract.
        unsafe {
            self.rest.put(part)?;
            self.rest.write(spans)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::layout::Plan;
    use crate::format::{Header, RawVersion, WordSize};
    use crate::os::file::create_new;
    use proptest::prelude::*;
    use std::ffi::CString;
    use std::vec::Vec;
    use std::{fs, vec};

    /// The header of a profile of this machine, and bytes after it.
    fn profile(len: usize, byte_counters: bool) -> Vec<u8> {
        let mut bytes = vec![0xab; HEADER + len];
        bytes[..8].copy_from_slice(&crate::format::header::magic(WordSize::NATIVE).to_ne_bytes());
        let version = RAW_VERSION.number() | if byte_counters { Variant::BYTE_COVERAGE } else { 0 };
        bytes[8..16].copy_from_slice(&version.to_ne_bytes());
        bytes
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn is_padding_until_it_is_complete(byte_counters: bool, before in 0usize..9000, pieces in proptest::collection::vec(0usize..9000, 1..5)) {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("file");
            let name = CString::new(path.to_str().unwrap()).unwrap();
            let fd = create_new(crate::path::Path::from(name.as_c_str()).into(), 0o666).unwrap();
            fd.set_size(before as u64).unwrap();
            let mut wanted = Vec::new();
            let mut sink = Appended::new(&fd, before as u64);
            let from = sink.from as usize;
            for (index, len) in pieces.iter().enumerate() {
                let piece = if index == 0 { profile(*len, byte_counters) } else { vec![index as u8; *len] };
                // SAFETY: a vector.
                unsafe { sink.put(Span::of(&piece)) }.unwrap();
                wanted.extend(piece);
                let now = fs::read(&path).unwrap();
                prop_assert!(now[..from].iter().all(|byte| *byte == 0));
                if now.len() > from {
                    let (header, version, encoding) = Header::decode(&now[from..]).unwrap();
                    let plan: Plan = Plan::of_header(header, version, encoding.word).unwrap();
                    prop_assert_eq!(plan.fixed_size() as usize, now.len() - from);
                    prop_assert_eq!(header.num_data, u64::from(version == RawVersion::V8));
                    prop_assert_eq!(header.names_size, 0);
                }
            }
            sink.finish().unwrap();
            prop_assert!(fs::read(&path).unwrap()[from..] == wanted);
            prop_assert!(from % 4096 + LEN <= 4096 && from - before < 4096);
        }
    }
}
