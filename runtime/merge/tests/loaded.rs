//! An image in this process, made from a profile: what the process that wrote it had in memory, loaded at another place. And a
//! profile taken to pieces, to compare with.

#![allow(unsafe_code)]

use std::vec;
use std::vec::Vec;

use crate::dump;
use crate::error::Result;
use crate::format::header::Header;
use crate::format::layout::{Padding, Part, Sections};
use crate::format::{Encoding, Variant, WordSize};
use crate::merge::into_memory::Target;
use crate::native::{Plan, RAW_VERSION, RECORD, Record, empty_plan};
use crate::raw;
use crate::sections::Image;
use crate::sink::Sink;
use crate::span::Span;
use crate::value::{node, reset};

/// Sink that keeps all bytes.
pub struct Kept(pub Vec<u8>);

impl Sink for Kept {
    unsafe fn put(&mut self, span: Span) -> Result {
        if span.len > 0 {
            // SAFETY: readable by this function's contract.
            self.0.extend(unsafe { core::slice::from_raw_parts(span.start, span.len) });
        }
        Ok(())
    }

    #[cfg(feature = "hosted")]
    unsafe fn write(&mut self, spans: &[Span]) -> Result {
        // SAFETY: each span meets the contract of `put`, by this function's contract.
        spans.iter().try_for_each(|span| unsafe { self.put(*span) })
    }
}

/// The pairs of a site.
pub type Site = Vec<(u64, u64)>;

/// The parts of a profile.
#[derive(Clone, Debug)]
pub struct Pieces {
    /// Its plan.
    pub plan: Plan,
    /// Bytes of the records, of counters (padding is zeros), bitmaps and names.
    pub parts: [Vec<u8>; 4],
    /// Offsets of the time stamps in the counters.
    pub stamps: Vec<usize>,
    /// Addresses of functions.
    pub functions: Vec<u64>,
    /// For each function: kind of each site, and its pairs.
    pub sites: Vec<Vec<(usize, Site)>>,
}

impl Pieces {
    /// Parses a valid profile of this machine and raw version, with valid value data.
    pub fn of(profile: &[u8]) -> Option<Pieces> {
        Pieces::at_start(profile).filter(|(_, len)| *len == profile.len()).map(|(pieces, _)| pieces)
    }

    /// Parses the profile that a buffer begins with.
    pub fn in_buffer(buffer: &[u8]) -> Option<Pieces> {
        let (header, version, _) = Header::decode(buffer).ok()?;
        let fixed = Plan::of_header(header, version, WordSize::NATIVE).ok()?.fixed_size() as usize;
        let valued = buffer.get(fixed..)?.iter().take(4).any(|byte| *byte != 0);
        Pieces::at_start(if valued { buffer } else { &buffer[..fixed] }).map(|(pieces, _)| pieces)
    }

    /// Parses the profile at the start of the bytes. Returns its length too.
    fn at_start(profile: &[u8]) -> Option<(Pieces, usize)> {
        let (header, version, encoding) = Header::decode(profile).ok()?;
        if version != RAW_VERSION || encoding != Encoding::NATIVE {
            return None;
        }
        let plan = Plan::of_header(header, version, WordSize::NATIVE).ok()?;
        let mut rest = profile.get(plan.fixed_size() as usize..)?;
        let part = |part: Part| {
            let chunk = plan.chunk(part);
            profile[chunk.offset as usize..][..chunk.len as usize].to_vec()
        };
        let mut parts = [Part::Data, Part::Counters, Part::Bitmap, Part::Names].map(part);
        // Padding between the counters of functions is nobody's: a merge may take either side's.
        let mut counters = vec![0; parts[1].len()];
        let (mut stamps, mut functions, mut sites) = (vec![], vec![], vec![]);
        for index in 0..header.num_data as usize {
            let (record, from) = (record_at(&parts[0], index), index * size_of::<Record>());
            let at = (record.counter_ptr as u64).wrapping_add(from as u64).wrapping_sub(header.counters_delta) as usize;
            let words = plan.counter_size() == 8;
            if Variant(header.version).has(Variant::TEMPORAL) && (words || record.num_counters > 8) {
                stamps.push(at);
            }
            let range = at..at + record.num_counters as usize * plan.counter_size() as usize;
            counters[range.clone()].copy_from_slice(&parts[1][range]);
            functions.push(record.function_pointer as u64);
            sites.push(take_sites(&record, &mut rest)?);
        }
        parts[1] = counters;
        Some((Pieces { plan, parts, stamps, functions, sites }, profile.len() - rest.len()))
    }

