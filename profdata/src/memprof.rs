//! MemProf sections of indexed profiles, version 2 to 4: where programs allocate memory, and how that memory is used.
//!
//! [`MemProf::read`] checks all of a section, [`MemProf::absorb`] adds another one, and [`MemProf::write`] writes the bytes that
//! `llvm-profdata-22` writes of the same records in the same order. [`relocate`] moves a section that nobody has to look into.
//!
//! ```
//! use profdata::memprof::{Field, MemProf};
//!
//! fn bytes_allocated(profile: &profdata::Profile) -> Result<u64, profdata::Error> {
//!     let mut sum = 0u64;
//!     for (start, section) in profile.memprof_sections() {
//!         let section = MemProf::read(section, *start)?;
//!         sum = section.allocations().fold(sum, |sum, allocation| sum.saturating_add(allocation.get(Field::TotalSize)));
//!     }
//!     Ok(sum)
//! }
//! ```
//!
//! # A sum of sections
//!
//! | part | sum |
//! | --- | --- |
//! | allocations of a function | those of all inputs, equal ones too, as LLVM does; compilers combine those of one call stack |
//! | calls of a function | each call stack once, with the callees of all inputs (LLVM keeps the calls of one input) |
//! | accesses of a symbol or a string literal | the sum, which stops at 2^64 - 1, and all locations (LLVM keeps the accesses of one input) |
//! | symbols that are known to be cold | those of all inputs without accesses in any of them |
//! | summary | computed again |
//!
//! There is no sum of different versions, nor of blocks with different fields. `llvm-profdata` itself adds only raw and YAML profiles, LLVM 22
//! only if each input has a thread of its own, and leaves out all that indexed inputs have.
//!
//! # The format
//!
//! Integers are little-endian; offsets count from the start of the profile.
//!
//! | version 2 | version 3 | version 4 |
//! | --- | --- | --- |
//! | `u64` 2 | `u64` 3 | `u64` 4 |
//! | `u64` offsets of: array of the record table; items and array of the frame table; items and array of the stack table | `u64` offsets of: call stacks; items and array of the record table | those of version 3, and of data accesses or 0 |
//! | | | summary: `u32` 6, then `u64` contexts, cold contexts, hot contexts, size of the largest cold, warm and hot context |
//! | schema | schema | schema |
//! | record table | frames | frames |
//! | frame table | call stacks | call stacks |
//! | stack table | record table | record table |
//! | | | data accesses |
//!
//! - The schema is the number of fields and their ids, all `u64`. It says what the block of each allocation has.
//! - A frame has 17 bytes: `u64` hash of the function's name, `u32` lines from the start of the function, `u32` column, `u8` 1 if it is inlined.
//! - Call stacks of version 3 and 4 are an array of `u32`: a length, and numbers of frames from the one that allocates or calls to the first one
//!   of the program. A negative number is a jump by so many words to the rest of the stack, which a later one has, too.
//! - A record has the `u64` number of allocations, of each its stack and its block, and the `u64` number of calls, of each its stack and, in
//!   version 4, the `u64` number of callees and their hashes. A stack is its `u64` id in version 2, and the `u32` place of its length in the array
//!   since. Stacks with the same rest have it at the same words.
//! - A table has items in buckets of `u16` length, then zero bytes to a multiple of 8, then an array: `u64` number of buckets and of items, and of
//!   each bucket the `u64` offset, 0 for an empty one. An item is hash, length of the key (not in the stack table), length of the data, key and
//!   data, all `u64` but the data; its key is its hash. Ids of frames and stacks are the first 8 bytes of BLAKE3 of the frame's bytes and of the
//!   ids of the stack's frames.

mod data_access;
mod place;
mod read;
mod schema;
mod section;
mod stacks;
mod summary;
mod write;

pub use place::relocate;
pub use schema::{Field, Schema};
pub use section::{Allocation, MemProf};
pub use stacks::{Frame, StackId, Stacks};

use crate::release::Release;

/// Returns the version of a MemProf section; `None` for one without a version word, which is version 0.
pub fn version(section: &[u8]) -> Option<u64> {
    // Without a version word the first word is an offset after the header of the profile.
    word(section).filter(|version| *version < 24)
}

/// Returns whether the tools and compilers of a release read this section.
pub fn is_read_by(section: &[u8], release: Release) -> bool {
    match version(section) {
        Some(2 | 3) => release.number() >= 19,
        Some(4) => release.number() >= 21,
        // LLVM 19 still writes version 0 unless it is asked for another one.
        None => release.number() == 19,
        _ => false,
    }
}

/// Returns the section without records that the tool of a release writes, as it has to be at the start of a file; `None` where that is unknown.
pub(crate) fn empty(release: u32) -> Option<Vec<u8>> {
    match release {
        // Three offsets, all fields, and a table of records and one of frames, each with one empty bucket.
        19 => {
            let (ids, table) = (1..=27u64, [1, 0, 0]);
            let words = [248, 272, 272, 27].into_iter().chain(ids).chain(table).chain(table);
            Some(words.flat_map(u64::to_le_bytes).collect())
        }
        21.. => MemProf::new(3, Schema::of_hints()).write(0).ok(),
        _ => None,
    }
}

/// Returns the first eight bytes of BLAKE3 as a little-endian number: LLVM's ids of frames and of call stacks.
fn id(bytes: &[u8]) -> u64 {
    word(blake3::hash(bytes).as_bytes()).unwrap_or(0)
}

/// Returns the first word.
fn word(section: &[u8]) -> Option<u64> {
    section.first_chunk().map(|word| u64::from_le_bytes(*word))
}

#[cfg(test)]
mod tests;
