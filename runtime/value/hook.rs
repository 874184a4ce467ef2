//! The hook that instrumented code calls with each value: the hot path.

#![allow(unsafe_code)]

use core::ptr;

use super::count::add;
use super::limits::{self, values_per_site};
use super::node::{self, Head, Node};
use super::site::{Outcome, find_or_add, find_or_evict};
use super::{arena, cache, full};
use crate::native::Record;
use crate::sync::{self, Ordering};

/// Adds `count` to the count of `value` at site `site` of `record`. Ignores a null record, as LLVM's runtime does.
///
/// Most calls end here: the hook compares the first `FIRST` values of the site one by one and looks all others up in the cache.
/// (The CPU predicts a walk, so it knows early where to write. It knows an address that depends on a hash of the value late, which
/// costs more than the few instructions of a short walk.) `FIRST` is 1 for memory sizes, since a site mostly sees either one size or many,
/// which a longer walk would only delay; 4 for all others.
///
/// # Safety
/// - `record` must be null or point to a control record of this image, of this archive's raw version.
/// - `site` must be below the number of the record's sites.
#[inline(always)]
#[allow(unused_assignments, reason = "the last turn goes nowhere")]
pub unsafe fn count_value<const FIRST: usize>(value: u64, record: *const Record, site: u32, count: u64) {
    // Where the linker script keeps records in the ELF file only, `record` is no address in memory.
    #[cfg(not(feature = "hosted"))]
    if crate::link::records_are_elsewhere() {
        return;
    }
    // Compiles to nothing on most CPUs.
    let Some(_exclusive) = sync::exclusive() else { return limits::drop_reentrant_value() };
    // SAFETY: null, or a control record, by this function's contract.
    let Some(record) = (unsafe { record.as_ref() }) else { return };
    let heads = record.values.load(Ordering::Acquire).cast::<Head>();
    // Devices have neither the space for the cache nor for a copy of the walk in each hook.
    if cfg!(not(feature = "hosted")) || heads.is_null() {
        return count_at_record(value, record, site, count);
    }
    let head: *const Head = heads.wrapping_add(site as usize);
    // SAFETY: the record has a head for each of its sites, and `site` is below their number by this function's contract.
    let mut link = unsafe { &*head };
    // Unrolled by hand: the compiler does not unroll loops where it optimizes for size.
    const { assert!(FIRST <= 4) };
    macro_rules! turn {
        ($turn:literal) => {
            if $turn < FIRST {
                // SAFETY: null, or a node that `site::find_or_add` has set up before it linked it; nodes are never freed.
                let Some(node) = (unsafe { link.load(Ordering::Acquire).as_ref() }) else {
                    return count_at_record(value, record, site, count);
                };
                if has_value(node, value) {
                    return add(node, count);
                }
                link = &node.next;
            }
        };
    }
    turn!(0);
    turn!(1);
    turn!(2);
    turn!(3);
    // Read again, so that the address of the head is not computed in calls that end above: see `has_value`.
    let head = record.values.load(Ordering::Relaxed).cast::<Head>().wrapping_add(site as usize);
    if let Some(node) = cache::lookup(head, value) {
        return add(node, count);
    }
    // SAFETY: the head of a site of this record, which the walk above has read.
    count_at_site(value, unsafe { &*head }, count);
}

/// Returns whether a node has this value: on x86-64 by an instruction that compares in memory, of which the compiler makes two for an atomic
/// load. (It also computes what comes after this assembly before it, for all calls.)
#[inline(always)]
fn has_value(node: &Node, value: u64) -> bool {
    #[cfg(all(target_arch = "x86_64", not(halves)))]
    {
        const VALUE: usize = memoffset::offset_of!(Node, value);
        // SAFETY: reads an `AtomicU64` at `VALUE` of the node, by one instruction.
        unsafe {
            core::arch::asm!(
                "cmp qword ptr [{} + {}], {}",
                "jne {}",
                in(reg) node,
                const VALUE,
                in(reg) value,
                label { return false },
                options(nostack, readonly)
            );
        }
        true
    }
    #[cfg(not(all(target_arch = "x86_64", not(halves))))]
    {
        node.value.load(Ordering::Relaxed) == value
    }
}

/// Does the work of [`count_value`] for values of a profile. Not inlined, so that there is one copy of the hot path for them.
///
/// # Safety
/// That of [`count_value`].
#[inline(never)]
pub unsafe fn insert_value(value: u64, record: *const Record, site: u32, count: u64) {
    // SAFETY: this function's contract is that of `count_value`.
    unsafe { count_value::<4>(value, record, site, count) }
}

// The functions that write, merge and reset values: see `optional`.
#[cfg(all(any(profrt_archive, profrt_device), not(test)))]
crate::link::bring!("profrt_value_functions", "profrt_merge_functions");
// And the calls that count either kind of values: GNU ld and gold search an archive once, and an object after it may count the other kind.
#[cfg(all(profrt_archive, not(test)))]
crate::link::bring_calls!("__llvm_profile_instrument_target", "__llvm_profile_instrument_memop");

/// Returns a node for a new value.
fn new_node() -> Option<&'static Node> {
    #[cfg(not(feature = "hosted"))]
    if super::frozen::drops_new_value() {
        return None;
    }
    arena::node()
}

/// Counts a value of a record without heads, or at a site whose nodes, fewer than `FIRST`, do not have it; on devices, any value.
#[inline(never)]
fn count_at_record(value: u64, record: &Record, site: u32, count: u64) {
    let Some(heads) = heads_of(record) else { return };
    // SAFETY: a head for each site of the record, and `site` is below their number by `count_value`'s contract.
    count_at_site(value, unsafe { &*heads.wrapping_add(site as usize) }, count);
}

/// Counts a value that is new to its site, or that the cache has lost. The value comes first, as in the hooks, so that they do not move it.
#[inline(never)]
fn count_at_site(value: u64, head: &Head, count: u64) {
    if full::is_known(head) {
        return count_at_full_site(head, value, count);
    }
    apply_outcome(head, value, count, find_or_add(head, value, count, values_per_site::max_values(), new_node));
}

/// Counts a value at a site that is known to be full. A function of its own because programs with many targets spend most of their
/// calls here.
#[inline(never)]
fn count_at_full_site(head: &Head, value: u64, count: u64) {
    apply_outcome(head, value, count, find_or_evict(head, value, count));
}

/// Adds `count` to the node that a search has found, and stores the node in the cache.
#[inline(always)]
fn apply_outcome(head: &Head, value: u64, count: u64, outcome: Outcome<'_>) {
    match outcome {
        Outcome::Found(node) => {
            cache::remember(head, value, node);
            add(node, count);
        }
        Outcome::Added(node) => cache::remember(head, value, node),
        Outcome::Full | Outcome::NoNode => {}
    }
}

/// Returns the heads of a record's sites. Allocates them at the first value where the compiler has not reserved any.
fn heads_of(record: &Record) -> Option<*const Head> {
    let heads = record.values.load(Ordering::Acquire);
    if !heads.is_null() {
        return Some(heads.cast());
    }
    let sites = node::site_count(record);
    if sites == 0 {
        return None;
    }
    let fresh = arena::heads(sites).cast::<u8>();
    if fresh.is_null() {
        limits::drop_value();
        return None;
    }
    match record.values.compare_exchange(ptr::null_mut(), fresh, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => {
            values_per_site::raise_unless_set();
            Some(fresh.cast())
        }
        Err(other) => Some(other.cast()),
    }
}