    /// The counters, of whatever size.
    pub fn counter(&self, at: usize) -> u64 {
        u64::from_ne_bytes(self.parts[1][at..at + 8].try_into().unwrap())
    }
}

fn record_at(data: &[u8], index: usize) -> Record {
    let bytes = &data[index * size_of::<Record>()..][..size_of::<Record>()];
    // SAFETY: integers and a pointer that is not followed; the bytes are as many.
    unsafe { bytes.as_ptr().cast::<Record>().read_unaligned() }
}

/// Parses the sites of a function at the start of the value data; without any bytes all are empty.
fn take_sites(record: &Record, rest: &mut &[u8]) -> Option<Vec<(usize, Site)>> {
    let kinds = || record.num_value_sites.iter().enumerate().filter(|(_, sites)| **sites > 0);
    let mut all = vec![];
    if kinds().count() == 0 || rest.is_empty() {
        kinds().for_each(|(kind, sites)| all.extend((0..*sites).map(|_| (kind, vec![]))));
        return Some(all);
    }
    let u32_at = |bytes: &[u8], at: usize| Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let u64_at = |bytes: &[u8], at: usize| Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let total = u32_at(rest, 0)? as usize;
    if u32_at(rest, 4)? as usize != kinds().count() {
        return None;
    }
    let own = rest.get(..total)?;
    *rest = &rest[total..];
    let mut at = 8;
    for (kind, &sites) in kinds() {
        if u32_at(own, at)? as usize != kind || u32_at(own, at + 4)? != u32::from(sites) {
            return None;
        }
        let counts = own.get(at + 8..at + 8 + usize::from(sites))?;
        at += (8 + usize::from(sites)).next_multiple_of(8);
        for count in counts {
            let mut site = vec![];
            for _ in 0..*count {
                site.push((u64_at(own, at)?, u64_at(own, at + 8)?));
                at += 16;
            }
            all.push((kind, site));
        }
    }
    (at == total).then_some(all)
}

/// The sections, in the order in which they are loaded.
const PARTS: [Part; 6] = [Part::Data, Part::Counters, Part::Bitmap, Part::Names, Part::VTables, Part::VNames];

/// An image in memory that is never freed, because nodes and the runtime's cache know its sites by their addresses.
pub struct Loaded {
    /// Its sections.
    pub image: Image,
    /// Its plan.
    pub plan: Plan,
    /// All of its memory.
    pub loaded_range: Span,
    start: Pieces,
}

// SAFETY: tests that share one take turns.
unsafe impl Send for Loaded {}

