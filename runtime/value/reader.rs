//! Reads the values of one function at a time, for programs that walk them with LLVM's table of functions ([`crate::abi`] has the
//! table). As in LLVM's runtime, statics keep the function and the counts of its sites between the calls: one walk at a time in
//! an image.
//!
//! [`begin`] counts the values of each site, once. Nodes are only added at the end of a list, so later calls find as many pairs.

#![allow(unsafe_code)]

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use super::node::{Node, Record, heads, values_at};
use crate::format::node::not_negative;
use crate::format::value::{DATA_HEADER, record_size};

/// Selects a function: stores the number of values of each site. Returns the number of kinds that have sites.
pub type Begin = unsafe extern "C" fn(*const Record, *mut *mut u8) -> u32;
/// Copies pairs of a site to a list: a number of them, from a node on. Returns the node after them.
pub type Pairs = unsafe extern "C" fn(u32, u32, *mut [u64; 2], *const Node, u32) -> *const Node;

/// The record of the walk; null before the first walk.
static RECORD: AtomicPtr<Record> = AtomicPtr::new(ptr::null_mut());
/// For each kind, the array of the numbers of values of its sites. Invariant: null, or from the same [`begin`] as `RECORD`.
static COUNTS: AtomicPtr<*mut u8> = AtomicPtr::new(ptr::null_mut());

/// The size of the function's value data in bytes; before the first walk, that of a function without sites.
static SIZE: AtomicU32 = AtomicU32::new(DATA_HEADER as u32);

/// Begins a walk over a function: stores how many values each site has, one byte a site, in the array of its kind. Returns the
/// number of kinds that have sites.
///
/// # Safety
/// - `record` must be a control record that lives as long as the walk, its `values` null or the heads of its sites.
/// - `counts` must hold a pointer for each kind; that of a kind with sites must have a byte for each, for as long.
pub unsafe extern "C" fn begin(record: *const Record, counts: *mut *mut u8) -> u32 {
    RECORD.store(record.cast_mut(), Ordering::Relaxed);
    COUNTS.store(counts, Ordering::Relaxed);
    // SAFETY: a control record, by this function's contract.
    let record = unsafe { &*record };
    let mut heads = heads(record).iter();
    let (mut kinds, mut pairs): (u32, u64) = (0, 0);
    for (kind, &sites) in record.num_value_sites.iter().enumerate() {
        if sites == 0 {
            continue;
        }
        kinds = kinds.wrapping_add(1);
        // SAFETY: `counts` has a pointer for each kind, by this function's contract.
        let array = unsafe { *counts.wrapping_add(kind) };
        for site in 0..usize::from(sites) {
            let values = heads.next().map_or(0, values_at);
            pairs = pairs.wrapping_add(u64::from(values));
            // SAFETY: the array has a byte for each site, by this function's contract. Volatile, because the compiler can make a loop
            // that clears a call of `memset`.
            unsafe { array.wrapping_add(site).write_volatile(values) };
        }
    }
    let size = record_size(&record.num_value_sites, pairs).unwrap_or(DATA_HEADER);
    SIZE.store(size as u32, Ordering::Relaxed);
    kinds
}

/// Returns the record of the walk, if it has the site.
fn record_with<'a>(kind: u32, site: u32) -> Option<&'a Record> {
    // SAFETY: null, or a record that lives as long as the walk by `begin`'s contract.
    let record = unsafe { RECORD.load(Ordering::Relaxed).as_ref() }?;
    (site < sites(record, kind)).then_some(record)
}

/// Returns the number of sites of a kind.
fn sites(record: &Record, kind: u32) -> u32 {
    record.num_value_sites.get(kind as usize).map_or(0, |sites| u32::from(*sites))
}

/// Returns the number of values that a site had in [`begin`]; 0 for a site that the function does not have.
pub extern "C" fn values(kind: u32, site: u32) -> u32 {
    if record_with(kind, site).is_none() {
        return 0;
    }
    let counts = COUNTS.load(Ordering::Relaxed);
    // SAFETY: a pointer for each kind, and a byte for each site, by `begin`'s contract.
    unsafe { u32::from(*(*counts.wrapping_add(kind as usize)).wrapping_add(site as usize)) }
}

/// Returns the size of the function's value data in bytes.
pub extern "C" fn size() -> u32 {
    SIZE.load(Ordering::Relaxed)
}

/// Stores `count` pairs of value and count of a site, from the node `from` on, or from the first node when that is null; fewer where
/// the list ends. Returns the node after the last pair, or null.
///
/// # Safety
/// `to` must have space for `count` pairs, and `from` must be null or the result of an earlier call for this site.
pub unsafe extern "C" fn pairs(kind: u32, site: u32, to: *mut [u64; 2], from: *const Node, count: u32) -> *const Node {
    let mut next = if from.is_null() { first(kind, site) } else { from };
    for index in 0..count as usize {
        // SAFETY: null, or a node of a list, by this function's contract and `first`; nodes are never freed.
        let Some(node) = (unsafe { next.as_ref() }) else { break };
        let pair = [node.value.load(Ordering::Relaxed), not_negative(node.total())];
        // SAFETY: space for `count` pairs, by this function's contract.
        unsafe { to.wrapping_add(index).write(pair) };
        next = node.next.load(Ordering::Acquire);
    }
    next
}

/// Returns the first node of a site, or null.
fn first(kind: u32, site: u32) -> *const Node {
    let Some(record) = record_with(kind, site) else { return ptr::null() };
    let before = (0..kind).fold(0, |sum: u32, kind| sum.wrapping_add(sites(record, kind)));
    let head = heads(record).get(before.wrapping_add(site) as usize);
    head.map_or(ptr::null(), |head| head.load(Ordering::Acquire))
}
