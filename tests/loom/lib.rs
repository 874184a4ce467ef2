//! The lists of value sites under the interleavings of threads that loom finds, within the bounds that `sites` sets.
//!
//! The runtime's own files, compiled with loom's atomics in place of `core`'s. Left out is what has nothing to interleave
//! or is an instruction of the processor: the pool, the sections.

#![cfg(test)]

use profrt_format as format;

#[path = "../../runtime/span.rs"]
#[allow(dead_code)]
mod span;

/// What the runtime's module of this name has on this CPU, and the numbers of the others.
#[path = "../../runtime/sync"]
mod sync {
    pub use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

    #[allow(dead_code)]
    pub mod halves;
}

/// The part of a control record that the lists know of.
mod native {
    pub struct Record {
        pub values: core::sync::atomic::AtomicPtr<u8>,
        pub num_value_sites: [u16; 3],
    }
}

/// The process has several threads. Those of a model get their thread pointers by [`os::become_thread`].
mod os {
    use std::cell::Cell;

    loom::thread_local! {
        static THREAD: Cell<Option<usize>> = Cell::new(None);
    }

    /// Gives the current thread this thread pointer.
    pub fn become_thread(pointer: usize) {
        THREAD.with(|thread| thread.set(Some(pointer)));
    }

    pub fn thread_pointer() -> Option<usize> {
        THREAD.with(Cell::get)
    }

    pub fn thread_block() -> Option<usize> {
        thread_pointer()
    }

    pub fn single_threaded() -> bool {
        false
    }
}

#[path = "../../runtime/value"]
#[allow(dead_code)]
mod value {
    /// Additions in which a concurrent one of another thread would be lost, as they are on x86-64.
    pub mod add {
        use core::sync::atomic::Ordering;

        use super::node::Node;

        pub fn add_to_node(node: &Node, by: u64) {
            let count = node.count.load(Ordering::Relaxed).wrapping_add(by);
            node.count.store(count, Ordering::Relaxed);
        }
    }
    pub mod count;
    pub mod full;
    pub mod limits {
        pub mod values_per_site;
    }
    pub mod node;
    pub mod site;
}

mod owners;
mod sites;
mod sums;
