//! Raw profiles of one binary: their counters are added section to section, without a look at records and names.
//!
//! Profiles of one binary are most inputs of a merge, and all that differs between them is counters, bitmaps, values and addresses. The first
//! one is read record by record, to see that each record is sound and that no two share a counter. Of the others only the fingerprint is
//! computed. At the end the sums become those of the functions.

use std::sync::Arc;

use profrt_format::layout::Part;

use super::Merger;
use super::alternates::Addition;
use super::counters::{CounterSums, Sharing};
use super::sites::{SiteScratch, add_sites};
use crate::error::Error;
use crate::finding::{Finding, FindingKind, InputId};
use crate::flags::Flags;
use crate::name::Name;
use crate::profile::Span;
use crate::read::names::NameTable;
use crate::read::raw::{Counters, RawFile, Targets, ValueCursor, fill};
use crate::sink::Heading;
use crate::values::{KINDS, ValueSites};

/// The number of binaries whose sums are kept apart from those of the functions, and the number of their counters. The one that was used least
/// recently makes room for another.
const MOST: usize = 16;
const MOST_COUNTERS: usize = 8 << 20;
/// How often the names of a file may be compared, on average: records may share a long name.
const COMPARED: usize = 64;

/// The sum of raw profiles of one binary.
#[derive(Debug)]
pub(crate) struct Binary {
    fingerprint: u128,
    heading: Heading,
    /// The first one that was added.
    input: InputId,
    /// `None`: they are not wanted.
    names: Option<Arc<NameTable>>,
    functions: Vec<Function>,
    files: u64,
    /// The sums of the counters, once a file was added.
    sums: Option<Arc<CounterSums>>,
    num_counters: usize,
    /// Counters that belong to no function, as (first, number).
    gaps: Vec<(usize, usize)>,
    bitmap: Vec<u8>,
}

/// A function of the binary.
#[derive(Debug)]
struct Function {
    name: u64,
    hash: u64,
    counters: Span,
    bitmap: Span,
    sites: [u16; 3],
    values: Option<Box<ValueSites>>,
}

/// What was added of a file.
#[derive(Debug)]
pub(crate) struct Added {
    pub(crate) functions: u64,
    pub(crate) counts: u128,
    pub(crate) findings: Vec<Finding>,
}

impl Merger {
    /// Adds a raw file if all of it can be added section to section: it has one profile, which is whole, of words, without time stamps.
    /// Returns `None`, and has added nothing, for others.
    ///
    /// Errors: [`crate::error::ErrorKind::Incompatible`].
    pub(crate) fn add_sections(&mut self, input: InputId, bytes: &[u8]) -> Result<Option<Added>, Error> {
        let Ok(file) = RawFile::parse(bytes, 0) else { return Ok(None) };
        let exotic = Flags::TEMPORAL | Flags::BYTE_COVERAGE;
        let is_simple = !file.needs_correlation()
            && file.flags().unknown() == Flags::NONE
            && file.flags().without(exotic) == file.flags()
            && file.part(Part::UniformCounters).is_empty();
        if !is_simple {
            return Ok(None);
        }
        let mut sites = Vec::new();
        let fingerprint = file.identify(|index, numbers| {
            if numbers != [0; KINDS] {
                sites.push((index, numbers));
            }
        });
        if !is_whole(&file, &sites, bytes.len()) {
            return Ok(None);
        }
        if let Some(place) = self.binaries.iter().position(|binary| binary.fingerprint == fingerprint) {
            // The last one is the one that was used last.
            self.binaries.get_mut(place..).unwrap_or_default().rotate_left(1);
            let (sharing, scratch) = (&self.sharing, &mut self.scratch);
            return Ok(self.binaries.last_mut().and_then(|binary| binary.add(input, &file, &sites, sharing, scratch)));
        }
        let Some(mut binary) = Binary::of(&file, fingerprint, input, self.options.unnamed) else { return Ok(None) };
        let (binary_ids, ids_error) = file.binary_ids();
        let (vtable_names, names_error) = NameTable::salvage(file.part(Part::VNames));
        if ids_error.is_some() || names_error.is_some() {
            return Ok(None);
        }
        // Whether that is an error depends on whether a record can be used.
        let fits = self.check_fit(binary.heading.flags).is_ok();
        if !fits || self.kinds.check(&binary.heading, self.options.mix_kinds).is_err() {
            return Ok(None);
        }
        self.make_room(binary.num_counters)?;
        let Some(added) = binary.add(input, &file, &sites, &self.sharing, &mut self.scratch) else { return Ok(None) };
        if !binary.functions.is_empty() {
            self.kinds.add(&binary.heading, self.options.mix_kinds)?;
        }
        self.binary_ids.extend(binary_ids.into_iter().map(<[u8]>::to_vec));
        self.vtable_names.extend(vtable_names.iter().filter_map(|name| name.bytes.map(<[u8]>::to_vec)));
        self.binaries.push(binary);
        Ok(Some(added))
    }

