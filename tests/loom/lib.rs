//! The lists of value sites under the interleavings of threads that loom finds, within the bounds that `sites` sets.
//!
//! The runtime's own files, compiled with loom's atomics in place of `core`'s. Left out is what has nothing to interleave
//! or is an instruction of the processor: counting in a thread's own cells, the pool, the sections.

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

/// Threads are not told apart: nobody forks here.
mod os {
    pub fn thread_pointer() -> Option<usize> {
        None
    }
}

#[path = "../../runtime/value"]
#[allow(dead_code)]
mod value {
    pub mod full;
    pub mod limits {
        pub mod values_per_site;
    }
    pub mod node;
    /// Nothing is exported here.
    pub mod optional {
        macro_rules! provide {
            ($symbol:literal: $type:ty = $function:path) => {};
        }
        pub(crate) use provide;
    }
    pub mod site;
    pub mod total;
}

mod sites;
mod sums;
