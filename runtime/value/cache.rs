//! From a site and a value straight to its node, without a walk over the list.
//!
//! Direct-mapped: an entry is the node that was looked for last under this hash. A node says its value and its site, so an
//! entry that is another's, or stale, is seen to be and costs a walk, never a wrong count.

#![allow(unsafe_code)]

use core::ptr;

use super::key::hash;
use super::node::{Head, Node};
use crate::sync::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

/// Entries, as a power of two. (Without a system nothing is ever looked up here, and memory is short: see `record`.)
const BITS: u32 = if cfg!(feature = "hosted") { 12 } else { 1 };

/// A node of no site. It stands where no node is known yet, so that nobody has to check for that.
pub static NOBODY: Node = Node {
    value: AtomicU64::new(0),
    count: AtomicU64::new(0),
    next: AtomicPtr::new(ptr::null_mut()),
    site: AtomicPtr::new(ptr::null_mut()),
};

/// The table. An entry is the distance of a node from `NOBODY`, so that 0, what it is full of at the start, is `NOBODY`.
static ENTRIES: [AtomicUsize; 1 << BITS] = [const { AtomicUsize::new(0) }; 1 << BITS];

/// The entry for a value at a site.
#[inline(always)]
fn entry(head: *const Head, value: u64) -> &'static AtomicUsize {
    // SAFETY: the hash is below the number of entries.
    unsafe { ENTRIES.get_unchecked(hash(head.addr(), value, BITS)) }
}

/// The node of `value` at `head`, if the cache knows it.
#[inline(always)]
pub fn lookup(head: *const Head, value: u64) -> Option<&'static Node> {
    let base = (&raw const NOBODY).expose_provenance();
    let distance = entry(head, value).load(Ordering::Acquire);
    let node: *const Node = ptr::with_exposed_provenance(base.wrapping_add(distance));
    // SAFETY: 0 leads to `NOBODY`, all others to nodes, by `remember`, which has exposed them; nodes are never freed.
    let node = unsafe { &*node };
    let hit = node.value.load(Ordering::Relaxed) == value && ptr::eq(node.site.load(Ordering::Relaxed), head);
    hit.then_some(node)
}

/// Makes the cache know where `value` is at `head`.
#[inline(always)]
pub fn remember(head: &Head, value: u64, node: &Node) {
    // Without a system nobody looks: it is never known that there is one thread. So the table takes no memory there.
    if !cfg!(feature = "hosted") {
        return;
    }
    let distance = ptr::from_ref(node).expose_provenance().wrapping_sub((&raw const NOBODY).addr());
    let entry = entry(head, value);
    // Threads that share a line do not take it from each other for nothing.
    if entry.load(Ordering::Relaxed) != distance {
        entry.store(distance, Ordering::Release);
    }
}