    /// Makes sums of functions of the binaries that were used least recently, until there is room for one with so many counters.
    fn make_room(&mut self, counters: usize) -> Result<(), Error> {
        let counters_of = |binaries: &[Binary]| binaries.iter().fold(counters, |sum, binary| sum + binary.num_counters);
        while !self.binaries.is_empty() && (self.binaries.len() >= MOST || counters_of(&self.binaries) > MOST_COUNTERS)
        {
            let binary = self.binaries.remove(0);
            self.flush(binary)?;
        }
        Ok(())
    }

    /// Makes the sums of all binaries sums of functions.
    pub(crate) fn flush_binaries(&mut self) -> Result<(), Error> {
        for binary in std::mem::take(&mut self.binaries) {
            self.flush(binary)?;
        }
        Ok(())
    }

    fn flush(&mut self, binary: Binary) -> Result<(), Error> {
        // No file was added, or nothing of it.
        let Some(sums) = binary.sums else { return Ok(()) };
        let mut section = self.sharing.take(sums);
        // The first section becomes the sums of its functions without a copy. Of others only the counters of new functions are kept: a
        // binary that makes room for another again and again would leave a section each time.
        let is_moved = self.sums.counters.is_empty();
        if is_moved {
            std::mem::swap(&mut self.sums.counters, &mut section);
        }
        self.next = 0;
        self.reserve(binary.functions.len());
        let mut next_name = 0;
        for function in binary.functions {
            let name = binary.names.as_ref().and_then(|names| names.get_after(function.name, &mut next_name));
            let name = name.unwrap_or(Name::of_hash(function.name));
            let place = self.place(name, function.hash, binary.input)?;
            let Some(sum) = self.records.get_mut(place) else { continue };
            let addition =
                Addition { input: binary.input, weight: 1, contributions: binary.files, before: sum.contributions };
            let origins = (addition.before > 0).then(|| sum.origins());
            sum.contributions = sum.contributions.saturating_add(binary.files);
            let (counters, bitmap) = (function.counters, function.bitmap.of(&binary.bitmap));
            match addition.before {
                0 if is_moved => sum.counters = counters,
                0 => sum.counters = Span::append(&mut self.sums.counters, counters.of(&section)),
                _ => {
                    let section = if is_moved { &self.sums.counters } else { &section };
                    let counts = counters.of(section).to_vec();
                    self.sums.add_counters(sum, &counts, &[], addition);
                }
            }
            match addition.before {
                0 => sum.bitmap = Span::append(&mut self.sums.bitmaps, bitmap),
                _ => self.sums.add_bitmap(sum, bitmap, addition),
            }
            let sites = function.sites;
            let values = function.sites_with_values();
            if values.is_some() || sum.extra.is_some() {
                sum.add_values(&values.unwrap_or_default(), addition, &mut self.scratch);
            }
            if let Some(origins) = origins {
                let [calls, sizes, vtables] = sites.map(usize::from);
                sum.settle_sizes(origins, binary.input, [counters.len, bitmap.len(), calls, sizes, vtables]);
            }
        }
        Ok(())
    }
}

/// A function with value sites: its number, and its numbers of sites of each kind.
type FunctionSites = (usize, [u16; KINDS]);

/// Returns whether the values of the first profile are sound, and the file ends where they end.
fn is_whole(file: &RawFile<'_>, sites: &[FunctionSites], len: usize) -> bool {
    let mut cursor = ValueCursor::of(file);
    sites.iter().all(|(_, numbers)| cursor.next(*numbers).is_ok()) && cursor.position() == len
}

impl Function {
    fn sites_with_values(self) -> Option<Box<ValueSites>> {
        if self.values.is_some() || self.sites == [0; 3] {
            return self.values;
        }
        let mut values = Box::<ValueSites>::default();
        for (kind, sites) in values.kinds.iter_mut().zip(self.sites) {
            (0..sites).for_each(|_| {
                kind.push_site([]);
            });
        }
        Some(values)
    }
}

