//! The list of one site: finds a value, adds one, and evicts one where the site is full.
//!
//! The only code that links nodes into the lists of sites, so it must be right under any interleaving of threads: `tests/loom` checks it.

#![allow(unsafe_code)]

use core::ptr;

use super::full;
use super::node::{Head, Node, nodes};
use crate::sync::Ordering;

/// The result of a search for a value at a site.
pub enum Outcome<'a> {
    /// The node of the value. The caller adds the count.
    Found(&'a Node),
    /// The node that is new, or that the value has taken over. It has the count already.
    Added(&'a Node),
    /// The site is full. The value is not counted, and the least frequent one has decayed unless the lock was taken.
    Full,
    /// No memory for a new node.
    NoNode,
}

/// Finds `value` in the list of `head`, or adds it with `count` if the list has fewer than `max` values. Evicts or decays the least
/// frequent value of a full list; for a site that [`full::is_known`], [`find_or_evict`] does that without a walk. `new_node` returns a node that
/// nobody else knows; it is lost where another thread adds the same value at the same time.
pub fn find_or_add<'a>(
    head: &'a Head,
    value: u64,
    count: u64,
    max: u32,
    // Generic, so that no function pointer is called here: where this crate itself is instrumented, the hook counts those calls.
    new_node: impl Fn() -> Option<&'static Node>,
) -> Outcome<'a> {
    let mut spare: Option<&'static Node> = None;
    let mut link = head;
    let mut seen: u32 = 0;
    loop {
        // SAFETY: null, or a node that this function has set up before it linked it; nodes are never freed.
        if let Some(node) = unsafe { link.load(Ordering::Acquire).as_ref() } {
            if node.value.load(Ordering::Relaxed) == value {
                return Outcome::Found(node);
            }
            seen = seen.wrapping_add(1);
            link = &node.next;
            continue;
        }
        if seen >= max {
            return find_or_evict(head, value, count);
        }
        let Some(node) = spare.or_else(&new_node) else { return Outcome::NoNode };
        node.fill(head, value, count);
        let new = ptr::from_ref(node).cast_mut();
        // Release: a thread that sees the pointer sees what `fill` wrote.
        if link.compare_exchange(ptr::null_mut(), new, Ordering::Release, Ordering::Relaxed).is_ok() {
            return Outcome::Added(node);
        }
        // Another thread was faster, maybe with the same value: search on from its node, and keep ours.
        spare = Some(node);
    }
}

/// Finds `value` at a full site. A value that is new there takes `count` from the least frequent value, and takes over that value's
/// node when its total is not larger. So values that dominate stay, and values that were only early go. Changes nothing where
/// the lock is taken: by another thread, also for another site ([`full`]), or by the code that a signal handler has interrupted.
#[cfg_attr(feature = "hosted", inline(always))]
#[cfg_attr(not(feature = "hosted"), inline(never))]
pub fn find_or_evict(head: &Head, value: u64, count: u64) -> Outcome<'_> {
    let Some(full) = full::lock(head) else {
        let node = nodes(head).find(|node| node.value.load(Ordering::Relaxed) == value);
        return node.map_or(Outcome::Full, Outcome::Found);
    };
    // Under the lock: its last holder may have brought this very value.
    if let Some(node) = full.find(value) {
        return Outcome::Found(node);
    }
    let Some((node, total)) = full.least() else { return Outcome::Full };
    if total > count {
        node.correct(count.wrapping_neg());
        return Outcome::Full;
    }
    full.replace(node, total, value, count);
    Outcome::Added(node)
}
