//! What is known of a full site: its nodes with a byte of each value's hash, and the least frequent one. So a value that is
//! new to the site, which the site must turn away again and again, costs no walk over the list.
//!
//! An entry serves one site at a time and is read and written only under its lock, which is never waited for. A full list
//! changes only under that lock too; so what an entry says of the values in the list is true for who holds it.
//!
//! The least frequent: when it is looked for, all nodes before it have more than its count, and all behind it at least as
//! much; its count then is the floor. Counts of the others only grow, so as long as it has not more than the floor, it is
//! still the one that a search would find. A reset, which lowers counts, forgets all sites.

#![allow(unsafe_code)]

use core::ptr;

use super::key::hash;
use super::node::{Head, Node, nodes};
use crate::os;
use crate::sync::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Entries, as a power of two: few where memory is short, for an entry only saves time.
const BITS: u32 = if cfg!(feature = "hosted") { 6 } else { 2 };
/// Nodes that an entry has marks for: as many as a site holds when nothing else is said.
const NODES: u32 = 24;
/// Words of marks.
const MARKS: usize = NODES as usize / 8;
/// A byte in each place.
const EACH: u64 = 0x0101_0101_0101_0101;

/// What is known of one full site. (Aligned, so that an entry is found without a multiplication.)
#[repr(align(64))]
pub struct FullSite {
    /// The thread that has it; 0: none.
    owner: AtomicUsize,
    /// The list has more nodes than there are marks.
    long: AtomicBool,
    site: AtomicPtr<Head>,
    /// The least frequent node, its place in the list, and the floor of its count.
    least: AtomicPtr<Node>,
    place: AtomicU32,
    floor: AtomicU64,
    /// A byte of each node's value, in the order of the nodes.
    marks: [AtomicU64; MARKS],
}

static SITES: [FullSite; 1 << BITS] = [const {
    FullSite {
        owner: AtomicUsize::new(0),
        long: AtomicBool::new(false),
        site: AtomicPtr::new(ptr::null_mut()),
        least: AtomicPtr::new(ptr::null_mut()),
        place: AtomicU32::new(0),
        floor: AtomicU64::new(0),
        marks: [const { AtomicU64::new(0) }; MARKS],
    }
}; 1 << BITS];

/// Exclusive use of an entry.
pub struct LockedSite<'a> {
    full: &'static FullSite,
    head: &'a Head,
}

impl Drop for LockedSite<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.full.owner.store(0, Ordering::Release);
    }
}

/// The entry that may serve a site.
#[inline(always)]
fn entry(head: &Head) -> &'static FullSite {
    // SAFETY: the hash is below the number of entries.
    unsafe { SITES.get_unchecked(hash(ptr::from_ref(head).addr(), 0, BITS)) }
}

/// Whether the site is known to be full. `false` says nothing.
#[inline(always)]
pub fn is_known(head: &Head) -> bool {
    ptr::eq(entry(head).site.load(Ordering::Relaxed), head)
}

/// Takes the entry of a site, if nobody has it, and makes sure that it serves this site.
#[inline(always)]
pub fn lock(head: &Head) -> Option<LockedSite<'_>> {
    let full = entry(head);
    match full.owner.compare_exchange(0, this_thread(), Ordering::Acquire, Ordering::Relaxed) {
        Ok(_) => {
            let locked = LockedSite { full, head };
            if !ptr::eq(full.site.load(Ordering::Relaxed), head) {
                learn(full, head);
            }
            Some(locked)
        }
        // Not `then_some`: a `LockedSite` that is made and dropped would free what another one holds.
        Err(_) => None,
    }
}

/// This thread, as far as threads can be told apart.
#[inline(always)]
fn this_thread() -> usize {
    os::thread_pointer().unwrap_or(1)
}

