//! Finds build ids in the bytes of ELF notes. The walk never leaves the notes, whatever lengths they contain.

#![allow(unsafe_code)]

use crate::format::Encoding;
use crate::span::Span;

/// Largest number of note segments of an image that are searched. Linkers emit one or two; on devices at most one. Only ELF has any.
pub const MAX_NOTE_SEGMENTS: usize = (if cfg!(feature = "hosted") { 4 } else { 1 }) * cfg!(elf) as usize;

const NT_GNU_BUILD_ID: u32 = 3;
const NOTE_HEADER: usize = 12;

/// The build ids in the notes of an image, in their order.
#[derive(Clone, Debug)]
pub struct BuildIds<'a> {
    /// Segments that are not searched yet.
    notes: &'a [Span],
    /// The rest of the segment that is being searched.
    rest: &'a [u8],
}

/// Returns the build ids in notes, which have this machine's byte order.
#[inline]
pub const fn build_ids(notes: &[Span]) -> BuildIds<'_> {
    BuildIds { notes, rest: &[] }
}

impl<'a> BuildIds<'a> {
    /// Returns the next build id in the segment that is being searched.
    fn next_here(&mut self) -> Option<&'a [u8]> {
        loop {
            let (header, body) = self.rest.split_at_checked(NOTE_HEADER)?;
            let word = |at| Encoding::NATIVE.u32_at(header, at);
            let (name_len, id_len, kind) = (word(0)? as usize, word(4)? as usize, word(8)?);
            // The name and the description are padded to 4; the last padding may be missing.
            let padded = |len: usize| len.saturating_add(3) & !3;
            let description = body.get(padded(name_len)..)?;
            let id = description.get(..id_len)?;
            self.rest = description.get(padded(id_len)..).unwrap_or_default();
            if kind == NT_GNU_BUILD_ID && name_len == 4 && id_len > 0 && body.first_chunk() == Some(b"GNU\0") {
                return Some(id);
            }
        }
    }
}

impl<'a> Iterator for BuildIds<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            if let Some(id) = self.next_here() {
                return Some(id);
            }
            let (notes, others) = self.notes.split_first()?;
            self.notes = others;
            // SAFETY: `elf::notes` has found the span in a loaded segment, and notes never change; or a test passes a slice.
            self.rest = unsafe { notes.bytes() };
        }
    }
}

/// Returns the first build id in the notes of an image, or an empty span.
pub fn first(notes: &[Span]) -> Span {
    build_ids(notes).next().map_or(Span::EMPTY, Span::of)
}

#[cfg(test)]
mod tests {
    //! Well-formed notes, cut ones, and notes that lie about their lengths.
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    fn note(name: &[u8], kind: u32, description: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend((name.len() as u32).to_ne_bytes());
        bytes.extend((description.len() as u32).to_ne_bytes());
        bytes.extend(kind.to_ne_bytes());
        for part in [name, description] {
            bytes.extend(part);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        bytes
    }

    #[test]
    fn finds_the_id_behind_others() {
        let mut bytes = note(b"GNU\0", 5, &[1, 2, 3]);
        bytes.extend(note(b"stapsdt\0", 3, &[9; 7]));
        bytes.extend(note(b"GNU\0", 3, &[7; 20]));
        bytes.extend(note(b"GNU\0", 3, &[8; 5]));
        let notes = [Span::EMPTY, Span::of(&bytes), Span::EMPTY];
        let found: Vec<_> = build_ids(&notes).collect();
        assert_eq!(found, [&[7u8; 20][..], &[8; 5]]);
    }

    #[test]
    fn cut_anywhere_is_nothing_worse_than_absent() {
        let bytes = note(b"GNU\0", 3, &[7; 20]);
        for cut in 0..bytes.len() {
            assert_eq!(build_ids(&[Span::of(&bytes[..cut])]).count(), 0);
        }
        // Without the padding of the last description it is still whole.
        let odd = note(b"GNU\0", 3, &[7; 5]);
        assert_eq!(build_ids(&[Span::of(&odd[..odd.len() - 3])]).count(), 1);
    }

    proptest! {
        #[test]
        fn any_bytes_end(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let total: usize = build_ids(&[Span::of(&bytes)]).map(<[u8]>::len).sum();
            prop_assert!(total <= bytes.len());
        }
    }
}
