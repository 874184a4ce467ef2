//! A value and its count, and the list of them that a site has.

#![allow(unsafe_code)]

pub use crate::format::record::Record;
use crate::format::value::MAX_VALUES_PER_SITE;
use crate::sync::{AtomicPtr, AtomicU64, Ordering};

/// A value a site saw.
#[derive(Debug)]
#[repr(C, align(8))]
pub struct Node {
    /// The value: an address, or a size. Changes only when a full site gives the node to another value.
    pub value: AtomicU64,
    /// How often it was seen, but for what the cells of threads hold: see [`Node::total`].
    pub count: AtomicU64,
    /// The next node of the site, or null.
    pub next: AtomicPtr<Node>,
    /// The site whose list this node is in. Set before the node is published, and never changed.
    pub site: AtomicPtr<Head>,
}

/// The list of a site: null while nothing was seen there.
pub type Head = AtomicPtr<Node>;

impl Node {
    /// The next node of the site.
    #[inline]
    pub fn following(&self) -> Option<&Node> {
        // SAFETY: nodes are never freed or unlinked, and they were published with release ordering.
        unsafe { self.next.load(Ordering::Acquire).as_ref() }
    }
}

/// Walks the nodes of a site.
#[derive(Debug)]
pub struct NodeIter<'a>(Option<&'a Node>);

impl<'a> Iterator for NodeIter<'a> {
    type Item = &'a Node;

    #[inline]
    fn next(&mut self) -> Option<&'a Node> {
        let node = self.0?;
        self.0 = node.following();
        Some(node)
    }
}

/// The first node of a site.
#[inline]
pub fn first(head: &Head) -> Option<&Node> {
    // SAFETY: nodes are never freed or unlinked, and they were published with release ordering.
    unsafe { head.load(Ordering::Acquire).as_ref() }
}

/// The nodes of a site, in the order in which their values were first seen.
#[inline]
pub fn nodes(head: &Head) -> NodeIter<'_> {
    NodeIter(first(head))
}

/// Sites of a record, all kinds together.
#[inline]
pub fn site_count(record: &Record) -> usize {
    record.num_value_sites.iter().fold(0, |sum, sites| sum.wrapping_add(usize::from(*sites)))
}

/// Whether a record has sites. Every function of the program is asked, so not by the sum of the kinds, which takes longer.
#[cfg_attr(feature = "hosted", inline(always))]
#[cfg_attr(not(feature = "hosted"), inline)]
pub fn has_sites(record: &Record) -> bool {
    let sites = |kind: usize| record.num_value_sites.get(kind).map_or(0, |sites| u32::from(*sites));
    // The first two are read as one word.
    (sites(0) | sites(1) << 16) | sites(2) != 0
}

/// The heads of a record's sites; empty when it has none yet.
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

/// Values of a site that a file can hold.
pub fn values_at(head: &Head) -> u8 {
    nodes(head).take(MAX_VALUES_PER_SITE as usize).count() as u8
}

/// All control records of an image.
///
/// # Safety
/// `data` must be the bounds of an image's control records, of this archive's raw version.
#[inline]
pub unsafe fn records<'a>(data: crate::span::Span) -> &'a [Record] {
    let count = data.len.wrapping_add(size_of::<Record>() - 4) / size_of::<Record>();
    if data.start.is_null() || !data.start.cast::<Record>().is_aligned() {
        return &[];
    }
    // SAFETY: the caller's contract; `values` alone changes, and it is an atomic. The last record may lack its tail
    // padding (i386), which is not read.
    unsafe { core::slice::from_raw_parts(data.start.cast(), count) }
}