impl Loaded {
    /// Makes the image of a profile, with the counts of the profile and without its values.
    pub fn of(profile: &[u8]) -> Option<Loaded> {
        let pieces = Pieces::of(profile)?;
        let header = *pieces.plan.header();
        let chunk = |part: Part| pieces.plan.chunk(part);
        let heads: usize = pieces.sites.iter().map(Vec::len).sum();
        let lens = PARTS.map(|part| (chunk(part).len as usize).div_ceil(8));
        let words = lens.iter().sum::<usize>() + heads * size_of::<usize>() / 8 + 1;
        let memory: &'static mut [u64] = vec![0; words].leak();
        let start = memory.as_mut_ptr().cast::<u8>();
        let mut at = 0;
        let spans = PARTS.map(|part| {
            let bytes = &profile[chunk(part).offset as usize..][..chunk(part).len as usize];
            let len = bytes.len();
            // SAFETY: there are as many words as all parts together take.
            let span = unsafe {
                core::ptr::copy_nonoverlapping(bytes.as_ptr(), start.add(at), len);
                Span { start: start.add(at), len }
            };
            at += len.next_multiple_of(8);
            span
        });
        let [data, counters, bitmap, names, vtables, vnames] = spans;
        let sections = Sections { data, counters, bitmap, names, vtables, vnames, uniform: Span::EMPTY };
        let image = Image { sections, ..Image::EMPTY };
        let loaded_range = Span { start, len: words * 8 };
        let bias = names.address().wrapping_sub(header.names_delta);
        let inside = |address: u64| {
            (loaded_range.address()..loaded_range.address() + loaded_range.len as u64).contains(&address)
        };
        for index in 0..header.num_data as usize {
            let place = index * size_of::<Record>();
            // SAFETY: within the records just copied, which are aligned.
            let record = unsafe { &mut *start.add(place).cast::<Record>() };
            let move_to = |pointer: isize, delta: u64, section: Span| {
                let offset = (pointer as u64).wrapping_add(place as u64).wrapping_sub(delta);
                section.address().wrapping_add(offset).wrapping_sub(data.address() + place as u64) as isize
            };
            record.counter_ptr = move_to(record.counter_ptr, header.counters_delta, counters);
            let shape = RECORD;
            if let (Some(at), Some(len)) = (shape.bitmap_ptr, shape.num_bitmap_bytes) {
                let record = core::ptr::from_mut(record).cast::<u8>();
                // SAFETY: fields of the record, at their places.
                unsafe {
                    let pointer = record.add(at).cast::<isize>();
                    if record.add(len).cast::<u32>().read() > 0 {
                        pointer.write(move_to(pointer.read(), header.bitmap_delta, bitmap));
                    }
                }
            }
            let there = record.function_pointer as u64;
            if there != 0 {
                let moved = there.wrapping_add(bias);
                // Functions of other images move by another distance.
                record.function_pointer = if inside(moved) { moved as usize } else { there as usize ^ 0x7000 };
            }
            let sites = node::site_count(record);
            // SAFETY: behind all parts there are words for all heads.
            record.values = crate::sync::AtomicPtr::new(unsafe { start.add(at) });
            at += sites * size_of::<usize>();
        }
        let mut plan = empty_plan();
        plan.set_image(&raw::shape(&image, header.version, Padding::Words)).ok()?;
        let mut loaded = Loaded { image, plan, loaded_range, start: pieces };
        loaded.start = Pieces::of(&loaded.profile())?;
        Some(loaded)
    }

    /// Returns the image as the target of a merge.
    pub fn target(&self) -> Target<'_> {
        Target { image: &self.image, loaded_range: self.loaded_range, plan: &self.plan }
    }

    /// Writes its profile.
    pub fn profile(&self) -> Vec<u8> {
        let mut kept = Kept(vec![]);
        // SAFETY: an image in memory that is never freed, and its plan.
        unsafe { dump::write_all(&self.image, &self.plan, &mut kept) }.unwrap();
        kept.0
    }

    /// Returns its records.
    pub fn records(&self) -> &'static [Record] {
        // SAFETY: the records of an image in memory that is never freed.
        unsafe { node::records(self.image.data) }
    }

    /// Restores the first counters and bitmaps, and zeroes the counts of values.
    pub fn reset(&self) {
        for (span, bytes) in [(self.image.counters, &self.start.parts[1]), (self.image.bitmap, &self.start.parts[2])] {
            // SAFETY: the sections in our memory have these lengths.
            unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), span.start.cast_mut(), span.len) };
        }
        self.records().iter().for_each(reset::reset);
    }

    fn inside(&self, address: u64) -> bool {
        (self.loaded_range.address()..self.loaded_range.address() + self.loaded_range.len as u64).contains(&address)
    }

    /// Rebases an address of another process of this image by a search of all functions.
    pub fn address(&self, theirs: &Pieces, address: u64) -> u64 {
        if address == 0 {
            return 0;
        }
        let others = theirs.functions.iter().zip(&self.start.functions);
        if let Some((_, here)) = others.rev().find(|(there, here)| **there == address && **here != 0) {
            return *here;
        }
        let moved = address.wrapping_add(self.plan.header().names_delta.wrapping_sub(theirs.plan.header().names_delta));
        if self.inside(moved) { moved } else { 0 }
    }

    /// Returns an address of this process unchanged, or 0 if another process could not find it.
    pub fn own(&self, address: u64) -> u64 {
        if self.inside(address) || self.start.functions.contains(&address) { address } else { 0 }
    }
}
