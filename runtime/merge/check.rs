//! Checks whether a profile is one of this image.

#![allow(unsafe_code)]

use super::rebase::Rebase;
use crate::error::{Error, Result};
use crate::format::header::{self, Header};
use crate::format::layout::{Part, vtable_size};
use crate::format::parts::{BITS, SECTIONS};
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
    // All parts but binary ids have our sizes, and counters are aligned words. A tool that knows fewer kinds of values writes a smaller number, which readers accept.
    if plan.variant() != ours.variant()
        || their_header.value_kind_last > our_header.value_kind_last
        || SECTIONS.iter().any(|part| plan.size(*part).0 != ours.size(*part).0)
        || !plan.chunk(Part::Counters).offset.is_multiple_of(8)
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
        words = words.wrapping_add(vtable.words());
    }
    let mut checked = CheckedProfile {
        counters: plan.chunk(Part::Counters).offset,
        bits: [0; BITS.len()],
        values,
        sites_left_out: false,
        rebase: Rebase::new(distance, loaded_range, records.len().wrapping_add(words.min(MOST_WORDS))),
    };
    for (at, part) in checked.bits.iter_mut().zip(BITS) {
        *at = plan.chunk(part).offset;
    }
    let compare = Compare { profile, plan: &plan, image };
    compare.compare_all(our_header, records, &mut checked)?;
    Ok(checked)
}

/// Comparison of a profile with an image of the same sizes.
struct Compare<'a> {
    profile: &'a [u8],
    plan: &'a Plan,
    image: &'a Image,
}

impl Compare<'_> {
    /// Compares the parts that do not change, and has [`CheckedProfile::rebase`] learn the addresses in them.
    fn compare_all(&self, our_header: &Header, records: &[Record], checked: &mut CheckedProfile) -> Result {
        // Where records and names are in the binary only, only the build id tells programs apart.
        if our_header.num_data == 0 && our_header.names_size == 0 {
            // Nothing tells which of the counters are time stamps.
            if Variant(our_header.version).has(Variant::TEMPORAL) && our_header.num_counters > 0 {
                return Err(Error::FOREIGN);
            }
            return self.compare_ids();
        }
        self.compare_records(records, checked)?;
        self.compare_vtables(&mut checked.rebase)?;
        self.compare_names(Part::Names, self.image.names)?;
        self.compare_names(Part::VNames, self.image.vnames)
    }

    /// Returns the bytes of a part.
    fn part(&self, part: Part) -> &[u8] {
        let chunk = self.plan.chunk(part);
        self.bytes(chunk.offset, chunk.len).unwrap_or_default()
    }

    /// Returns the bytes at an offset.
    fn bytes(&self, at: u64, len: u64) -> Option<&[u8]> {
        self.profile.get(usize::try_from(at).ok()?..)?.get(..usize::try_from(len).ok()?)
    }

    /// Compares all names.
    fn compare_names(&self, part: Part, ours: Span) -> Result {
        let theirs = self.part(part);
        // SAFETY: a constant section of the image.
        same(theirs, unsafe { ours.prefix(theirs.len()).bytes() })
    }

    /// Compares all binary ids, in their order.
    #[inline(never)]
    fn compare_ids(&self) -> Result {
        let ids = self.plan.chunk(Part::BinaryIds);
        let mut at = ids.offset;
        for id in build_id::build_ids(&self.image.notes) {
            for span in raw::entry(Span::of(id), &mut [0; 8]) {
                let theirs = self.bytes(at, span.len as u64).ok_or(Error::TRUNCATED)?;
                // SAFETY: a part of a build id, or a local array.
                same(theirs, unsafe { span.bytes() })?;
                at = at.wrapping_add(span.len as u64);
            }
        }
        if at.wrapping_sub(ids.offset) == ids.len { Ok(()) } else { Err(Error::FOREIGN) }
    }

    /// Compares the records, but not their addresses, which depend on where the image was loaded. Sets [`CheckedProfile::sites_left_out`].
    // Not inlined, so that the loop has all registers.
    #[inline(never)]
    fn compare_records(&self, records: &[Record], checked: &mut CheckedProfile) -> Result {
        let (header, image) = (self.plan.header(), self.image);
        // A pointer counts from its own record, a delta from the first record to the section. So our pointers to a section are larger than
        // theirs by:
        let more = |section: Span, delta: u64| section.address().wrapping_sub(image.data.address()).wrapping_sub(delta);
        let counters = more(image.linked_counters(), header.counters_delta);
        let bitmap = more(image.linked_bitmap(), header.bitmap_delta);
        let is = |ours: isize, theirs: isize, more: u64| (ours.wrapping_sub(theirs) as u64 ^ more) & DISTANCE == 0;
        let mut our_records = records.iter();
        let mut any_sites = false;
        for bytes in self.part(Part::Data).as_chunks::<{ size_of::<Record>() }>().0 {
            let our = our_records.next().ok_or(Error::FOREIGN)?;
            // SAFETY: `as_chunks` returns arrays of a record's size, and each bit pattern is a record.
            let theirs = unsafe { bytes.as_ptr().cast::<Record>().read_unaligned() };
            let (our_bits, their_bits) = (bits(our), bits(&theirs));
            any_sites |= has_sites(&theirs);
            checked.sites_left_out |= theirs.num_value_sites != our.num_value_sites;
            if (theirs.name_ref, theirs.func_hash, theirs.num_counters)
                != (our.name_ref, our.func_hash, our.num_counters)
                || !is(our.counter_ptr, theirs.counter_ptr, counters)
                || our_bits.1 != their_bits.1
                || our_bits.1 > 0 && !is(our_bits.0, their_bits.0, bitmap)
                // The sites of all functions or of none.
                || any_sites && checked.sites_left_out
            {
                return Err(Error::FOREIGN);
            }
            checked.rebase.learn(theirs.function_pointer as u64, our.function_pointer as u64);
        }
        Ok(())
    }

    /// Compares the vtable records, but not their addresses, which may be in other images.
    fn compare_vtables(&self, rebase: &mut Rebase) -> Result {
        let mut ours = vtables(self.image);
        let mut left = MOST_WORDS;
        for theirs in self.part(Part::VTables).as_chunks().0 {
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

/// Compares bytes.
fn same(theirs: &[u8], ours: &[u8]) -> Result {
    if theirs == ours { Ok(()) } else { Err(Error::FOREIGN) }
}

/// Returns the pointer to the bitmap of a record, and the bitmap's size.
#[inline(always)]
#[cfg_attr(not(since = "9"), expect(unused_variables))]
fn bits(record: &Record) -> (isize, u32) {
    #[cfg(since = "9")]
    return (record.bitmap_ptr, record.num_bitmap_bytes);
    #[cfg(not(since = "9"))]
    (0, 0)
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