impl Binary {
    /// Returns the sum of no files of a binary, one of whose files is `file`. `None` if a record is not sound, or shares counters or bitmap
    /// with another.
    fn of(file: &RawFile<'_>, fingerprint: u128, input: InputId, unnamed: bool) -> Option<Binary> {
        let Counters::Words(counters) = file.counters() else { return None };
        let names = match (!unnamed).then(|| file.names()) {
            None => None,
            Some((names, None)) => Some(names),
            Some((_, Some(_))) => return None,
        };
        let bitmap_len = file.bitmap().len();
        let mut functions = Vec::with_capacity(file.num_records());
        let text_len = names.as_ref().map_or(0, |names| names.text_len());
        let mut compared = text_len.saturating_mul(COMPARED).max(1 << 20);
        let mut next_name = 0;
        for head in file.records() {
            let counters_of = Span { start: head.counter_index()?, len: usize::try_from(head.num_counters).ok()? };
            let bitmap = match head.num_bitmap_bytes {
                0 => Span::default(),
                len => Span { start: usize::try_from(head.bitmap_at).ok()?, len: usize::try_from(len).ok()? },
            };
            let name = names.as_ref().and_then(|names| names.get_after(head.name_ref, &mut next_name));
            compared = compared.checked_sub(name.and_then(|name| name.bytes).map_or(0, <[u8]>::len))?;
            let is_named = name.is_some() || names.as_ref().is_none_or(|names| names.is_empty());
            let is_inside = counters_of.start.checked_add(counters_of.len)? <= counters.len()
                && bitmap.start.checked_add(bitmap.len)? <= bitmap_len;
            if counters_of.len == 0 || !is_inside || !is_named {
                return None;
            }
            functions.push(Function {
                name: head.name_ref,
                hash: head.hash,
                counters: counters_of,
                bitmap,
                sites: head.sites,
                values: None,
            });
        }
        gaps(functions.iter().map(|function| function.bitmap), bitmap_len)?;
        let gaps = gaps(functions.iter().map(|function| function.counters), counters.len())?;
        Some(Binary {
            fingerprint,
            heading: file.heading(),
            input,
            names,
            functions,
            files: 0,
            sums: None,
            num_counters: counters.len(),
            gaps,
            bitmap: vec![0; bitmap_len],
        })
    }

    /// Adds a file of the binary that [`is_whole`]. Returns `None`, and has added nothing, if a counter is too large or a sum could be.
    fn add(
        &mut self,
        input: InputId,
        file: &RawFile<'_>,
        sites: &[FunctionSites],
        sharing: &Sharing,
        scratch: &mut SiteScratch,
    ) -> Option<Added> {
        let Counters::Words(words) = file.counters() else { return None };
        let encoding = file.encoding();
        let mut counts = match &self.sums {
            Some(sums) => sums.add(words, encoding)?,
            None => {
                let (sums, added) = sharing.begin(self.fingerprint, words, encoding)?;
                self.sums = Some(sums);
                added
            }
        };
        for (first, len) in &self.gaps {
            let gap = words.get(*first..).and_then(|words| words.get(..*len)).unwrap_or(&[]);
            counts = gap.iter().fold(counts, |counts, word| counts.saturating_sub(encoding.u64_of(word).into()));
        }
        self.input = if self.files == 0 { input } else { self.input.min(input) };
        self.files = self.files.saturating_add(1);
        for (sum, byte) in self.bitmap.iter_mut().zip(file.bitmap()) {
            *sum |= byte;
        }
        let mut findings = Vec::new();
        if self.names.as_ref().is_some_and(|names| names.is_empty()) && !self.functions.is_empty() {
            findings.push(Finding::of_input(FindingKind::NamesLost));
        }
        let (mut cursor, targets) = (ValueCursor::of(file), Targets::of(file));
        let mut input = ValueSites::default();
        for (place, numbers) in sites {
            let Ok(values) = cursor.next(*numbers) else { break };
            let Some(function) = self.functions.get_mut(*place).filter(|_| !values.is_empty()) else { continue };
            fill(values, &targets, &mut input);
            let sums = function.values.get_or_insert_default();
            for ((number, sum), kind) in (0..).zip(&mut sums.kinds).zip(&input.kinds) {
                add_sites(number, sum, kind, 1, scratch);
            }
            let found = scratch.found.drain(..);
            findings.extend(found.map(|kind| Finding::of_function(function.name, function.hash, kind)));
        }
        Some(Added { functions: self.functions.len() as u64, counts, findings })
    }
}

/// Returns the ranges of `0..len` that are in no span, as (first, number); `None` if two spans overlap.
fn gaps(spans: impl Iterator<Item = Span>, len: usize) -> Option<Vec<(usize, usize)>> {
    let mut spans: Vec<_> = spans.filter(|span| span.len > 0).map(|span| (span.start, span.len)).collect();
    if !spans.is_sorted() {
        spans.sort_unstable();
    }
    let mut gaps = Vec::new();
    let mut end = 0;
    for (start, len) in spans {
        match start.checked_sub(end)? {
            0 => {}
            gap => gaps.push((end, gap)),
        }
        end = start.checked_add(len)?;
    }
    match len.checked_sub(end)? {
        0 => {}
        gap => gaps.push((end, gap)),
    }
    Some(gaps)
}
