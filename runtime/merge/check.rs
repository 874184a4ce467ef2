//! Checks whether a profile is one of this image.

#![allow(unsafe_code)]

use super::rebase::Rebase;
use crate::error::{Error, Result};
use crate::format::header::{self, Header};
use crate::format::layout::{Part, vtable_size};
use crate::format::parts::{BITS, PARTS};
use crate::format::{Encoding, Variant, WordSize};
use crate::link::build_id;
use crate::native::{DISTANCE, Plan, RAW_VERSION, Record, empty_plan};
use crate::raw;
use crate::sections::Image;
use crate::span::Span;
use crate::value::node::{has_sites, records};

/// A profile of this image, or of one with the same functions: all parts but binary ids and paddings have the sizes of the image's parts.
pub struct CheckedProfile {
    /// The offset of the counters in the profile.
    pub counters: u64,
    /// The offsets of the parts of bits.
    pub bits: [u64; BITS.len()],
    /// The offset of the value data.
    pub values: u64,
    /// The records of the profile say that no function has value sites, although functions of the image do, as in buffers without space for
    /// values: the profile has no value data.
    pub sites_left_out: bool,
    /// Rebases the addresses in the profile to where this process has the image.
    pub rebase: Rebase,
}

/// Makes the empty `plan` the plan of the profile that `bytes` begin with. Errors: those of [`header::kind`] and [`Plan::read`], another raw
/// version, and [`Error::FOREIGN`] for another kind of machine.
pub(super) fn read_plan(plan: &mut Plan, bytes: &[u8]) -> Result {
    let (version, encoding) = header::kind(bytes)?;
    if version != RAW_VERSION.number() {
        return Err(Error::bad_version(version));
    }
    plan.read(encoding, bytes)?;
    if encoding == Encoding::NATIVE { Ok(()) } else { Err(Error::FOREIGN) }
}

/// Compares header, records, names and vtables of the profile with those of `image`, whose plan is `ours`. After success all parts lie within
/// the profile. Does not read the value data, which follows.
///
/// Errors: those of the header; [`Error::FOREIGN`] when something differs; [`Error::TRUNCATED`] when parts are missing.
///
/// # Safety
/// `image` must be an image of this process, of this archive's raw version, and `loaded_range` the memory that it was loaded into, or empty.
pub unsafe fn check(profile: &[u8], image: &Image, loaded_range: Span, ours: &Plan) -> Result<CheckedProfile> {
    let mut plan = empty_plan();
    read_plan(&mut plan, profile)?;
    let (their_header, our_header) = (plan.header(), ours.header());
    // All parts but binary ids have our sizes. A tool that knows fewer kinds of values writes a smaller number, which readers accept.
    let differs = |part: Part| part.is_section() && plan.size(part).0 != ours.size(part).0;
    if plan.variant() != ours.variant()
        || their_header.value_kind_last > our_header.value_kind_last
        || PARTS.into_iter().any(differs)
    {
        return Err(Error::FOREIGN);
    }
    let values = plan.fixed_size();
    if values > profile.len() as u64 {
        return Err(Error::TRUNCATED);
    }
    // SAFETY: an image of this process, by this function's contract.
    let records = unsafe { records(image.data) };
    let distance = our_header.names_delta.wrapping_sub(their_header.names_delta);
    // Values are addresses of functions, which records have, and of words of vtables.
    // No `fold`, which is a member of the archive that other programs link: it would link this one with its closure.
    let mut words: usize = 0;
    for vtable in vtables(image) {
        words = words.saturating_add(vtable.words());
    }
    let mut checked = CheckedProfile {
        counters: plan.chunk(Part::Counters).offset,
        bits: [0; BITS.len()],
        values,
        sites_left_out: false,
        rebase: Rebase::new(distance, loaded_range, records.len().saturating_add(words.min(MOST_WORDS))),
    };
    for (at, part) in checked.bits.iter_mut().zip(BITS) {
        *at = plan.chunk(part).offset;
    }
    let compare = Compare { profile, plan: &plan, image };
    checked.sites_left_out = compare.compare_all(our_header, records, &mut checked.rebase)?;
    Ok(checked)
}

