//! Caches nodes by site and value, to save the walk over the list.
//!
//! Direct-mapped: an entry is the node that was last looked up with this hash. A node has its value and its site, so a lookup
//! recognizes an entry of another value and a stale entry: they cost a walk, never a wrong count.

#![allow(unsafe_code)]

use core::ptr;

use super::node::{Head, Node};
use crate::format::node::hash;
use crate::sync::{AtomicUsize, Ordering};

/// The number of entries as a power of two. (Devices use no cache, and memory is short there: see [`remember`].)
const BITS: u32 = if cfg!(feature = "hosted") { 12 } else { 1 };

/// A node of no site. Stands for "no node", so that lookups need no check for null.
static NOBODY: Node = Node::new();

/// The entries of the cache. An entry is the distance of a node from `NOBODY`, so that the initial 0 means `NOBODY`.
static ENTRIES: [AtomicUsize; 1 << BITS] = [const { AtomicUsize::new(0) }; 1 << BITS];

/// Returns the entry for a value at a site.
#[inline(always)]
fn entry(head: *const Head, value: u64) -> &'static AtomicUsize {
    // SAFETY: `hash` returns a number of BITS bits, and there are as many entries.
    unsafe { ENTRIES.get_unchecked(hash(head.addr(), value, BITS)) }
}

/// Returns the node of `value` at `head`, if the cache has it.
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

/// Stores the node of `value` at `head` in the cache.
#[inline(always)]
pub fn remember(head: &Head, value: u64, node: &Node) {
    // Devices never look up: they have no space for the table.
    if !cfg!(feature = "hosted") {
        return;
    }
    let distance = ptr::from_ref(node).expose_provenance().wrapping_sub((&raw const NOBODY).addr());
    let entry = entry(head, value);
    // A store of the same value would take the cache line from other threads for nothing.
    if entry.load(Ordering::Relaxed) != distance {
        entry.store(distance, Ordering::Release);
    }
}
