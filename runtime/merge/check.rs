//! Is a profile in bytes one of this image?

#![allow(unsafe_code)]

use super::rebase::Rebase;
use super::source::{Source, in_pieces};
use crate::error::{Error, Result};
use crate::format::header::{Header, MAX_WORDS};
use crate::format::record::Record;
use crate::format::{Encoding, RawVersion, RecordShape, Variant, Word};
use crate::layout::{Part, Plan, of_header};
use crate::raw;
use crate::sections::Image;
use crate::sink::{Sink, in_turn};
use crate::span::Span;
use crate::value::node::records;

/// A profile of this image.
#[derive(Debug)]
pub struct Theirs {
    /// Where its parts stand.
    pub plan: Plan,
    /// What its addresses are here.
    pub rebase: Rebase,
}

/// The plan that the header at the start of the bytes makes. Errors: [`Error::TRUNCATED`], [`Error::BAD_MAGIC`],
/// [`Error::bad_version`], [`Error::OVERFLOW`], and [`Error::FOREIGN`] for the profile of another kind of machine.
fn plan_of(source: &dyn Source, scratch: &mut [u8]) -> Result<Plan> {
    const MOST: u64 = MAX_WORDS as u64 * 8;
    let bytes = source.bytes(0, source.size().min(MOST) as usize, scratch)?;
    let (header, version, encoding) = Header::decode(bytes)?;
    if version != RawVersion::BUILT {
        return Err(Error::bad_version(version.number()));
    }
    if encoding != Encoding::NATIVE {
        return Err(Error::FOREIGN);
    }
    of_header(header, version, Word::NATIVE)
}

/// Compares everything that must be equal; `ours` is the plan of `image`. All sizes of the result are those of this image,
/// paddings apart, and lie within the bytes. Value data, which follows, is not looked at. The scratch memory must have room
/// for a record and a header.
///
/// Errors: those of the header, [`Error::FOREIGN`] when something differs, [`Error::TRUNCATED`] when parts are missing.
///
/// # Safety
/// `image` must be an image of this process, of this archive's raw version, and `extent` where all of it is.
pub unsafe fn check(
    source: &dyn Source,
    image: &Image,
    extent: Span,
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
        return Err(Error::FOREIGN);
    }
    if plan.fixed_size() > source.size() {
        return Err(Error::TRUNCATED);
    }
    // Where records and names are in the binary only, nothing but its id tells it from others.
    if b.num_data == 0 && b.names_size == 0 {
        // And nothing tells which of the counters are time stamps.
        if Variant(b.version).has(Variant::TEMPORAL) && b.num_counters > 0 {
            return Err(Error::FOREIGN);
        }
        let mut ids = Same { source, at: plan.chunk(Part::BinaryIds).offset, scratch };
        // SAFETY: the caller's image.
        let written = unsafe { raw::write_binary_ids(&image.notes, &mut ids) };
        let end = plan.chunk(Part::Data).offset;
        return match written {
            Ok(()) if ids.at == end => Ok(Theirs { plan, rebase: Rebase::new(0, Span::EMPTY, 0) }),
            Ok(()) => Err(Error::FOREIGN),
            Err(error) => Err(error),
        };
    }
    // SAFETY: the caller's image.
    let records = unsafe { records(image.data) };
    let bias = b.names_delta.wrapping_sub(a.names_delta);
    // Values are functions of records, and words of vtables.
    let words = vtables(image).fold(0usize, |sum, vtable| sum.saturating_add(vtable.words())).min(MOST_WORDS);
    let mut theirs = Theirs { plan, rebase: Rebase::new(bias, extent, records.len().saturating_add(words)) };
    check_records(source, image, records, (b.counters_delta, b.bitmap_delta), &mut theirs, scratch)?;
    check_vtables(source, image, &mut theirs, scratch)?;
    for (part, span) in [(Part::Names, image.names), (Part::VNames, image.vnames)] {
        let chunk = theirs.plan.chunk(part);
        in_pieces(source, chunk.offset, chunk.len, 1, scratch, &mut |at, bytes| {
            let here = span.skip(at as usize).prefix(bytes.len());
            // SAFETY: a part of a constant section of the image, not empty.
            let here = unsafe { core::slice::from_raw_parts(here.start, here.len) };
            if here == bytes { Ok(()) } else { Err(Error::FOREIGN) }
        })?;
    }
    Ok(theirs)
}

/// A sink that takes only what stands in the source, from a place on.
struct Same<'a> {
    source: &'a dyn Source,
    at: u64,
    scratch: &'a mut [u8],
}

impl Sink for Same<'_> {
    unsafe fn put(&mut self, span: Span) -> Result {
        if span.len == 0 {
            return Ok(());
        }
        // SAFETY: readable by this function's contract; parts of build ids, which do not change.
        let here = unsafe { core::slice::from_raw_parts(span.start, span.len) };
        in_pieces(self.source, self.at, span.len as u64, 1, self.scratch, &mut |at, bytes| {
            let here = here.get(at as usize..).unwrap_or(&[]);
            if here.starts_with(bytes) { Ok(()) } else { Err(Error::FOREIGN) }
        })?;
        self.at = self.at.wrapping_add(span.len as u64);
        Ok(())
    }

    in_turn! {}
}