/// Frees the entries of all other threads, in a child that was forked while they were at work: they are not there. (An
/// entry that was half changed leads to a walk, or to a value that is looked for in vain.)
pub fn free_from_others() {
    for full in &SITES {
        let owner = full.owner.load(Ordering::Relaxed);
        if owner != 0 && owner != this_thread() {
            full.site.store(ptr::null_mut(), Ordering::Relaxed);
            full.owner.store(0, Ordering::Release);
        }
    }
}

/// The byte that marks a value.
#[inline(always)]
fn mark(value: u64) -> u64 {
    value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56
}

impl<'a> LockedSite<'a> {
    /// The node of `value` in the full list.
    #[inline(always)]
    pub fn find(&self, value: u64) -> Option<&'a Node> {
        let mark = mark(value).wrapping_mul(EACH);
        // A byte of the difference is 0 where the marks are equal; the usual trick finds out whether one is.
        let zeros = |marks: &AtomicU64| {
            let difference = marks.load(Ordering::Relaxed) ^ mark;
            difference.wrapping_sub(EACH) & !difference
        };
        let [first, second, third] = &self.full.marks;
        let maybe = zeros(first) | zeros(second) | zeros(third);
        if maybe & (EACH << 7) == 0 && !self.full.long.load(Ordering::Relaxed) {
            return None;
        }
        nodes(self.head).find(|node| node.value.load(Ordering::Relaxed) == value)
    }

    /// The first of the least frequent values, and its count.
    #[inline(always)]
    pub fn least(&self) -> Option<(&'a Node, u64)> {
        // SAFETY: a node of this site; nodes live for ever.
        let node = unsafe { self.full.least.load(Ordering::Relaxed).as_ref() }?;
        let total = node.total();
        if total <= self.full.floor.load(Ordering::Relaxed) { Some((node, total)) } else { learn(self.full, self.head) }
    }

    /// Gives the node that [`LockedSite::least`] has found to another value.
    #[inline(always)]
    pub fn replace(&self, node: &Node, value: u64, count: u64) {
        set_mark(self.full, self.full.place.load(Ordering::Relaxed), value);
        let before = node.total_as(value);
        node.value.store(value, Ordering::Relaxed);
        // By a difference: others may find the value from now on and count it, before this addition or behind it.
        node.count.fetch_add(count.wrapping_sub(before), Ordering::Relaxed);
    }
}

/// Looks at the whole list. To be called by who has the lock. (No method, for which the lock would have to stand in memory.)
#[inline(never)]
fn learn<'a>(full: &'static FullSite, head: &'a Head) -> Option<(&'a Node, u64)> {
    full.site.store(ptr::null_mut(), Ordering::Relaxed);
    let mut least: Option<(&'a Node, u64)> = None;
    let mut count: u32 = 0;
    for node in nodes(head) {
        let total = node.total();
        if least.is_none_or(|(_, least)| total < least) {
            least = Some((node, total));
            full.place.store(count, Ordering::Relaxed);
        }
        set_mark(full, count, node.value.load(Ordering::Relaxed));
        count = count.wrapping_add(1);
    }
    let (node, total) = least?;
    full.least.store(ptr::from_ref(node).cast_mut(), Ordering::Relaxed);
    full.floor.store(total, Ordering::Relaxed);
    // The marks behind the end of a shorter list are of no node: they cost a walk now and then.
    full.long.store(count > NODES, Ordering::Relaxed);
    full.site.store(ptr::from_ref(head).cast_mut(), Ordering::Relaxed);
    Some((node, total))
}

#[inline(always)]
fn set_mark(full: &FullSite, place: u32, value: u64) {
    let shift = (place & 7).wrapping_mul(8);
    if let Some(marks) = full.marks.get(place as usize >> 3) {
        let others = marks.load(Ordering::Relaxed) & !(0xff << shift);
        marks.store(others | mark(value) << shift, Ordering::Relaxed);
    }
}

/// Forgets all sites: counts are about to become smaller, or sites to hold more values.
pub fn forget_all() {
    for full in &SITES {
        full.site.store(ptr::null_mut(), Ordering::Relaxed);
    }
}
