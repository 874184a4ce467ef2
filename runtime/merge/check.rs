//! Is a profile in bytes one of this image?

#![allow(unsafe_code)]

use super::rebase::Rebase;
use super::source::{Source, in_pieces};
use crate::error::{Error, Result};
use crate::format::header::{Header, MAX_WORDS};
use crate::format::record::Record;
use crate::format::{Encoding, RawVersion, RecordShape, Word};
use crate::layout::{Part, Plan, of_header};
use crate::sections::Image;
use crate::value::node::records;

/// A profile of this image.
#[derive(Debug)]
pub struct Theirs {
    /// Where its parts stand.
    pub plan: Plan,
    /// What its addresses are here.
    pub rebase: Rebase,
}

/// The plan that the header at the start of the bytes makes. Errors: [`Error::Truncated`], [`Error::BadMagic`],
/// [`Error::BadVersion`], [`Error::Overflow`], and [`Error::Foreign`] for the profile of another kind of machine.
fn plan_of(source: &dyn Source, scratch: &mut [u8]) -> Result<Plan> {
    const MOST: u64 = MAX_WORDS as u64 * 8;
    let bytes = source.bytes(0, source.size().min(MOST) as usize, scratch)?;
    let (header, version, encoding) = Header::decode(bytes)?;
    if version != RawVersion::BUILT {
        return Err(Error::BadVersion(version.number() as u32));
    }
    if encoding != Encoding::NATIVE {
        return Err(Error::Foreign);
    }
    of_header(header, version, Word::NATIVE)
}

/// Compares everything that must be equal; `ours` is the plan of `image`. All sizes of the result are those of this image,
/// paddings apart, and lie within the bytes. Value data, which follows, is not looked at. The scratch memory must have room
/// for a record and a header.
///
/// Errors: those of the header, [`Error::Foreign`] when something differs, [`Error::Truncated`] when parts are missing.
///
/// # Safety
/// `image` must be an image of this process, of this archive's raw version, and `extent` where all of it is.
pub unsafe fn check(
    source: &dyn Source,
    image: &Image,
    extent: crate::span::Span,
    ours: &Plan,
    scratch: &mut [u8],
) -> Result<Theirs> {
    let plan = plan_of(source, scratch)?;
    let (a, b) = (&plan.header, &ours.header);
    let same = a.version == b.version
        && a.num_data == b.num_data
        && a.num_counters == b.num_counters
        && a.num_bitmap_bytes == b.num_bitmap_bytes
        && a.num_uniform_counters == b.num_uniform_counters
        && a.names_size == b.names_size
        && a.num_vtables == b.num_vtables
        && a.vnames_size == b.vnames_size
        && a.value_kind_last == b.value_kind_last;
    if !same {
        return Err(Error::Foreign);
    }
    if plan.fixed_size() > source.size() {
        return Err(Error::Truncated);
    }
    // SAFETY: the caller's image.
    let records = unsafe { records(image.data) };
    let bias = b.names_delta.wrapping_sub(a.names_delta);
    let mut theirs = Theirs { plan, rebase: Rebase::new(bias, extent, records.len()) };
    // Without bitmaps the delta is from an address that means nothing.
    let alike = a.counters_delta == b.counters_delta && (a.bitmap_delta == b.bitmap_delta || a.num_bitmap_bytes == 0);
    check_records(source, image, records, alike, &mut theirs, scratch)?;
    for (part, span) in [(Part::Names, image.names), (Part::VNames, image.vnames)] {
        let chunk = theirs.plan.chunk(part);
        in_pieces(source, chunk.offset, chunk.len, 1, scratch, |at, bytes| {
            let here = span.skip(at as usize).prefix(bytes.len());
            // SAFETY: a part of a constant section of the image, not empty.
            let here = unsafe { core::slice::from_raw_parts(here.start, here.len) };
            if here == bytes { Ok(()) } else { Err(Error::Foreign) }
        })?;
    }
    Ok(theirs)
}

/// The records must be the same but for where the image was loaded. `alike`: what their fields are relative to is the same too.
fn check_records(
    source: &dyn Source,
    image: &Image,
    records: &[Record],
    alike: bool,
    theirs: &mut Theirs,
    scratch: &mut [u8],
) -> Result {
    let chunk = theirs.plan.chunk(Part::Data);
    let header = &theirs.plan.header;
    let (counters_delta, bitmap_delta) = (header.counters_delta, header.bitmap_delta);
    let size = RecordShape::NATIVE.size;
    let mut ours = records.iter();
    let mut place: u64 = 0;
    let rebase = &mut theirs.rebase;
    in_pieces(source, chunk.offset, chunk.len, size as usize, scratch, |_, bytes| {
        for theirs in bytes.as_chunks::<{ size_of::<Record>() }>().0 {
            let ours = ours.next().ok_or(Error::Foreign)?;
            let functions = if alike && is_same(ours, theirs) {
                (function_of(theirs), ours.function_pointer as u64)
            } else {
                let theirs = Fields::of_bytes(theirs, place, counters_delta, bitmap_delta).ok_or(Error::Truncated)?;
                let own = Fields::of_record(ours, image);
                if !theirs.is_like(&own) {
                    return Err(Error::Foreign);
                }
                (theirs.function, own.function)
            };
            rebase.function(functions.0, functions.1);
            place = place.wrapping_add(size);
        }
        Ok(())
    })
}

