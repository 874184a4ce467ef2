//! Appends a profile to a plain file, so that readers find it complete or not at all, whenever its writer is killed.
//!
//! Readers skip zeros between profiles, and what the placeholder says to skip. So the file is whole after each step:
//!
//! ```text
//! earlier profiles                                            before
//! earlier profiles  zeros                                     the file is extended for the next bytes
//! earlier profiles  placeholder, which says what to skip      a profile without counts
//! earlier profiles  placeholder, the rest of the profile      written into what is skipped
//! earlier profiles  profile                                   its first bytes replace the placeholder
//! ```
//!
//! The middle steps repeat, once for each call of the sink.
//!
//! The placeholder lies in one page of the file, in which the kernel completes a write before it looks for a kill.

#![allow(unsafe_code)]

use core::ops::Range;

use crate::error::Result;
use crate::format::header::Field;
use crate::format::{RawVersion, Variant};
use crate::native::{RAW_VERSION, RECORD};
use crate::os::Fd;
use crate::sink::Sink;
use crate::sink::file::File;
use crate::span::Span;

/// Version 8: the placeholder has one function, and the rest is skipped as its value data. From version 9: it has none, and the rest is skipped as
/// padding after the counters. `llvm-profdata` 14 and 15 misread a header without functions that follows another profile, and write no text for a
/// function without a name.
const HAS_FUNCTION: bool = matches!(RAW_VERSION, RawVersion::V8);
/// Bytes of the header.
const HEADER: usize = RAW_VERSION.header_words() * 8;
/// The names of the placeholder: one of 6 bytes, not compressed.
const NAMES: [u8; 8] = *b"\x06\0profrt";
/// The MD5 hash of that name, as in records.
const NAME_REF: u64 = 0x5f0561ce66a5da87;
/// Bytes of the placeholder: of the function a record, a counter, its name, and the head of its values.
const LEN: usize = HEADER + if HAS_FUNCTION { RECORD.size as usize + 24 } else { 0 };
/// Indexes of words in the header, whose first is the magic: the same in every version, since all have all words up to `PaddingBytesAfterCounters`.
const VERSION: usize = Field::Version as usize + 1;
const DATA: usize = Field::NumData as usize + 1;
const COUNTERS: usize = Field::NumCounters as usize + 1;
const PADDING: usize = Field::PaddingBytesAfterCounters as usize + 1;
/// In version 8.
const NAMES_SIZE: usize = PADDING + 1;
/// The smallest page.
const PAGE: u64 = 4096;

/// Returns the next multiple of `unit`, a power of two.
const fn up_to(size: u64, unit: u64) -> u64 {
    size.wrapping_add(unit.wrapping_sub(1)) & unit.wrapping_neg()
}

/// A sink that appends one profile to a file. [`Appended::finish`] makes it visible.
pub struct Appended<'a> {
    fd: &'a Fd,
    /// Offset of the profile.
    from: u64,
    /// The size of the file.
    size: u64,
    /// Writes what follows the first bytes.
    rest: File<'a>,
    /// How many of the first bytes there are so far.
    filled: usize,
    /// The first bytes of the profile, which are written last.
    first: [u8; LEN],
}

