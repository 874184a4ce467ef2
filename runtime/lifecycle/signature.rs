//! The signature of this image: a hash of its names, function hashes, sizes and raw version, which other images do not share.

#![allow(unsafe_code)]

use crate::publish::hash::{SEED, hash_bytes, mix};
use crate::sections::{Image, build_id, variables};
use crate::span::Span;
use crate::value::node::records;

/// A hash of words and bytes.
struct Hash(u64);

impl Hash {
    /// Adds a word.
    fn word(&mut self, word: u64) {
        self.0 = mix(self.0, word);
    }

    /// Adds bytes.
    ///
    /// # Safety
    /// The span must be readable and not change.
    unsafe fn bytes(&mut self, span: Span) {
        if span.len == 0 {
            return;
        }
        // SAFETY: the caller passes readable bytes that do not change; the span is not empty, so its pointer is not null.
        let bytes = unsafe { core::slice::from_raw_parts(span.start, span.len) };
        self.0 = hash_bytes(bytes, self.0);
    }
}

/// Returns the signature of this image.
pub fn signature() -> u64 {
    let image = Image::this();
    let mut hash = Hash(SEED);
    hash.word(variables::raw_version());
    for (_, span) in image.parts() {
        hash.word(span.len as u64);
    }
    // SAFETY: names are constant data of the image.
    unsafe { hash.bytes(image.names) };
    if image.data.len == 0 && image.names.len == 0 {
        // A program without records and names in memory is identified by its build id.
        // SAFETY: notes are constant data of the image.
        unsafe { hash.bytes(build_id::first(&image.notes)) };
    }
    // SAFETY: the records are this image's own. (With records of another raw version the write fails before this call.)
    for record in unsafe { records(image.data) } {
        let sites = |kind: usize| u64::from(record.num_value_sites.get(kind).copied().unwrap_or(0));
        hash.word(record.name_ref);
        hash.word(record.func_hash.wrapping_add(sites(2)));
        hash.word(u64::from(record.num_counters) | sites(0) << 32 | sites(1) << 48);
    }
    hash.0
}
