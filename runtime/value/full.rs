//! Stores for some full sites one byte of each value's hash, and the least frequent node. So most values that are new to such a site cost no
//! walk over the list.
//!
//! An entry serves one site at a time, under a lock that nobody waits for. Only the holder of the lock uses an entry and changes the values of
//! its full list, so it can rely on what the entry says of them. Without the lock, [`is_known`] reads which site an entry serves, and
//! [`forget_all`] and [`release_locks_of_others`] clear that, so that the next holder walks the list.
//!
//! The least frequent node is found by a walk, and its total then is the floor. Later holders use it without a walk, because:
//!
//! - At the walk, all nodes before it had larger totals, and all nodes after it had totals at least as large.
//! - The totals of the other nodes only grow: an eviction changes the least node alone, and a reset, which lowers all, clears all entries.
//! - While its own total is at most the floor, another walk would therefore find the same node: the first one with the least total. With a
//!   larger total, the holder walks again.
//!
//! Example: a walk finds the totals 5 3 9, so the floor is 3, at place 1. A decay makes that total 2, still the least: no walk. Counts make it 4,
//! more than the floor: the next holder walks.
//!
//! Nodes are appended to a list only below the limit of values, so a full list gets none, unless the limit is raised. A thread that has read the
//! old limit may still enter the site here, while another one appends a node, which then has no mark: an eviction may bring its value in a
//! second time.

#![allow(unsafe_code)]

use core::ptr;

use super::node::{Head, Node, nodes};
use crate::format::node::hash;
use crate::os;
use crate::sync::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// The number of entries as a power of two: few where memory is short, because an entry only saves time.
const BITS: u32 = if cfg!(feature = "hosted") { 6 } else { 2 };
/// The number of nodes that an entry has marks for: the default limit of values of a site.
const NODES: u32 = 24;
/// The number of words of marks.
const MARKS: usize = NODES as usize / 8;
/// The number 1 in each byte of a word.
const EACH: u64 = 0x0101_0101_0101_0101;

/// What is known of one full site. (Aligned, so that finding an entry takes no multiplication.)
#[repr(align(64))]
pub struct Entry {
    /// The thread that holds the lock; 0: nobody.
    owner: AtomicUsize,
    /// Whether the list has more nodes than the entry has marks.
    long: AtomicBool,
    /// The site that the entry serves, or null.
    site: AtomicPtr<Head>,
    /// The least frequent node.
    least: AtomicPtr<Node>,
    /// The place of that node in the list.
    place: AtomicU32,
    /// The floor of its total.
    floor: AtomicU64,
    /// The mark of each node's value, in the order of the nodes.
    marks: [AtomicU64; MARKS],
}

/// The entries; several sites share one, which serves the last of them that was found to be full.
static ENTRIES: [Entry; 1 << BITS] = [const {
    Entry {
        owner: AtomicUsize::new(0),
        long: AtomicBool::new(false),
        site: AtomicPtr::new(ptr::null_mut()),
        least: AtomicPtr::new(ptr::null_mut()),
        place: AtomicU32::new(0),
        floor: AtomicU64::new(0),
        marks: [const { AtomicU64::new(0) }; MARKS],
    }
}; 1 << BITS];

/// Lock of a full site's entry for the life of the value.
pub struct LockedSite<'a> {
    full: &'static Entry,
    head: &'a Head,
}

impl Drop for LockedSite<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.full.owner.store(0, Ordering::Release);
    }
}

/// Returns the entry that may serve a site.
#[inline(always)]
fn entry(head: &Head) -> &'static Entry {
    // SAFETY: `hash` returns a number of BITS bits, and there are as many entries.
    unsafe { ENTRIES.get_unchecked(hash(ptr::from_ref(head).addr(), 0, BITS)) }
}

/// Returns whether the site is known to be full. `false` means unknown.
#[inline(always)]
pub fn is_known(head: &Head) -> bool {
    ptr::eq(entry(head).site.load(Ordering::Relaxed), head)
}