impl<'a> Appended<'a> {
    /// Creates a sink for a file of `size` bytes, which this process has locked.
    pub fn new(fd: &'a Fd, size: u64) -> Appended<'a> {
        let aligned = up_to(size, 8);
        let from = if aligned % PAGE > PAGE - LEN as u64 { up_to(aligned, PAGE) } else { aligned };
        let rest = File::within(fd, from.wrapping_add(LEN as u64));
        Appended { fd, from, size, rest, filled: 0, first: [0; LEN] }
    }

    /// Writes the first bytes. The profile is in the file then: returns where.
    pub fn finish(&mut self) -> Result<Range<u64>> {
        self.extend(0)?;
        self.write_first(&self.first)?;
        let end = self.from.wrapping_add(self.filled as u64).wrapping_add(self.rest.written);
        if end < self.size {
            self.fd.set_size(end)?;
        }
        Ok(self.from..end)
    }

    /// Makes room for the next `more` bytes after the placeholder.
    fn extend(&mut self, more: u64) -> Result {
        // Readers expect the next header at a multiple of 8.
        let padding = up_to(self.rest.written.wrapping_add(more), 8);
        let end = self.from.wrapping_add(LEN as u64).wrapping_add(padding);
        if end <= self.size {
            return Ok(());
        }
        self.fd.set_size(end)?;
        self.size = end;
        let mut placeholder = [0; LEN];
        let words = placeholder.as_chunks_mut::<8>().0;
        if let ([magic, version, ..], [own_magic, own_version, ..]) = (&mut *words, self.first.as_chunks().0) {
            (*magic, *version) = (*own_magic, *own_version);
        }
        if let Some(word) = words.get_mut(PADDING).filter(|_| !HAS_FUNCTION) {
            *word = padding.to_ne_bytes();
        }
        if HAS_FUNCTION {
            self.function(&mut placeholder, padding);
        }
        self.write_first(&placeholder)
    }

    /// Adds a function to the placeholder: one counter, of 0, and value data without values whose size covers the `skipped` bytes.
    fn function(&self, placeholder: &mut [u8; LEN], skipped: u64) {
        let own_version = self.first.as_chunks::<8>().0.get(VERSION).copied().unwrap_or_default();
        // A counter of one byte leaves 7 of its 8.
        let unused = 8 - Variant(u64::from_ne_bytes(own_version)).counter_size();
        // A head counts itself. Its 32 bits are enough for 4 GiB of profile.
        let values = skipped.saturating_add(8).min(u64::from(u32::MAX - 7)) as u32;
        let mut set = |at: usize, bytes: &[u8]| {
            placeholder.iter_mut().skip(at).zip(bytes).for_each(|(to, from)| *to = *from);
        };
        for (word, number) in [(DATA, 1), (COUNTERS, 1), (PADDING, unused), (NAMES_SIZE, NAMES.len() as u64)] {
            set(word * 8, &number.to_ne_bytes());
        }
        set(HEADER + RECORD.name_ref, &NAME_REF.to_ne_bytes());
        set(HEADER + RECORD.num_counters, &1u32.to_ne_bytes());
        set(HEADER + RECORD.num_value_sites, &1u16.to_ne_bytes());
        set(LEN - 16, &NAMES);
        set(LEN - 8, &values.to_ne_bytes());
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
            self.filled = self.filled.wrapping_add(now.len);
            (part, spans) = (span.skip(now.len), others);
        }
        let total = spans.iter().fold(part.len as u64, |sum, span| sum.wrapping_add(span.len as u64));
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
            let fd = create_new(crate::path::Path::from(name.as_c_str()).into(), None).unwrap();
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
                prop_assert!(now.iter().take(from).all(|byte| *byte == 0));
                if now.len() > from {
                    let (header, version, encoding) = Header::decode(&now[from..]).unwrap();
                    let plan: Plan = Plan::of_header(header, version, encoding.word).unwrap();
                    let skipped = match version {
                        // The last word of the placeholder: the size of the values, itself included.
                        RawVersion::V8 => {
                            let values = &now[from + LEN - 8..][..4];
                            u32::from_ne_bytes(values.try_into().unwrap()) as usize
                        }
                        _ => 0,
                    };
                    prop_assert_eq!(plan.fixed_size() as usize + skipped, now.len() - from);
                    prop_assert_eq!(header.num_data, u64::from(version == RawVersion::V8));
                }
            }
            sink.finish().unwrap();
            prop_assert!(fs::read(&path).unwrap()[from..] == wanted);
            prop_assert!(from % 4096 + LEN <= 4096 && from - before < 4096);
        }
    }
}
