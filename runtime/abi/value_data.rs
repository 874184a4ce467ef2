//! The functions that the public header `profile/InstrProfData.inc` declares for value data in memory: its layout, and its serialization
//! through a closure of the program. Types and fields are those of the header.

use core::convert::Infallible;
use core::ffi::c_void;

use super::store;
use crate::format::value::{DATA_HEADER, PAIR, halves, kind_header_size, kind_size};
use crate::format::value_record::{WordSink, pack_counts, write_kind_header};
use crate::native::KINDS;

/// The header of a function's value data. One [`ValueProfRecord`] for each kind follows.
#[repr(C)]
pub struct ValueProfData {
    total_size: u32,
    num_value_kinds: u32,
}

/// Returns the bytes of value data, as many as its header says; none when they are fewer than the header has.
///
/// # Safety
/// `data` must point to as many bytes as its header says, for as long as the slice is used.
pub unsafe fn bytes<'a>(data: *const ValueProfData) -> &'a [u8] {
    // SAFETY: the caller's data, which may lie anywhere in a file's bytes.
    let size = unsafe { data.read_unaligned() }.total_size as usize;
    if size < size_of::<ValueProfData>() {
        return &[];
    }
    // SAFETY: `data` points to `size` bytes by this function's contract.
    unsafe { core::slice::from_raw_parts(data.cast(), size) }
}

/// The header of one kind's values. One count byte for each site, padding, and the pairs follow.
#[repr(C)]
pub struct ValueProfRecord {
    kind: u32,
    num_value_sites: u32,
}

/// A value with its count.
type InstrProfValueData = [u64; 2];

/// Functions of the program that return the values of a function's sites.
#[repr(C)]
pub struct ValueProfRecordClosure {
    record: *const c_void,
    num_value_kinds: unsafe extern "C" fn(*const c_void) -> u32,
    num_value_sites: unsafe extern "C" fn(*const c_void, u32) -> u32,
    num_value_data: unsafe extern "C" fn(*const c_void, u32) -> u32,
    num_value_data_for_site: unsafe extern "C" fn(*const c_void, u32, u32) -> u32,
    remap_value_data: Option<unsafe extern "C" fn(u32, u64) -> u64>,
    value_for_site: unsafe extern "C" fn(*const c_void, *mut InstrProfValueData, u32, u32),
    alloc_value_prof_data: Option<unsafe extern "C" fn(usize) -> *mut ValueProfData>,
}

/// Returns the count bytes of a record.
///
/// # Safety
/// `record` must be a record of value data, for as long as the slice is used.
unsafe fn counts<'a>(record: *const ValueProfRecord) -> &'a [u8] {
    // SAFETY: the caller's record, which has one count byte a site after its header.
    unsafe { core::slice::from_raw_parts(record.add(1).cast(), record.read_unaligned().num_value_sites as usize) }
}

/// Returns the address of a record's pairs.
///
/// # Safety
/// `record` must be a record of value data.
unsafe fn pairs(record: *mut ValueProfRecord) -> *mut InstrProfValueData {
    // SAFETY: a record of value data by this function's contract.
    let sites = unsafe { counts(record) }.len();
    record.wrapping_byte_add(kind_header_size(sites as u32) as usize).cast()
}

/// Returns the number of a record's pairs.
///
/// # Safety
/// `record` must be a record of value data.
unsafe fn num_pairs(record: *const ValueProfRecord) -> u32 {
    // SAFETY: a record of value data by this function's contract.
    unsafe { counts(record) }.iter().fold(0, |sum: u32, count| sum.wrapping_add(u32::from(*count)))
}

/// Words in memory of the program. Invariant: the memory has space for all words that are written.
struct ToMemory(*mut u8);

impl WordSink for ToMemory {
    type Error = Infallible;

    fn word(&mut self, word: u64) -> Result<(), Infallible> {
        // SAFETY: space for a word, by the invariant.
        unsafe { store(self.0.cast(), word.to_ne_bytes()) };
        self.0 = self.0.wrapping_add(size_of::<u64>());
        Ok(())
    }
}

/// Writes one kind from the closure, whose functions must be callable.
fn serialize_kind(to: &mut ToMemory, closure: &ValueProfRecordClosure, kind: u32, sites: u32) {
    let record: *const ValueProfRecord = to.0.cast();
    let mut next: u32 = 0;
    let Ok(()) = write_kind_header(to, kind, sites, |sites| {
        pack_counts(sites, || {
            let site = next;
            next = next.wrapping_add(1);
            // SAFETY: callable.
            unsafe { (closure.num_value_data_for_site)(closure.record, kind, site) as u8 }
        })
    });
    let mut site: u32 = 0;
    // SAFETY: the header that was just written there.
    for count in unsafe { counts(record) } {
        // SAFETY: callable, with space for the values of the site by the invariant of `ToMemory`.
        unsafe { (closure.value_for_site)(closure.record, to.0.cast(), kind, site) };
        to.0 = to.0.wrapping_add(usize::from(*count).wrapping_mul(PAIR as usize));
        site = site.wrapping_add(1);
    }
}