const UNIT: usize = size_of::<usize>();

/// The function's address in a record.
fn function_of(record: &[u8; size_of::<Record>()]) -> u64 {
    let at = const { RecordShape::NATIVE.function_pointer / UNIT };
    record.as_chunks::<UNIT>().0.get(at).map_or(0, |unit| usize::from_ne_bytes(*unit) as u64)
}

/// Whether two records are the same in all fields but those that are addresses: for most records this is all that is asked.
fn is_same(ours: &Record, theirs: &[u8; size_of::<Record>()]) -> bool {
    const ADDRESSES: [usize; 2] = [RecordShape::NATIVE.function_pointer / UNIT, RecordShape::NATIVE.values / UNIT];
    let (first, units) = (core::ptr::from_ref(ours).cast::<usize>(), theirs.as_chunks::<UNIT>().0);
    let mut differ = 0;
    for (at, unit) in units.iter().enumerate() {
        if at != ADDRESSES[0] && at != ADDRESSES[1] {
            // SAFETY: within the record, whose other fields never change.
            differ |= unsafe { first.wrapping_add(at).read() } ^ usize::from_ne_bytes(*unit);
        }
    }
    differ == 0
}

/// What records are compared by. Places of counters and bitmaps are from the start of their sections.
struct Fields {
    hashes: [u64; 2],
    counters: u64,
    bitmap: u64,
    num_counters: u32,
    num_bitmap_bytes: u32,
    sites: [u16; 3],
    function: u64,
}

/// Addresses of 32-bit machines wrap at 32 bits.
const ADDRESS: u64 = usize::MAX as u64;

impl Fields {
    /// The record in these bytes, which stands `place` bytes behind the first.
    fn of_bytes(bytes: &[u8], place: u64, counters_delta: u64, bitmap_delta: u64) -> Option<Fields> {
        let (shape, native) = (RecordShape::NATIVE, Encoding::NATIVE);
        // Kept relative to the record's own address; the deltas are from the first record.
        let behind = |pointer: u64, delta: u64| pointer.wrapping_sub(delta).wrapping_add(place) & ADDRESS;
        let num_bitmap_bytes = match shape.num_bitmap_bytes {
            Some(at) => native.u32_at(bytes, at)?,
            None => 0,
        };
        let bitmap = match shape.bitmap_ptr {
            Some(at) if num_bitmap_bytes > 0 => behind(native.word_at(bytes, at)?, bitmap_delta),
            _ => 0,
        };
        Some(Fields {
            hashes: [native.u64_at(bytes, shape.name_ref)?, native.u64_at(bytes, shape.func_hash)?],
            counters: behind(native.word_at(bytes, shape.counter_ptr)?, counters_delta),
            bitmap,
            num_counters: native.u32_at(bytes, shape.num_counters)?,
            num_bitmap_bytes,
            sites: shape.value_sites(bytes, RawVersion::BUILT, native)?,
            function: native.word_at(bytes, shape.function_pointer)?,
        })
    }

    fn of_record(record: &Record, image: &Image) -> Fields {
        let address = core::ptr::from_ref(record).addr() as u64;
        let behind =
            |pointer: isize, section: u64| address.wrapping_add(pointer as i64 as u64).wrapping_sub(section) & ADDRESS;
        let mut sites = [0; 3];
        for (site, own) in sites.iter_mut().zip(&record.num_value_sites) {
            *site = *own;
        }
        #[cfg(not(raw = "8"))]
        let (num_bitmap_bytes, bitmap_ptr) = (record.num_bitmap_bytes, record.bitmap_ptr);
        #[cfg(raw = "8")]
        let (num_bitmap_bytes, bitmap_ptr) = (0, 0);
        Fields {
            hashes: [record.name_ref, record.func_hash],
            counters: behind(record.counter_ptr, image.counters.address()),
            bitmap: if num_bitmap_bytes > 0 { behind(bitmap_ptr, image.bitmap.address()) } else { 0 },
            num_counters: record.num_counters,
            num_bitmap_bytes,
            sites,
            function: record.function_pointer as u64,
        }
    }

    fn is_like(&self, other: &Fields) -> bool {
        self.hashes == other.hashes
            && self.counters == other.counters
            && self.bitmap == other.bitmap
            && self.num_counters == other.num_counters
            && self.num_bitmap_bytes == other.num_bitmap_bytes
            && self.sites == other.sites
    }
}