/// Comparison of a profile with an image of the same sizes.
struct Compare<'a> {
    profile: &'a [u8],
    plan: &'a Plan,
    image: &'a Image,
}

impl Compare<'_> {
    /// Compares the parts that do not change, and has `rebase` learn the addresses in them. Returns [`CheckedProfile::sites_left_out`].
    fn compare_all(&self, our_header: &Header, records: &[Record], rebase: &mut Rebase) -> Result<bool> {
        // Where records and names are in the binary only, only the build id tells programs apart.
        if our_header.num_data == 0 && our_header.names_size == 0 {
            // Nothing tells which of the counters are time stamps.
            if Variant(our_header.version).has(Variant::TEMPORAL) && our_header.num_counters > 0 {
                return Err(Error::FOREIGN);
            }
            self.compare_ids()?;
            return Ok(false);
        }
        let sites_left_out = self.compare_records(records, rebase)?;
        self.compare_vtables(rebase)?;
        for (part, span) in [(Part::Names, self.image.names), (Part::VNames, self.image.vnames)] {
            let chunk = self.plan.chunk(part);
            self.compare_bytes(chunk.offset, span.prefix(chunk.len as usize))?;
        }
        Ok(sites_left_out)
    }

    /// Returns the bytes of a part.
    fn part(&self, part: Part) -> Result<&[u8]> {
        let chunk = self.plan.chunk(part);
        self.bytes(chunk.offset, chunk.len)
    }

    /// Returns the bytes at an offset.
    fn bytes(&self, at: u64, len: u64) -> Result<&[u8]> {
        let (at, len) = (usize::try_from(at).ok(), usize::try_from(len).ok());
        at.and_then(|at| self.profile.get(at..))
            .zip(len)
            .and_then(|(rest, len)| rest.get(..len))
            .ok_or(Error::TRUNCATED)
    }

    /// Compares the bytes at an offset of the profile with those of `span`.
    fn compare_bytes(&self, at: u64, span: Span) -> Result {
        let theirs = self.bytes(at, span.len as u64)?;
        // SAFETY: `compare_all` and `compare_ids` pass parts of constant sections of the image, of a build id, or a local array.
        if unsafe { span.bytes() } == theirs { Ok(()) } else { Err(Error::FOREIGN) }
    }

    /// Compares all binary ids, in their order.
    fn compare_ids(&self) -> Result {
        let mut at = self.plan.chunk(Part::BinaryIds).offset;
        for id in build_id::build_ids(&self.image.notes) {
            for span in raw::entry(Span::of(id), &mut [0; 8]) {
                self.compare_bytes(at, span)?;
                at = at.wrapping_add(span.len as u64);
            }
        }
        if at == self.plan.chunk(Part::Data).offset { Ok(()) } else { Err(Error::FOREIGN) }
    }

    /// Compares the records, but not their addresses, which depend on where the image was loaded. Returns
    /// [`CheckedProfile::sites_left_out`].
    // Not inlined, so that the loop has all registers.
    #[inline(never)]
    fn compare_records(&self, records: &[Record], rebase: &mut Rebase) -> Result<bool> {
        let their_header = self.plan.header();
        // A pointer counts from its own record, a delta from the first record to the section.
        let deltas = (their_header.counters_delta, their_header.bitmap_delta);
        let sections = (self.image.linked_counters().address(), self.image.linked_bitmap().address());
        let mut our_records = records.iter();
        // The distance of a record from the first one.
        let mut place: u64 = 0;
        let mut left_out: usize = 0;
        for bytes in self.part(Part::Data)?.as_chunks::<{ size_of::<Record>() }>().0 {
            let our = our_records.next().ok_or(Error::FOREIGN)?;
            // SAFETY: `as_chunks` returns arrays of a record's size, and each bit pattern is a record.
            let theirs = unsafe { bytes.as_ptr().cast::<Record>().read_unaligned() };
            let address = core::ptr::from_ref(our).addr() as u64;
            let same_sites = theirs.num_value_sites == our.num_value_sites;
            if (theirs.name_ref, theirs.func_hash, theirs.num_counters)
                != (our.name_ref, our.func_hash, our.num_counters)
                || offsets(&theirs, place, deltas) != offsets(our, address, sections)
                || !same_sites && has_sites(&theirs)
            {
                return Err(Error::FOREIGN);
            }
            left_out = left_out.wrapping_add(usize::from(!same_sites));
            rebase.learn(theirs.function_pointer as u64, our.function_pointer as u64);
            place = place.wrapping_add(size_of::<Record>() as u64);
        }
        // The sites of all functions or of none.
        let all = || records.iter().filter(|record| has_sites(record)).count();
        if left_out > 0 && left_out != all() { Err(Error::FOREIGN) } else { Ok(left_out > 0) }
    }

    /// Compares the vtable records, but not their addresses, which may be in other images.
    fn compare_vtables(&self, rebase: &mut Rebase) -> Result {
        let mut ours = vtables(self.image);
        let mut left = MOST_WORDS;
        for theirs in self.part(Part::VTables)?.as_chunks().0 {
            let our = ours.next().ok_or(Error::FOREIGN)?;
            let theirs = VTable::of_bytes(theirs);
            if (theirs.hash, theirs.size) != (our.hash, our.size) {
                return Err(Error::FOREIGN);
            }
            if theirs.start == 0 || our.start == 0 {
                continue;
            }
            // Objects point somewhere into their vtable, so each word can be a value.
            let words = our.words().min(left);
            left = left.wrapping_sub(words);
            for word in 0..words {
                let at = word.wrapping_mul(size_of::<usize>()) as u64;
                rebase.learn(theirs.start.wrapping_add(at), our.start.wrapping_add(at));
            }
        }
        Ok(())
    }
}

