//! The least frequent value of a full site, remembered so that it need not be looked for at every miss.
//!
//! When a node is chosen, all nodes before it in the list have more than its count, and all behind it at least as much: its
//! count is the floor. Counts of other nodes only grow, so as long as the node has not more than the floor, it is still
//! the one that a search would find. A reset, which lowers counts, forgets all victims.
//!
//! Written only under the lock of `site::wear_down`.

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use super::key::hash;
use super::node::{Head, Node, nodes};

/// Entries, as a power of two.
const BITS: u32 = 6;

/// What is known of one full site.
struct Victim {
    site: AtomicPtr<Head>,
    node: AtomicPtr<Node>,
    floor: AtomicU64,
    /// How many values a site held when the node was chosen.
    max: AtomicU32,
}

static VICTIMS: [Victim; 1 << BITS] = [const {
    Victim {
        site: AtomicPtr::new(ptr::null_mut()),
        node: AtomicPtr::new(ptr::null_mut()),
        floor: AtomicU64::new(0),
        max: AtomicU32::new(0),
    }
}; 1 << BITS];

fn entry(head: &Head) -> Option<&'static Victim> {
    VICTIMS.get(hash(head, 0, BITS))
}

/// Whether the site is known to hold as many values as it may. `false` says nothing.
#[inline]
pub fn is_full(head: &Head, max: u32) -> bool {
    entry(head).is_some_and(|entry| {
        ptr::eq(entry.site.load(Ordering::Relaxed), head) && entry.max.load(Ordering::Relaxed) == max
    })
}

/// The first of the least frequent values of a full site, and its count. Under the lock.
pub fn choose(head: &Head, max: u32) -> Option<(&Node, u64)> {
    let entry = entry(head)?;
    if ptr::eq(entry.site.load(Ordering::Relaxed), head) {
        // SAFETY: a node of this site; nodes live for ever.
        #[allow(unsafe_code)]
        let node = unsafe { entry.node.load(Ordering::Relaxed).as_ref() }?;
        let total = node.total();
        if total <= entry.floor.load(Ordering::Relaxed) {
            return Some((node, total));
        }
    }
    let mut least: Option<(&Node, u64)> = None;
    for node in nodes(head) {
        let total = node.total();
        if least.is_none_or(|(_, least)| total < least) {
            least = Some((node, total));
        }
    }
    let (node, total) = least?;
    entry.node.store(ptr::from_ref(node).cast_mut(), Ordering::Relaxed);
    entry.floor.store(total, Ordering::Relaxed);
    entry.max.store(max, Ordering::Relaxed);
    entry.site.store(ptr::from_ref(head).cast_mut(), Ordering::Relaxed);
    Some((node, total))
}

/// Forgets all victims: counts are about to become smaller.
pub fn forget() {
    for entry in &VICTIMS {
        entry.site.store(ptr::null_mut(), Ordering::Relaxed);
    }
}
