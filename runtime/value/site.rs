//! The list of one site: finding a value, adding one, and what happens when the site is full.
//!
//! The only code that links nodes, so the one that has to be right under any interleaving: `tests/loom` checks it.

#![allow(unsafe_code)]

use core::ptr;

use super::full;
use super::node::{Head, Node, nodes};
use crate::sync::Ordering;

/// What became of a value.
#[derive(Debug)]
pub enum Outcome<'a> {
    /// The value has this node; the count is still to be added.
    Found(&'a Node),
    /// The value got this node, with the count in it.
    Added(&'a Node),
    /// The site is full, and the least frequent value has paid.
    Full,
    /// There is no memory for another node.
    NoNode,
}

/// Nodes for a list.
pub trait Supply {
    /// A node that nobody else knows.
    fn take(&mut self) -> Option<&'static Node>;
    /// Takes back one that was not needed.
    fn give_back(&mut self, node: &'static Node);
}

/// Finds `value` in the list of `head`, or adds it with `count` if the list has fewer than `max` values.
#[inline(always)]
pub fn find_or_add<'a>(head: &'a Head, value: u64, count: u64, max: u32, supply: &mut impl Supply) -> Outcome<'a> {
    if full::is_known(head) {
        return evict_or_decay(head, value, count);
    }
    add(head, value, count, max, supply)
}

/// The same for a site that is not known to be full.
fn add<'a>(head: &'a Head, value: u64, count: u64, max: u32, supply: &mut impl Supply) -> Outcome<'a> {
    let mut spare: Option<&'static Node> = None;
    let mut link = head;
    let mut seen: u32 = 0;
    let outcome = loop {
        // SAFETY: nodes are published whole and never freed.
        if let Some(node) = unsafe { link.load(Ordering::Acquire).as_ref() } {
            if node.value.load(Ordering::Relaxed) == value {
                break Outcome::Found(node);
            }
            seen = seen.wrapping_add(1);
            link = &node.next;
            continue;
        }
        if seen >= max {
            break evict_or_decay(head, value, count);
        }
        let Some(node) = spare.take().or_else(|| supply.take()) else { break Outcome::NoNode };
        node.fill(head, value, count);
        let new = ptr::from_ref(node).cast_mut();
        // Release: who sees the pointer sees what `fill` wrote.
        if link.compare_exchange(ptr::null_mut(), new, Ordering::Release, Ordering::Relaxed).is_ok() {
            break Outcome::Added(node);
        }
        // Another thread was faster. Its value may be ours: look on from here, and keep the node.
        spare = Some(node);
    };
    if let Some(node) = spare {
        supply.give_back(node);
    }
    outcome
}

/// The site is full: a new value costs the least frequent one its lead, and takes its place when nothing is left of it. So
/// targets that dominate stay, and those that were only early go. Who finds the site's entry taken leaves it as it is.
#[cfg_attr(feature = "hosted", inline(always))]
#[cfg_attr(not(feature = "hosted"), inline(never))]
pub fn evict_or_decay(head: &Head, value: u64, count: u64) -> Outcome<'_> {
    let Some(full) = full::lock(head) else {
        let node = nodes(head).find(|node| node.value.load(Ordering::Relaxed) == value);
        return node.map_or(Outcome::Full, Outcome::Found);
    };
    // Under the lock: the one who had it before us may have brought this very value.
    if let Some(node) = full.find(value) {
        return Outcome::Found(node);
    }
    let Some((node, total)) = full.least() else { return Outcome::Full };
    if total > count {
        node.decay(count);
        return Outcome::Full;
    }
    full.replace(node, value, count);
    Outcome::Added(node)
}