/// Locks the entry of a site and makes it serve this site. `None` when the lock is taken.
#[inline(always)]
pub fn lock(head: &Head) -> Option<LockedSite<'_>> {
    let full = entry(head);
    match full.owner.compare_exchange(0, this_thread(), Ordering::Acquire, Ordering::Relaxed) {
        Ok(_) => {
            let locked = LockedSite { full, head };
            if !ptr::eq(full.site.load(Ordering::Relaxed), head) {
                describe_list(full, head);
            }
            Some(locked)
        }
        // Not `then_some`: making and dropping a `LockedSite` would release the lock of another thread.
        Err(_) => None,
    }
}

/// Returns a number that no other thread has, or 1 where there are no thread pointers.
#[inline(always)]
fn this_thread() -> usize {
    os::thread_pointer().unwrap_or(1)
}

/// Releases the locks of all other threads, in a child that was forked while they held them. Releases all locks where threads have no
/// number: a lock of this thread is held only if the child was forked in a signal handler that interrupted the hook.
pub fn release_locks_of_others() {
    for full in &ENTRIES {
        let owner = full.owner.load(Ordering::Relaxed);
        if owner != 0 && Some(owner) != os::thread_pointer() {
            full.site.store(ptr::null_mut(), Ordering::Relaxed);
            full.owner.store(0, Ordering::Release);
        }
    }
}

/// Returns the mark of a value: a byte of its hash.
#[inline(always)]
fn mark(value: u64) -> u64 {
    value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56
}

impl<'a> LockedSite<'a> {
    /// Returns the node of `value` in the full list.
    #[inline(always)]
    pub fn find(&self, value: u64) -> Option<&'a Node> {
        let mark = mark(value).wrapping_mul(EACH);
        // A byte of the difference is 0 where the marks are equal; the usual bit trick finds such a byte.
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

    /// Returns the first of the least frequent nodes, and its total.
    #[inline(always)]
    pub fn least(&self) -> Option<(&'a Node, u64)> {
        // SAFETY: null, or a node that `describe_list` has stored; nodes are never freed.
        let node = unsafe { self.full.least.load(Ordering::Relaxed).as_ref() }?;
        let total = node.total();
        if total <= self.full.floor.load(Ordering::Relaxed) {
            Some((node, total))
        } else {
            describe_list(self.full, self.head)
        }
    }

    /// Gives the node that [`LockedSite::least`] has returned with this total to another value, with `count`.
    ///
    /// The total changes by a difference, because other threads may find and count the value before or after this addition.
    #[inline(always)]
    pub fn replace(&self, node: &Node, total: u64, value: u64, count: u64) {
        set_mark(self.full, self.full.place.load(Ordering::Relaxed), value);
        node.value.store(value, Ordering::Relaxed);
        node.correct(count.wrapping_sub(total));
    }
}

/// Makes the entry describe the whole list. The caller must hold the lock. (Not a method, because the compiler would then keep the
/// lock in memory.)
#[inline(never)]
fn describe_list<'a>(full: &'static Entry, head: &'a Head) -> Option<(&'a Node, u64)> {
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
    // Marks after the end of a shorter list belong to no node: they cost a walk now and then.
    full.long.store(count > NODES, Ordering::Relaxed);
    full.site.store(ptr::from_ref(head).cast_mut(), Ordering::Relaxed);
    Some((node, total))
}

/// Stores the mark of the node at `place`.
#[inline(always)]
fn set_mark(full: &Entry, place: u32, value: u64) {
    let shift = (place & 7).wrapping_mul(8);
    if let Some(marks) = full.marks.get(place as usize >> 3) {
        let others = marks.load(Ordering::Relaxed) & !(0xff << shift);
        marks.store(others | mark(value) << shift, Ordering::Relaxed);
    }
}

/// Makes no site known to be full. For callers that lower counts, or raise the limit of values.
pub fn forget_all() {
    for full in &ENTRIES {
        full.site.store(ptr::null_mut(), Ordering::Relaxed);
    }
}
