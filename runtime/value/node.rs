//! The layout of value nodes, the list of a site, and the list heads of a control record.

#![allow(unsafe_code)]

use core::ptr;

use crate::format::value::MAX_VALUES_PER_SITE;
pub use crate::native::Record;
#[cfg(thread_pointers)]
use crate::sync::AtomicUsize;
use crate::sync::{AtomicPtr, AtomicU64, Ordering};

/// A value that a site has seen.
#[repr(C, align(8))]
pub struct Node {
    /// The value: an address, or a size. Changes only when a full site gives the node to another value.
    pub value: AtomicU64,
    /// How often the value was seen when the node was added, by its owner, or while the process had one thread: see [`super::count`].
    pub count: AtomicU64,
    /// The next node of the site, or null.
    pub next: AtomicPtr<Node>,
    /// The site whose list has this node. Set before a list has the node, and never changed.
    pub site: AtomicPtr<Head>,
    /// The thread pointer of the thread that alone writes `count` while there are several; 0 before the first.
    #[cfg(thread_pointers)]
    pub owner: AtomicUsize,
    /// How often other threads have seen the value; and what corrects the total.
    #[cfg(thread_pointers)]
    pub shared_count: AtomicU64,
}

/// The list head of a site: null before the first value.
pub type Head = AtomicPtr<Node>;

impl Node {
    /// Returns a node of no site.
    pub const fn new() -> Node {
        Node {
            value: AtomicU64::new(0),
            count: AtomicU64::new(0),
            next: AtomicPtr::new(ptr::null_mut()),
            site: AtomicPtr::new(ptr::null_mut()),
            #[cfg(thread_pointers)]
            owner: AtomicUsize::new(0),
            #[cfg(thread_pointers)]
            shared_count: AtomicU64::new(0),
        }
    }

    /// Sets the fields of a node of the arena, which no list has.
    pub fn fill(&self, site: &Head, value: u64, count: u64) {
        self.value.store(value, Ordering::Relaxed);
        self.count.store(count, Ordering::Relaxed);
        self.next.store(ptr::null_mut(), Ordering::Relaxed);
        self.site.store(ptr::from_ref(site).cast_mut(), Ordering::Relaxed);
    }
}

/// Returns the first node of a site, or the one that a node is followed by.
#[inline]
pub fn first(head: &Head) -> Option<&Node> {
    // SAFETY: null, or a node that `site::find_or_add` has linked with release ordering after it was set up; nodes are never freed.
    unsafe { head.load(Ordering::Acquire).as_ref() }
}

/// Walks the nodes of a site in the order in which they were added.
#[inline]
pub fn nodes(head: &Head) -> impl Iterator<Item = &Node> {
    core::iter::successors(first(head), |node| first(&node.next))
}

/// Returns the number of sites of a record, of all kinds.
#[inline]
pub fn site_count(record: &Record) -> usize {
    record.num_value_sites.iter().fold(0, |sum, sites| sum.wrapping_add(usize::from(*sites)))
}

/// Returns whether a record has sites. Does not add up the kinds, because that takes longer and dumps ask for every function.
#[cfg_attr(feature = "hosted", inline(always))]
#[cfg_attr(not(feature = "hosted"), inline)]
pub fn has_sites(record: &Record) -> bool {
    let sites = |kind: usize| record.num_value_sites.get(kind).map_or(0, |sites| u32::from(*sites));
    // The compiler reads the first two as one word.
    (sites(0) | sites(1) << 16) | sites(2) != 0
}

/// Returns the heads of a record's sites; none while the record has no array of heads.
#[inline]
pub fn heads(record: &Record) -> &[Head] {
    let first = record.values.load(Ordering::Acquire).cast::<Head>();
    if first.is_null() {
        return &[];
    }
    // SAFETY: the compiler, or `hook::heads_of`, made `values` point to this many heads, which live as long as the
    // image; heads are atomics, so sharing them with writers is fine.
    unsafe { core::slice::from_raw_parts(first, site_count(record)) }
}

/// Returns the number of values of a site, at most as many as a profile can hold.
pub fn values_at(head: &Head) -> u8 {
    nodes(head).take(MAX_VALUES_PER_SITE as usize).count() as u8
}

/// Returns all control records of an image.
///
/// # Safety
/// `data` must be the bounds of an image's control records, of this archive's raw version.
#[cfg_attr(feature = "hosted", inline(never))]
#[cfg_attr(not(feature = "hosted"), inline)]
pub unsafe fn records<'a>(data: crate::span::Span) -> &'a [Record] {
    let count = data.len.wrapping_add(size_of::<Record>() - 4) / size_of::<Record>();
    if data.start.is_null() || !data.start.cast::<Record>().is_aligned() {
        return &[];
    }
    // SAFETY: the bounds of the records by this function's contract; only `values` changes, which is an atomic. The last record may
    // lack its tail padding (i386), which nobody reads, and which is mapped: it completes an aligned word.
    unsafe { core::slice::from_raw_parts(data.start.cast(), count) }
}
