//! Allocates nodes and arrays of heads. A node comes from those that the compiler reserved in the image, then from mapped pages.
//!
//! Never the heap: the program's allocator may be instrumented, broken, or locked by the interrupted thread. Pages are never
//! unmapped: when the image's destructors run, nobody can tell whether the process ends, where other threads may still count in
//! the image, or whether the image is unloaded. So the first arena is small, and each is twice as large as the one before, up to
//! 256 KiB: an unloaded image leaves no more than a multiple of what it has used.

#![allow(unsafe_code)]

use core::ptr;

use super::limits;
use super::node::{Head, Node};
use crate::link;
use crate::os;
use crate::sync::{AtomicPtr, AtomicUsize, Ordering};

/// The number of nodes taken from those that the compiler reserved.
static FROM_IMAGE: AtomicUsize = AtomicUsize::new(0);
/// The arena that new pieces come from; null before the first.
static ARENA: AtomicPtr<Arena> = AtomicPtr::new(ptr::null_mut());
/// The size of the first arena in bytes.
const FIRST_SIZE: usize = 4 * 1024;
/// The size of the largest arenas in bytes, except for a single piece that is larger.
const LARGEST_SIZE: usize = 256 * 1024;

/// Header of a mapped arena; the pieces follow it.
struct Arena {
    /// The bytes in use, including this header.
    used: AtomicUsize,
    /// The size in bytes.
    size: usize,
}

/// Allocates a node for a new value. Counts a dropped value and returns `None` without memory.
#[cold]
pub fn node() -> Option<&'static Node> {
    if let Some(node) = node_of_image() {
        return Some(node);
    }
    let piece = if limits::may_map() { piece(size_of::<Node>()).cast::<Node>() } else { ptr::null_mut() };
    // SAFETY: null, or zeroed memory of that size, aligned to 8, which `piece` returns once.
    let node = unsafe { piece.as_ref() };
    if node.is_none() {
        limits::drop_value();
    }
    node
}

/// Takes the next of the nodes that the compiler reserved.
fn node_of_image() -> Option<&'static Node> {
    let nodes = link::vnodes::span();
    // The compiler's nodes begin with a `u64`, which on i386 stands at multiples of 4.
    let nodes = nodes.skip(nodes.start.align_offset(align_of::<Node>()));
    let capacity = nodes.len / size_of::<Node>();
    // Checked before the addition, so that the counter cannot wrap, however often the nodes have run out.
    if FROM_IMAGE.load(Ordering::Relaxed) >= capacity {
        return None;
    }
    let index = FROM_IMAGE.fetch_add(1, Ordering::Relaxed);
    if index >= capacity {
        return None;
    }
    // SAFETY: within the section, which holds zeroed nodes for the runtime to use; `index` is handed out once.
    Some(unsafe { &*nodes.start.cast::<Node>().wrapping_add(index) })
}

/// Allocates an array of `count` null heads. Returns null without memory.
#[cold]
pub fn heads(count: usize) -> *mut Head {
    piece(count.saturating_mul(size_of::<Head>())).cast()
}

/// Allocates `len` zeroed bytes, aligned to 8. Returns null without memory.
fn piece(len: usize) -> *mut u8 {
    let len = len.saturating_add(7) & !7;
    loop {
        let arena = ARENA.load(Ordering::Acquire);
        let mut size = FIRST_SIZE;
        // SAFETY: null, or an arena, which the exchange below stores after it is set up; arenas are never unmapped.
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
            // Another thread was faster; its arena has space.
            os::unmap_pages(fresh.cast(), size);
        }
    }
}
