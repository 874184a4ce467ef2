//! What an instrumented site does with a value: the hot path.

#![allow(unsafe_code)]

use core::ptr;

use super::node::{self, Head, Node};
use super::optional::require_table;
use super::site::{Outcome, Supply, find_or_add, turn_away};
use super::{cache, cells, dropped, full, limit, pool};
use crate::format::record::Record;
use crate::os;
use crate::sync::{self, Ordering};

/// Adds `count` to the count of `value` at site `site` of `record`. A null record is ignored, as in LLVM's runtime.
///
/// Most calls end here: the first `FIRST` values of the site are compared one by one, all others are one look into the cache
/// away. (A walk is predicted, so the address to write to is known early; a hash of the value makes it late, which costs
/// more than the few instructions of a short walk.)
///
/// # Safety
/// - `record` must be null or point to a control record of this image, of this archive's raw version.
/// - `site` must be below the number of its sites.
#[inline(always)]
#[allow(unused_assignments, reason = "the last turn goes nowhere")]
pub unsafe fn record<const FIRST: usize>(value: u64, record: *const Record, site: u32, count: u64) {
    // Then the record's address is where no record is.
    #[cfg(not(feature = "hosted"))]
    if crate::sections::elf::records_are_elsewhere() {
        return;
    }
    // On most CPUs this is nothing.
    let Some(_exclusive) = sync::exclusive() else { return dropped::turn_away() };
    // SAFETY: the caller's contract.
    let Some(record) = (unsafe { record.as_ref() }) else { return };
    let heads = record.values.load(Ordering::Acquire).cast::<Head>();
    if !heads.is_null() {
        let head: *const Head = heads.wrapping_add(site as usize);
        if !os::single_threaded() {
            return shared(value, record, head, site, count);
        }
        // SAFETY: the compiler gives sites below the number it reserved heads for.
        let mut link = unsafe { &*head };
        // Turn by turn and no loop, which the compiler leaves as it is where it optimises for size.
        const { assert!(FIRST <= 4) };
        macro_rules! turn {
            ($turn:literal) => {
                if $turn < FIRST {
                    // SAFETY: nodes are published whole and never freed.
                    let Some(node) = (unsafe { link.load(Ordering::Acquire).as_ref() }) else {
                        return slow(value, record, site, count);
                    };
                    if node.value.load(Ordering::Relaxed) == value {
                        return cells::add_to_node(node, count);
                    }
                    link = &node.next;
                }
            };
        }
        turn!(0);
        turn!(1);
        turn!(2);
        turn!(3);
        if let Some(node) = cache::lookup(head, value) {
            return cells::add_to_node(node, count);
        }
        // SAFETY: as above.
        return slow_at(unsafe { &*head }, value, count);
    }
    slow(value, record, site, count);
}

/// What counts values brings along what writes them ([`super::optional`]).
#[cfg(all(not(feature = "hosted"), feature = "abi", not(test)))]
#[used]
static WRITERS: (super::numbers::Write, super::pieces::Write, super::forget::Forget) =
    (super::numbers::write, super::pieces::write, super::forget::all);

super::optional::provide_table!();

/// The first nodes of a list, which threads look at one by one before they go by the hash.
const WALKED: usize = 4;

/// The same with other threads around: found by a short walk or in the thread's own cells.
#[inline(always)]
fn shared(value: u64, record: &Record, head: *const Head, site: u32, count: u64) {
    if let Some(slot) = cells::known_slot() {
        // SAFETY: as in `record`.
        for node in node::nodes(unsafe { &*head }).take(WALKED) {
            if node.value.load(Ordering::Relaxed) == value {
                if cells::add_walked(slot, node, count) {
                    return;
                }
                return slow(value, record, site, count);
            }
        }
        if cells::add_known(slot, head, value, count) {
            return;
        }
    }
    slow(value, record, site, count);
}

/// The pool as a supply of nodes.
struct FromPool;

impl Supply for FromPool {
    fn take(&mut self) -> Option<&'static Node> {
        #[cfg(not(feature = "hosted"))]
        if super::frozen::turns_away() {
            return None;
        }
        pool::node()
    }

    fn give_back(&mut self, node: &'static Node) {
        pool::give_back(node);
    }
}

/// The first value of a record whose sites have no heads yet, or of a site.
#[inline(never)]
fn slow(value: u64, record: &Record, site: u32, count: u64) {
    // All calls that count refer to this function.
    require_table();
    let Some(heads) = heads_of(record) else { return };
    // SAFETY: `site` is below the record's number of sites by `record`'s contract.
    slow_at(unsafe { &*heads.wrapping_add(site as usize) }, value, count);
}

/// A value that is new to its site, or that the cache has forgotten.
#[inline(never)]
fn slow_at(head: &Head, value: u64, count: u64) {
    if full::is_known(head) {
        return at_full(head, value, count);
    }
    settle(head, value, count, find_or_add(head, value, count, limit::max_values(), &mut FromPool));
}

/// The same at a site that is known to be full: by itself, for programs with many targets are here most of the time.
#[inline(never)]
fn at_full(head: &Head, value: u64, count: u64) {
    settle(head, value, count, turn_away(head, value, count));
}

/// Adds the count where it has not been added, and lets the value be found at once the next time.
#[inline(always)]
fn settle(head: &Head, value: u64, count: u64, outcome: Outcome<'_>) {
    match outcome {
        Outcome::Found(node) => {
            cache::remember(head, value, node);
            if os::single_threaded() {
                cells::add_to_node(node, count);
            } else {
                let walked = node::nodes(head).take(WALKED).any(|first| ptr::eq(first, node));
                cells::add_shared(head, value, node, walked, count);
            }
        }
        Outcome::Added(node) => cache::remember(head, value, node),
        Outcome::Full | Outcome::NoNode => {}
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
        dropped::drop_one();
        return None;
    }
    match record.values.compare_exchange(ptr::null_mut(), fresh, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => {
            limit::heads_allocated();
            Some(fresh.cast())
        }
        Err(other) => Some(other.cast()),
    }
}
