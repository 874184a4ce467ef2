//! Value data, and what the addresses in it stand for.

use std::cell::OnceCell;

use profrt_format::Encoding;
use profrt_format::layout::{Part, vtable_size};
use profrt_format::value::{MAX_VALUES_PER_SITE, record_size};
use profrt_format::value_record::{FunctionValues, value_and_count_in};

use super::RawFile;
use crate::error::{Error, ErrorKind};
use crate::values::{KINDS, Value, ValueSites};

const INDIRECT_CALL: usize = 0;
const VTABLE: usize = 2;

/// The addresses of functions and of vtables in the process that ran, with the hashes of their names.
#[derive(Debug)]
pub(crate) struct Targets<'f, 'a> {
    file: &'f RawFile<'a>,
    functions: OnceCell<Vec<(u64, u64)>>,
    /// Start, hash of the name, and end.
    vtables: OnceCell<Vec<(u64, u64, u64)>>,
}

impl<'f, 'a> Targets<'f, 'a> {
    /// Returns the targets of a profile. They are sorted when one is sought.
    pub(crate) fn of(file: &'f RawFile<'a>) -> Targets<'f, 'a> {
        Targets { file, functions: OnceCell::new(), vtables: OnceCell::new() }
    }

    /// Returns the hash of the name of the function at this address; 0 if none begins there. Of several functions in one place, as a linker
    /// leaves them that folds equal ones, that with the lowest hash.
    pub(crate) fn function(&self, address: u64) -> u64 {
        if address == 0 {
            return 0;
        }
        let functions = self.functions.get_or_init(|| {
            let heads = self.file.records().filter(|head| head.function_pointer != 0);
            let mut functions: Vec<_> = heads.map(|head| (head.function_pointer, head.name_ref)).collect();
            functions.sort_unstable();
            functions.dedup_by_key(|(address, _)| *address);
            functions
        });
        let found = functions.binary_search_by_key(&address, |(other, _)| *other).ok();
        found.and_then(|index| functions.get(index)).map_or(0, |(_, hash)| *hash)
    }

    /// Returns the hash of the name of the vtable in which this address is; 0 if it is in none.
    pub(crate) fn vtable(&self, address: u64) -> u64 {
        let vtables = self.vtables.get_or_init(|| {
            let mut vtables: Vec<_> =
                vtables(self.file).map(|(hash, start, size)| (start, hash, start.saturating_add(size))).collect();
            vtables.sort_unstable();
            vtables.dedup_by_key(|(start, ..)| *start);
            vtables
        });
        let above = vtables.partition_point(|(start, ..)| *start <= address);
        let found = above.checked_sub(1).and_then(|index| vtables.get(index));
        found.filter(|(.., end)| address < *end).map_or(0, |(_, hash, _)| *hash)
    }

    /// Returns what a value of this kind stands for in an indexed profile.
    pub(crate) fn resolve(&self, kind: usize, value: u64) -> u64 {
        match kind {
            INDIRECT_CALL => self.function(value),
            VTABLE => self.vtable(value),
            _ => value,
        }
    }
}

/// Returns hash of the name, address and size of each vtable.
pub(super) fn vtables(file: &RawFile<'_>) -> impl Iterator<Item = (u64, u64, u64)> {
    let encoding = file.encoding();
    let word = encoding.word.bytes() as usize;
    file.part(Part::VTables).chunks_exact(vtable_size(encoding.word) as usize).map(move |record| {
        let size = encoding.u32_at(record, 8usize.saturating_add(word)).unwrap_or(0);
        (encoding.u64_at(record, 0).unwrap_or(0), encoding.word_at(record, 8).unwrap_or(0), u64::from(size))
    })
}

/// Walks over the value data, from record to record.
#[derive(Clone, Debug)]
pub(crate) struct ValueCursor<'a> {
    rest: &'a [u8],
    /// Offset of `rest` in the input.
    at: u64,
    encoding: Encoding,
    kinds: usize,
}

impl<'a> ValueCursor<'a> {
    /// Returns the cursor at the start of a profile's value data.
    pub(crate) fn of(file: &RawFile<'a>) -> ValueCursor<'a> {
        ValueCursor {
            rest: file.values(),
            at: file.start().saturating_add(file.plan().fixed_size()),
            encoding: file.encoding(),
            kinds: file.plan().version().value_kinds().min(KINDS),
        }
    }

    /// Returns the values of the next function, which has these numbers of sites, not all 0, and steps over them. Errors: [`ErrorKind::Truncated`],
    /// [`ErrorKind::TooLarge`], [`ErrorKind::Malformed`].
    pub(crate) fn next(&mut self, sites: [u16; KINDS]) -> Result<FunctionValues<'a>, Error> {
        let taken = FunctionValues::take_in(self.encoding, self.rest, sites.get(..self.kinds).unwrap_or(&[]));
        let Some((values, rest)) = taken else { return Err(self.error()) };
        self.at = self.at.saturating_add((self.rest.len() as u64).saturating_sub(rest.len() as u64));
        self.rest = rest;
        Ok(values)
    }

    /// Returns how many bytes the values of the next function, with these numbers of sites, lack at least; `None` if they lack none, or
    /// begin with a size that can be no function's.
    pub(crate) fn missing(&self, sites: [u16; KINDS]) -> Option<u64> {
        let sites = sites.get(..self.kinds).unwrap_or(&[]);
        let least = record_size(sites, 0)?;
        let size = self.encoding.u32_at(self.rest, 0).map_or(least, u64::from);
        let most: u64 = sites.iter().map(|sites| u64::from(*sites)).sum::<u64>().saturating_mul(MAX_VALUES_PER_SITE);
        let is_size = size >= least && size <= record_size(sites, most)?;
        size.checked_sub(self.rest.len() as u64).filter(|missing| is_size && *missing > 0)
    }

    #[cold]
    fn error(&self) -> Error {
        let left = self.rest.len();
        match self.encoding.u32_at(self.rest, 0).filter(|_| left >= 8) {
            None => Error::new(ErrorKind::Truncated, "ValueProfData").at(self.at).found(format_args!("{left} bytes")),
            Some(size) if size as usize > left => Error::new(ErrorKind::TooLarge, "TotalSize")
                .at(self.at)
                .expected(format_args!("at most {left} bytes"))
                .found(format_args!("{size} bytes")),
            Some(_) => Error::new(ErrorKind::Malformed, "ValueProfData").at(self.at),
        }
    }

    /// Returns the offset in the input of what has not been walked over.
    pub(crate) fn position(&self) -> usize {
        usize::try_from(self.at).unwrap_or(usize::MAX)
    }
}

/// Puts the values of a function into `to`, with hashes in the place of addresses.
pub(crate) fn fill(mut values: FunctionValues<'_>, targets: &Targets<'_, '_>, to: &mut ValueSites) {
    to.clear();
    let encoding = targets.file.encoding();
    for (kind, slot) in to.kinds.iter_mut().enumerate() {
        for _ in 0..values.sites(kind) {
            // Never more than 2^32 values: a function has at most 65535 sites of 255 values each of a kind.
            slot.push_site(values.next_site(kind).iter().map(|pair| {
                let (value, count) = value_and_count_in(encoding, pair);
                Value { value: targets.resolve(kind, value), count }
            }));
        }
    }
}