/// Returns the offsets of the counters and the bitmap of the record at `address` from the start of their sections, and the size of the bitmap.
/// The sections have addresses that count from the same place.
#[inline(always)]
fn offsets(record: &Record, address: u64, (counters, bitmap): (u64, u64)) -> (u64, u64, u32) {
    let offset = |pointer: isize, section: u64| {
        // Pointers are relative to the record's own address.
        address.wrapping_add(pointer as i64 as u64).wrapping_sub(section) & DISTANCE
    };
    #[cfg(since = "9")]
    let (num_bitmap_bytes, bitmap_ptr) = (record.num_bitmap_bytes, record.bitmap_ptr);
    #[cfg(not(since = "9"))]
    let (num_bitmap_bytes, bitmap_ptr) = (0, 0);
    let bitmap = if num_bitmap_bytes > 0 { offset(bitmap_ptr, bitmap) } else { 0 };
    (offset(record.counter_ptr, counters), bitmap, num_bitmap_bytes)
}

/// The record of a vtable: hash of its name, address, size in bytes.
struct VTable {
    hash: u64,
    start: u64,
    size: u32,
}

/// The size of a vtable's record in bytes.
const VTABLE: usize = vtable_size(WordSize::NATIVE) as usize;

/// The largest number of words of vtables to learn: more than programs have, and little enough to have memory for.
const MOST_WORDS: usize = 1 << 20;

impl VTable {
    /// Returns the number of words, whose addresses may be values.
    const fn words(&self) -> usize {
        self.size as usize / size_of::<usize>()
    }

    /// Parses a record.
    fn of_bytes(bytes: &[u8; VTABLE]) -> VTable {
        let native = Encoding::NATIVE;
        // All three fields are within the bytes.
        VTable {
            hash: native.u64_at(bytes, 0).unwrap_or(0),
            start: native.word_at(bytes, 8).unwrap_or(0),
            size: native.u32_at(bytes, 8 + size_of::<usize>()).unwrap_or(0),
        }
    }
}

/// Returns the vtables of an image.
fn vtables(image: &Image) -> impl Iterator<Item = VTable> {
    // SAFETY: `Image::this`, or the test that made the image, has taken the span from constant data.
    unsafe { image.vtables.bytes() }.as_chunks().0.iter().map(VTable::of_bytes)
}
