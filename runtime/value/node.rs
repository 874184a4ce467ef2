//! A value and its count, and the list of them that a site has.

#![allow(unsafe_code)]

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

pub use crate::format::record::Record;

/// A value a site saw. Laid out like the nodes the compiler reserves in `__llvm_prf_vnds`.
#[derive(Debug)]
#[repr(C)]
pub struct Node {
    /// The value: an address, or a size. Changes only when a full site gives the node to another value.
    pub value: AtomicU64,
    /// How often it was seen.
    pub count: AtomicU64,
    /// The next node of the site, or null.
    pub next: AtomicPtr<Node>,
}

/// The list of a site: null while nothing was seen there.
pub type Head = AtomicPtr<Node>;

/// Walks the nodes of a site.
#[derive(Debug)]
pub struct Nodes<'a> {
    next: *const Node,
    site: core::marker::PhantomData<&'a Head>,
}

impl<'a> Iterator for Nodes<'a> {
    type Item = &'a Node;

    fn next(&mut self) -> Option<&'a Node> {
        // SAFETY: nodes are never freed or unlinked, and they were published with release ordering.
        let node: &'a Node = unsafe { self.next.as_ref() }?;
        self.next = node.next.load(Ordering::Acquire);
        Some(node)
    }
}

/// The nodes of a site, in the order in which their values were first seen.
#[inline]
pub fn nodes(head: &Head) -> Nodes<'_> {
    Nodes { next: head.load(Ordering::Acquire), site: core::marker::PhantomData }
}

/// Sites of a record, all kinds together.
#[inline]
pub fn site_count(record: &Record) -> usize {
    record.num_value_sites.iter().fold(0, |sum, sites| sum.wrapping_add(usize::from(*sites)))
}

/// The heads of a record's sites; empty when it has none yet.
#[inline]
pub fn heads(record: &Record) -> &[Head] {
    let first = record.values.load(Ordering::Acquire).cast::<Head>();
    if first.is_null() {
        return &[];
    }
    // SAFETY: the compiler, or `record::allocate_heads`, made `values` point to this many heads, which live as long as
    // the image; heads are atomics, so sharing them with writers is fine.
    unsafe { core::slice::from_raw_parts(first, site_count(record)) }
}

/// Zeroes the counts of all values of a record. The nodes stay with their sites.
#[inline]
pub fn reset(record: &Record) {
    for head in heads(record) {
        for node in nodes(head) {
            node.count.store(0, Ordering::Relaxed);
        }
    }
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

/// An empty node for `value`.
#[inline]
pub fn fill(node: &Node, value: u64, count: u64) {
    node.value.store(value, Ordering::Relaxed);
    node.count.store(count, Ordering::Relaxed);
    node.next.store(ptr::null_mut(), Ordering::Relaxed);
}