/// Calls `each` with each kind that has sites, and with their number. The closure's functions must be callable.
#[inline(always)]
fn each_kind(closure: &ValueProfRecordClosure, mut each: impl FnMut(u32, u32)) {
    for kind in 0..KINDS as u32 {
        // SAFETY: callable.
        let sites = unsafe { (closure.num_value_sites)(closure.record, kind) };
        if sites > 0 {
            each(kind, sites);
        }
    }
}

/// Returns the size of the value data that the closure describes, whose functions must be callable.
fn size(closure: &ValueProfRecordClosure) -> u32 {
    let mut size = DATA_HEADER;
    each_kind(closure, |kind, sites| {
        // SAFETY: callable.
        let pairs = unsafe { (closure.num_value_data)(closure.record, kind) };
        size = size.wrapping_add(kind_size(sites, pairs));
    });
    size as u32
}

/// Writes all kinds from the closure.
///
/// # Safety
/// `data` must be null, or have a size and space for as many bytes; the closure's functions must be callable.
unsafe fn serialize(closure: &ValueProfRecordClosure, mut data: *mut ValueProfData) -> *mut ValueProfData {
    let total_size;
    if data.is_null() {
        total_size = size(closure);
        let Some(alloc) = closure.alloc_value_prof_data else { return data };
        // SAFETY: callable by this function's contract.
        data = unsafe { alloc(total_size as usize) };
        if data.is_null() {
            return data;
        }
    } else {
        // SAFETY: the caller has set the size.
        total_size = unsafe { (*data).total_size };
    }
    let mut to = ToMemory(data.cast());
    // SAFETY: callable by this function's contract.
    let num_kinds = unsafe { (closure.num_value_kinds)(closure.record) };
    let Ok(()) = to.word(halves(total_size, num_kinds));
    each_kind(closure, |kind, sites| serialize_kind(&mut to, closure, kind, sites));
    data
}

export! {
    /// Returns the size of a kind's header with its count bytes and padding.
    fn getValueProfRecordHeaderSize(sites: u32) -> u32 { kind_header_size(sites) as u32 }
    /// Returns the size of a kind with these numbers of sites and pairs.
    fn getValueProfRecordSize(sites: u32, pairs: u32) -> u32 { kind_size(sites, pairs) as u32 }
    /// Returns the first kind of value data.
    fn getFirstValueProfRecord(data: *mut ValueProfData) -> *mut ValueProfRecord { data.wrapping_add(1).cast() }
    /// Returns the kind after a kind.
    fn getValueProfRecordNext(record: *mut ValueProfRecord) -> *mut ValueProfRecord {
        // SAFETY: the caller's record.
        unsafe { pairs(record).wrapping_add(num_pairs(record) as usize) }.cast()
    }
    /// Returns the first pair of a kind.
    fn getValueProfRecordValueData(record: *mut ValueProfRecord) -> *mut InstrProfValueData {
        // SAFETY: the caller's record.
        unsafe { pairs(record) }
    }
    /// Returns the number of a kind's pairs.
    fn getValueProfRecordNumValueData(record: *mut ValueProfRecord) -> u32 {
        // SAFETY: the caller's record.
        unsafe { num_pairs(record) }
    }
    /// Returns the size of the value data that the closure describes.
    fn getValueProfDataSize(closure: *const ValueProfRecordClosure) -> u32 {
        // SAFETY: the caller's closure.
        size(unsafe { &*closure })
    }
    /// Writes one kind from the closure.
    fn serializeValueProfRecordFrom(record: *mut ValueProfRecord, closure: *const ValueProfRecordClosure, kind: u32, sites: u32) {
        // SAFETY: the caller's closure.
        serialize_kind(&mut ToMemory(record.cast()), unsafe { &*closure }, kind, sites)
    }
    /// Writes all kinds from the closure, to `data` or to memory of the closure's allocator.
    fn serializeValueProfDataFrom(closure: *const ValueProfRecordClosure, data: *mut ValueProfData) -> *mut ValueProfData {
        // SAFETY: the caller's closure and room.
        unsafe { serialize(&*closure, data) }
    }
}
