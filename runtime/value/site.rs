//! The list of one site: finding a value, adding one, and what happens when the site is full.
//!
//! The only code that links nodes, so the one that has to be right under any interleaving: `tests/loom` checks it.

#![allow(unsafe_code)]

use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering};

use super::node::{Head, Node, nodes};
use super::victim;

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

/// Finds `value` in the list of `head`, or adds it with `count` if the list has fewer than `max` values. `alone`: no other
/// thread can be in here.
pub fn find_or_add<'a>(
    head: &'a Head,
    value: u64,
    count: u64,
    max: u32,
    alone: bool,
    supply: &mut impl Supply,
) -> Outcome<'a> {
    if !victim::is_full(head, max) {
        return add(head, value, count, max, alone, supply);
    }
    match nodes(head).find(|node| node.value.load(Ordering::Relaxed) == value) {
        Some(node) => Outcome::Found(node),
        None => wear_down(head, value, count, max, alone),
    }
}

/// The same for a site that is not known to be full.
fn add<'a>(
    head: &'a Head,
    value: u64,
    count: u64,
    max: u32,
    alone: bool,
    supply: &mut impl Supply,
) -> Outcome<'a> {
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
            break wear_down(head, value, count, max, alone);
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

/// Held while a full site gives a node to another value. Never waited for: who finds it taken leaves the site as it is.
static EXCHANGE: AtomicBool = AtomicBool::new(false);

/// The site is full: a new value costs the least frequent one its lead, and takes its place when nothing is left of it. So
/// targets that dominate stay, and those that were only early go.
fn wear_down(head: &Head, value: u64, count: u64, max: u32, alone: bool) -> Outcome<'_> {
    if EXCHANGE.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
        return Outcome::Full;
    }
    let outcome = exchange(head, value, count, max, alone);
    EXCHANGE.store(false, Ordering::Release);
    outcome
}

/// `wear_down` under the lock.
fn exchange(head: &Head, value: u64, count: u64, max: u32, alone: bool) -> Outcome<'_> {
    let Some((node, total)) = victim::choose(head, max) else { return Outcome::Full };
    if total > count {
        node.count.fetch_sub(count, Ordering::Relaxed);
        return Outcome::Full;
    }
    // The one who had the lock before us may have brought this very value.
    if !alone && let Some(node) = nodes(head).find(|node| node.value.load(Ordering::Relaxed) == value) {
        return Outcome::Found(node);
    }
    node.value.store(value, Ordering::Relaxed);
    node.set_total(count);
    Outcome::Added(node)
}
