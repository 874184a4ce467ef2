//! Where nodes and arrays of heads come from: first the nodes the compiler reserved in the image, then mapped pages.
//!
//! Never the heap: the program's allocator may be instrumented itself, broken, or locked by the thread we interrupted.
//! Nothing is ever given back: when an image goes, nobody can tell whether the process ends, where other threads may still be
//! counting in this image, or whether the image is unloaded. So the first arena is small, and each is twice as large as the one
//! before; what an image that is unloaded leaves is bounded by what it has used.

#![allow(unsafe_code)]

use core::ptr;

use super::dropped;
use super::node::{Head, Node};
use crate::os;
use crate::sections::elf;
use crate::sync::{AtomicPtr, AtomicUsize, Ordering};

/// Nodes taken from the compiler's pool.
static FROM_IMAGE: AtomicUsize = AtomicUsize::new(0);
/// The arena new pieces are cut from; null before the first.
static ARENA: AtomicPtr<Arena> = AtomicPtr::new(ptr::null_mut());
/// Bytes of the first arena.
const FIRST_SIZE: usize = 4 * 1024;
/// Bytes of the largest arenas, but for a single piece that is larger.
const LARGEST_SIZE: usize = 256 * 1024;

/// Head of a mapped arena; the pieces follow it.
struct Arena {
    /// Bytes in use, this head included.
    used: AtomicUsize,
    /// Bytes in all.
    size: usize,
}

/// Nodes that were given back, linked by `next`.
static SPARES: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());

/// Takes back a node that nobody else has come to know.
pub fn give_back(node: &'static Node) {
    push(node, node);
}

/// Puts the chain from `first` to `last` back.
fn push(first: &'static Node, last: &'static Node) {
    let new = ptr::from_ref(first).cast_mut();
    let mut top = SPARES.load(Ordering::Relaxed);
    loop {
        last.next.store(top, Ordering::Relaxed);
        match SPARES.compare_exchange(top, new, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => return,
            Err(now) => top = now,
        }
    }
}

/// One of the nodes that were given back. All are taken at once and the rest put back, so that no other taker can be
/// deceived by a chain that has changed under its eyes.
fn spare() -> Option<&'static Node> {
    if SPARES.load(Ordering::Relaxed).is_null() {
        return None;
    }
    // SAFETY: nodes live for ever; who takes the chain owns it.
    let first: &'static Node = unsafe { SPARES.swap(ptr::null_mut(), Ordering::Acquire).as_ref() }?;
    // SAFETY: the same.
    if let Some(rest) = unsafe { first.next.load(Ordering::Relaxed).as_ref() } {
        let mut last: &'static Node = rest;
        // SAFETY: the same.
        while let Some(next) = unsafe { last.next.load(Ordering::Relaxed).as_ref() } {
            last = next;
        }
        push(rest, last);
    }
    Some(first)
}

/// A node for a new value, or `None` when there is no memory (which is counted).
#[cold]
pub fn node() -> Option<&'static Node> {
    if let Some(node) = spare() {
        return Some(node);
    }
    if let Some(node) = node_of_image() {
        return Some(node);
    }
    let piece = if dropped::may_map() { piece(size_of::<Node>()).cast::<Node>() } else { ptr::null_mut() };
    // SAFETY: a piece is zeroed memory of that size, aligned to 8 and never given away twice.
    let node = unsafe { piece.as_ref() };
    if node.is_none() {
        dropped::drop_one();
    }
    node
}

/// The next of the nodes the compiler reserved.
fn node_of_image() -> Option<&'static Node> {
    let pool = elf::vnodes::span();
    // The compiler's nodes begin with a `u64`, which on i386 stands at multiples of 4.
    let pool = pool.skip(pool.start.align_offset(align_of::<Node>()));
    let capacity = pool.len / size_of::<Node>();
    // Checked before the addition, so that the counter cannot wrap however often an empty pool is asked.
    if FROM_IMAGE.load(Ordering::Relaxed) >= capacity {
        return None;
    }
    let index = FROM_IMAGE.fetch_add(1, Ordering::Relaxed);
    if index >= capacity {
        return None;
    }
    // SAFETY: within the section, which holds zeroed nodes for the runtime to use; `index` is handed out once.
    Some(unsafe { &*pool.start.cast::<Node>().wrapping_add(index) })
}

/// `count` null heads, or null.
#[cold]
pub fn heads(count: usize) -> *mut Head {
    piece(count.saturating_mul(size_of::<Head>())).cast()
}

/// `len` zeroed bytes, aligned to 8, or null.
fn piece(len: usize) -> *mut u8 {
    let len = len.saturating_add(7) & !7;
    loop {
        let arena = ARENA.load(Ordering::Acquire);
        let mut size = FIRST_SIZE;
        // SAFETY: arenas are published whole and never unmapped.
        if let Some(head) = unsafe { arena.as_ref() } {
            let at = head.used.load(Ordering::Relaxed);
            if let Some(end) = at.checked_add(len).filter(|end| *end <= head.size) {
                if head.used.compare_exchange(at, end, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                    return arena.cast::<u8>().wrapping_add(at);
                }
                continue;
            }
            size = head.size.saturating_mul(2).min(LARGEST_SIZE);
        }
        size = size.max(len.saturating_add(size_of::<Arena>()));
        let Some(fresh) = os::map_pages(size) else { return ptr::null_mut() };
        let fresh = fresh.cast::<Arena>();
        // SAFETY: fresh pages of at least `size` bytes that nobody else knows of.
        unsafe { fresh.write(Arena { used: AtomicUsize::new(size_of::<Arena>()), size }) };
        if ARENA.compare_exchange(arena, fresh, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // Another thread was faster; its arena has room.
            os::unmap_pages(fresh.cast(), size);
        }
    }
}