/// The records must be the same but for where the image was loaded. `alike`: what their fields are relative to is the same too.
fn check_records(
    source: &dyn Source,
    image: &Image,
    records: &[Record],
    deltas: (u64, u64),
    theirs: &mut Theirs,
    scratch: &mut [u8],
) -> Result {
    let chunk = theirs.plan.chunk(Part::Data);
    let header = &theirs.plan.header;
    let (counters_delta, bitmap_delta) = (header.counters_delta, header.bitmap_delta);
    // Without bitmaps their delta is from nowhere.
    let alike = counters_delta == deltas.0 && (bitmap_delta == deltas.1 || header.num_bitmap_bytes == 0);
    let size = RecordShape::NATIVE.size;
    let mut ours = records.iter();
    let mut place: u64 = 0;
    let rebase = &mut theirs.rebase;
    in_pieces(source, chunk.offset, chunk.len, size as usize, scratch, &mut |_, bytes| {
        for theirs in bytes.as_chunks::<{ size_of::<Record>() }>().0 {
            let ours = ours.next().ok_or(Error::FOREIGN)?;
            if alike && let Some(function) = same_bytes(theirs, ours) {
                rebase.learn(function, ours.function_pointer as u64);
                place = place.wrapping_add(size);
                continue;
            }
            let theirs = Fields::of_bytes(theirs, place, counters_delta, bitmap_delta).ok_or(Error::TRUNCATED)?;
            let own = Fields::of_record(ours, image);
            if !theirs.is_like(&own) {
                return Err(Error::FOREIGN);
            }
            rebase.learn(theirs.function, own.function);
            place = place.wrapping_add(size);
        }
        Ok(())
    })
}

/// The quick way for sections that lie as they did: a record's constant bytes are the same then, for places in it are relative.
/// The function of the record in the bytes, or `None` where they have to be looked at.
#[inline(always)]
fn same_bytes(theirs: &[u8; size_of::<Record>()], ours: &Record) -> Option<u64> {
    const SHAPE: RecordShape = RecordShape::NATIVE;
    // Up to the function's address, and behind the values' address.
    const BEFORE: usize = SHAPE.function_pointer;
    const BEHIND: usize = SHAPE.size as usize - SHAPE.num_counters;
    let start: *const u8 = core::ptr::from_ref(ours).cast();
    // SAFETY: parts of the record, which nobody changes: the only field that changes is the values' address.
    let (before, behind) =
        unsafe { (&*start.cast::<[u8; BEFORE]>(), &*start.add(SHAPE.num_counters).cast::<[u8; BEHIND]>()) };
    let same = theirs.first_chunk()? == before && theirs.get(SHAPE.num_counters..)?.first_chunk()? == behind;
    if same { Encoding::NATIVE.word_at(theirs, SHAPE.function_pointer) } else { None }
}

/// A vtable's record: hash of its name, address, bytes.
struct VTable {
    hash: u64,
    start: u64,
    size: u32,
}

/// Bytes of a vtable's record: the three fields, padded.
const VTABLE: usize = (8 + size_of::<usize>() + 4).next_multiple_of(8);

/// Words of vtables that are learnt: more than programs have, and memory for them that a system has.
const MOST_WORDS: usize = 1 << 20;

impl VTable {
    /// Addresses that may be values.
    const fn words(&self) -> usize {
        self.size as usize / size_of::<usize>()
    }

    fn of_bytes(bytes: &[u8]) -> Option<VTable> {
        let native = Encoding::NATIVE;
        let (hash, start) = (native.u64_at(bytes, 0)?, native.word_at(bytes, 8)?);
        Some(VTable { hash, start, size: native.u32_at(bytes, 8 + size_of::<usize>())? })
    }
}

/// The vtables of this image.
fn vtables(image: &Image) -> impl Iterator<Item = VTable> {
    let span = image.vtables;
    // SAFETY: constant data of the image; a section that is absent is empty, and may be null.
    let bytes = if span.len > 0 { unsafe { core::slice::from_raw_parts(span.start, span.len) } } else { &[] };
    let (records, _) = bytes.as_chunks::<VTABLE>();
    records.iter().filter_map(|record| VTable::of_bytes(record))
}

/// The vtables must be the same but for where they were loaded, which may be in other images.
fn check_vtables(source: &dyn Source, image: &Image, theirs: &mut Theirs, scratch: &mut [u8]) -> Result {
    let chunk = theirs.plan.chunk(Part::VTables);
    let mut ours = vtables(image);
    let mut left = MOST_WORDS;
    let rebase = &mut theirs.rebase;
    in_pieces(source, chunk.offset, chunk.len, VTABLE, scratch, &mut |_, bytes| {
        for theirs in bytes.as_chunks::<VTABLE>().0 {
            let own = ours.next().ok_or(Error::FOREIGN)?;
            let theirs = VTable::of_bytes(theirs).ok_or(Error::TRUNCATED)?;
            if (theirs.hash, theirs.size) != (own.hash, own.size) {
                return Err(Error::FOREIGN);
            }
            if theirs.start == 0 || own.start == 0 {
                continue;
            }
            // Objects point somewhere into their vtable.
            let words = own.words().min(left);
            left = left.wrapping_sub(words);
            for word in 0..words {
                let at = word.wrapping_mul(size_of::<usize>()) as u64;
                rebase.learn(theirs.start.wrapping_add(at), own.start.wrapping_add(at));
            }
        }
        Ok(())
    })
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
            counters: behind(record.counter_ptr, image.linked_counters().address()),
            bitmap: if num_bitmap_bytes > 0 { behind(bitmap_ptr, image.linked_bitmap().address()) } else { 0 },
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
