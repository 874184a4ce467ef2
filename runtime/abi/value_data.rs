//! The functions that the public header `profile/InstrProfData.inc` declares for value data in memory: its layout, and its serialization
//! through a closure of the program. Types and fields are those of the header.

use core::ffi::c_void;

use super::store;
use crate::format::value::{DATA_HEADER, kind_header_size, kind_size};
use crate::native::KINDS;

/// The header of a function's value data. One [`ValueProfRecord`] for each kind follows.
#[derive(Debug)]
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
#[derive(Debug)]
#[repr(C)]
pub struct ValueProfRecord {
    kind: u32,
    num_value_sites: u32,
}

/// A value with its count.
#[derive(Debug)]
#[repr(C)]
pub struct InstrProfValueData {
    value: u64,
    count: u64,
}

/// Functions of the program that return the values of a function's sites.
#[derive(Debug)]
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

/// Returns the address of a record's count bytes.
fn counts(record: *mut ValueProfRecord) -> *mut u8 {
    record.wrapping_add(1).cast()
}

/// Returns the address of a record's pairs.
///
/// # Safety
/// `record` must be a record of value data.
unsafe fn pairs(record: *mut ValueProfRecord) -> *mut InstrProfValueData {
    // SAFETY: `record` is a record of value data by this function's contract.
    let sites = unsafe { (*record).num_value_sites };
    record.cast::<u8>().wrapping_add(kind_header_size(sites) as usize).cast()
}

/// Returns the number of a record's pairs: the sum of its count bytes.
///
/// # Safety
/// `record` must be a record of value data.
unsafe fn num_pairs(record: *mut ValueProfRecord) -> u32 {
    // SAFETY: `record` is a record of value data by this function's contract.
    let sites = unsafe { (*record).num_value_sites } as usize;
    // SAFETY: one count byte a site.
    (0..sites).fold(0, |sum: u32, site| sum.wrapping_add(u32::from(unsafe { *counts(record).wrapping_add(site) })))
}

/// Returns the record after a record.
///
/// # Safety
/// `record` must be a record of value data.
unsafe fn next(record: *mut ValueProfRecord) -> *mut ValueProfRecord {
    // SAFETY: `record` is a record of value data by this function's contract.
    unsafe { pairs(record).wrapping_add(num_pairs(record) as usize) }.cast()
}

/// Writes one kind from the closure.
///
/// # Safety
/// `record` must have space for the kind; the closure's functions must be callable.
unsafe fn serialize_kind(record: *mut ValueProfRecord, closure: &ValueProfRecordClosure, kind: u32, sites: u32) {
    // SAFETY: the caller's room.
    unsafe { record.write(ValueProfRecord { kind, num_value_sites: sites }) };
    // SAFETY: its sites were just set.
    let mut to = unsafe { pairs(record) };
    for site in 0..sites {
        // SAFETY: the caller's closure.
        let values = unsafe { (closure.num_value_data_for_site)(closure.record, kind, site) };
        // SAFETY: one count byte a site.
        unsafe { *counts(record).wrapping_add(site as usize) = values as u8 };
        // SAFETY: the caller's closure and room.
        unsafe { (closure.value_for_site)(closure.record, to, kind, site) };
        to = to.wrapping_add(values as usize);
    }
    // The closure has written the pairs.
    let header = size_of::<ValueProfRecord>().wrapping_add(sites as usize);
    crate::os::initialized(record.cast(), header);
}

/// Returns the size of the value data that the closure describes.
///
/// # Safety
/// The closure's functions must be callable.
unsafe fn size(closure: &ValueProfRecordClosure) -> u32 {
    let mut size = DATA_HEADER;
    for kind in 0..KINDS as u32 {
        // SAFETY: the caller's closure.
        let sites = unsafe { (closure.num_value_sites)(closure.record, kind) };
        if sites > 0 {
            // SAFETY: the caller's closure.
            let pairs = unsafe { (closure.num_value_data)(closure.record, kind) };
            size = size.wrapping_add(kind_size(sites, pairs));
        }
    }
    size as u32
}

/// Writes all kinds from the closure.
///
/// # Safety
/// `data` must be null or have space for them; the closure's functions must be callable.
unsafe fn serialize(closure: &ValueProfRecordClosure, data: *mut ValueProfData) -> *mut ValueProfData {
    let (data, total_size) = if data.is_null() {
        // SAFETY: the caller's closure.
        let size = unsafe { size(closure) };
        let Some(alloc) = closure.alloc_value_prof_data else { return data };
        // SAFETY: the caller's closure.
        (unsafe { alloc(size as usize) }, size)
    } else {
        // SAFETY: the caller has set the size.
        (data, unsafe { (*data).total_size })
    };
    if data.is_null() {
        return data;
    }
    // SAFETY: the caller's closure.
    let num_value_kinds = unsafe { (closure.num_value_kinds)(closure.record) };
    // SAFETY: room for `total_size` bytes.
    unsafe { store(data, ValueProfData { total_size, num_value_kinds }) };
    let mut record: *mut ValueProfRecord = data.wrapping_add(1).cast();
    for kind in 0..KINDS as u32 {
        // SAFETY: the caller's closure.
        let sites = unsafe { (closure.num_value_sites)(closure.record, kind) };
        if sites > 0 {
            // SAFETY: the sizes were made for all kinds.
            unsafe { serialize_kind(record, closure, kind, sites) };
            // SAFETY: just written.
            record = unsafe { next(record) };
        }
    }
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
        unsafe { next(record) }
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
        unsafe { size(&*closure) }
    }
    /// Writes one kind from the closure.
    fn serializeValueProfRecordFrom(record: *mut ValueProfRecord, closure: *const ValueProfRecordClosure, kind: u32, sites: u32) {
        // SAFETY: the caller's closure and room.
        unsafe { serialize_kind(record, &*closure, kind, sites) }
    }
    /// Writes all kinds from the closure, to `data` or to memory of the closure's allocator.
    fn serializeValueProfDataFrom(closure: *const ValueProfRecordClosure, data: *mut ValueProfData) -> *mut ValueProfData {
        // SAFETY: the caller's closure and room.
        unsafe { serialize(&*closure, data) }
    }
}
