//! What an instrumented site does with a value: the hot path.

#![allow(unsafe_code)]

use core::ptr;
use core::sync::atomic::Ordering;

use super::node::{self, Head, Node};
use super::{limit, pool};
use crate::format::record::Record;
use crate::os;

/// Adds `count` to the count of `value` at site `site` of `record`.
///
/// # Safety
/// - `record` must be null or point to a control record of this image, of this archive's raw version.
/// - `site` must be below the number of its sites.
#[inline(always)]
pub unsafe fn record(value: u64, record: *const Record, site: u32, count: u64) {
    // SAFETY: the caller's contract.
    let Some(record) = (unsafe { record.as_ref() }) else { return };
    let heads = record.values.load(Ordering::Acquire).cast::<Head>();
    if !heads.is_null() {
        // SAFETY: the compiler gives sites below the number it reserved heads for.
        let head = unsafe { &*heads.wrapping_add(site as usize) };
        // SAFETY: nodes are published whole and never freed.
        if let Some(first) = unsafe { head.load(Ordering::Acquire).as_ref() }
            && first.value.load(Ordering::Relaxed) == value
        {
            return add(first, count);
        }
    }
    slow(value, record, site, count);
}

/// Adds to a node's count: a plain addition while the process has one thread, else an atomic one.
#[inline(always)]
fn add(node: &Node, count: u64) {
    if os::single_threaded() {
        node.count.store(node.count.load(Ordering::Relaxed).wrapping_add(count), Ordering::Relaxed);
    } else {
        node.count.fetch_add(count, Ordering::Relaxed);
    }
}

/// Not the first value of its site.
#[inline(never)]
fn slow(value: u64, record: &Record, site: u32, count: u64) {
    let Some(heads) = heads_of(record) else { return };
    // SAFETY: `site` is below the record's number of sites by `record`'s contract.
    let head = unsafe { &*heads.wrapping_add(site as usize) };
    let max = limit::max_values();
    let mut spare = None;
    let mut least: Option<&Node> = None;
    let mut least_count = u64::MAX;
    let mut link = head;
    let mut seen: u32 = 0;
    loop {
        // SAFETY: nodes are published whole and never freed.
        if let Some(node) = unsafe { link.load(Ordering::Acquire).as_ref() } {
            if node.value.load(Ordering::Relaxed) == value {
                return add(node, count);
            }
            let here = node.count.load(Ordering::Relaxed);
            if here < least_count {
                least_count = here;
                least = Some(node);
            }
            seen = seen.wrapping_add(1);
            link = &node.next;
            continue;
        }
        if seen >= max {
            return wear_down(least, value, count);
        }
        let Some(node) = spare.or_else(pool::node) else { return };
        node::fill(node, value, count);
        let new = ptr::from_ref(node).cast_mut();
        if link.compare_exchange(ptr::null_mut(), new, Ordering::Release, Ordering::Relaxed).is_ok() {
            return;
        }
        // Another thread was faster. Its value may be ours: look on from here, and keep the node for later.
        spare = Some(node);
    }
}

/// The site is full: a new value costs the least frequent one its lead, and takes its place when nothing is left of it. So
/// targets that dominate stay, and those that were only early go.
fn wear_down(least: Option<&Node>, value: u64, count: u64) {
    let Some(node) = least else { return };
    let had = node.count.load(Ordering::Relaxed);
    if had <= count {
        node.value.store(value, Ordering::Relaxed);
        node.count.store(count, Ordering::Relaxed);
    } else {
        node.count.fetch_sub(count, Ordering::Relaxed);
    }
}

/// The heads of a record's sites, allocated at the first value when the compiler did not.
fn heads_of(record: &Record) -> Option<*const Head> {
    let heads = record.values.load(Ordering::Acquire);
    if !heads.is_null() {
        return Some(heads.cast());
    }
    let sites = node::site_count(record);
    if sites == 0 {
        return None;
    }
    let fresh = pool::heads(sites).cast::<u8>();
    if fresh.is_null() {
        return None;
    }
    match record.values.compare_exchange(ptr::null_mut(), fresh, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => Some(fresh.cast()),
        Err(other) => Some(other.cast()),
    }
}
