//! The functions of all files, and the sums of their counts. A mark is a copy of the sums.

use std::ops::Range;

use anyhow::Result;
use indexmap::IndexMap;
use profdata::Profile;
use profdata::read::names::NameTable;
use profdata::read::raw::RecordHead;
use profdata::sink::{Flags, Format, Heading, Name, RecordRef, Sink as _};

/// The counts of all functions, one after the other.
#[derive(Clone, Default)]
pub(super) struct Sums {
    pub(super) counters: Vec<u64>,
    /// MC/DC.
    pub(super) bitmaps: Vec<u8>,
}

/// A function, which files of several processes and builds can have.
pub(super) struct Function {
    name: Option<Box<[u8]>>,
    pub(super) counters: Range<usize>,
    pub(super) bitmap: Range<usize>,
}

/// All functions that any file has had, with their counts in all processes, also in those that have ended.
#[derive(Default)]
pub(super) struct Functions {
    /// By the hashes of their names and their structural hashes.
    all: IndexMap<(u64, u64), Function>,
    headings: Vec<Heading>,
    pub(super) sums: Sums,
}

impl Functions {
    /// Notes what a file says of itself.
    pub(super) fn heading(&mut self, heading: Heading) {
        if !self.headings.contains(&heading) {
            self.headings.push(heading);
        }
    }

    /// Returns the number of the function of a record, which is new or known; `None` if a file has it with another number of counters.
    pub(super) fn number(&mut self, head: &RecordHead, names: &NameTable) -> Option<u32> {
        let entry = self.all.entry((head.name_ref, head.hash));
        let number = entry.index() as u32;
        let known = entry.or_insert_with(|| Function {
            name: names.get(head.name_ref).and_then(|name| name.bytes).map(Box::from),
            counters: extend(&mut self.sums.counters, head.num_counters as usize),
            bitmap: extend(&mut self.sums.bitmaps, head.num_bitmap_bytes as usize),
        });
        let is_same =
            (known.counters.len(), known.bitmap.len()) == (head.num_counters as usize, head.num_bitmap_bytes as usize);
        is_same.then_some(number)
    }

    /// Returns the flags of all files.
    pub(super) fn flags(&self) -> Flags {
        self.headings.iter().fold(Flags::default(), |all, heading| all | heading.flags)
    }

    /// Returns the format of the files, for the order of bits in bitmaps of MC/DC.
    pub(super) fn format(&self) -> Format {
        self.headings.first().map_or(Format::Text, |heading| heading.format)
    }

    /// Returns a function by its number, with the hash of its name and its structural hash.
    pub(super) fn get(&self, number: u32) -> Option<((u64, u64), &Function)> {
        self.all.get_index(number as usize).map(|(key, function)| (*key, function))
    }

    /// Returns the number of a function by the hash of its name and its structural hash.
    pub(super) fn find(&self, key: (u64, u64)) -> Option<u32> {
        self.all.get_index_of(&key).map(|number| number as u32)
    }

    /// Returns the numbers of all.
    pub(super) fn numbers(&self) -> Range<u32> {
        0..self.all.len() as u32
    }

    /// Returns the counters of a function.
    pub(super) fn counters(&self, function: &Function) -> &[u64] {
        self.sums.counters.get(function.counters.clone()).unwrap_or_default()
    }

    /// Returns the bitmap of a function.
    pub(super) fn bitmap(&self, function: &Function) -> &[u8] {
        self.sums.bitmaps.get(function.bitmap.clone()).unwrap_or_default()
    }

    /// Returns the counters of a function, less those that it had in `base`.
    pub(super) fn since(&self, function: &Function, base: &Sums) -> Vec<u64> {
        let now = self.counters(function);
        let before = base.counters.get(function.counters.clone()).unwrap_or_default();
        // What was not there yet was 0.
        let before = before.iter().copied().chain(std::iter::repeat(0));
        now.iter().zip(before).map(|(now, before)| now.saturating_sub(before)).collect()
    }

    /// Returns what functions have counted since the sums were `base`, as a profile.
    ///
    /// Errors: there are too many names.
    pub(super) fn profile(&self, numbers: impl IntoIterator<Item = u32>, base: &Sums) -> Result<Profile> {
        let mut profile = Profile::new();
        self.headings.iter().try_for_each(|heading| profile.heading(heading))?;
        let most = if profile.flags().has(Flags::BYTE_COVERAGE) { 1 } else { RecordRef::MAX_COUNT };
        for ((name, hash), function) in numbers.into_iter().filter_map(|number| self.get(number)) {
            let counters: Vec<u64> = self.since(function, base).into_iter().map(|count| count.min(most)).collect();
            let now = self.bitmap(function);
            let before = base.bitmaps.get(function.bitmap.clone()).unwrap_or_default();
            let before = before.iter().copied().chain(std::iter::repeat(0));
            let bitmap: Vec<u8> = now.iter().zip(before).map(|(now, before)| now & !before).collect();
            profile.push(RecordRef {
                name: Name { hash: name, bytes: function.name.as_deref() },
                hash,
                counters: &counters,
                bitmap: &bitmap,
                uniformity: &[],
                values: None,
            })?;
        }
        Ok(profile)
    }
}

/// Makes a vector longer by zeros. Returns where they are.
fn extend<T: Copy + Default>(all: &mut Vec<T>, more: usize) -> Range<usize> {
    let start = all.len();
    all.resize(start.saturating_add(more), T::default());
    start..all.len()
}
