//! Value profiling: keeps which values each instrumented site sees and how often, and writes them.
//!
//! A control record's `values` points to an array of list heads, one for each value site, kind after kind. A head begins a list of
//! nodes, one for each value, in the order in which the nodes were added; an eviction gives a node to another value. The compiler lays
//! out the heads and reserves some nodes; this module provides the rest.
//!
//! Only code that counts values links the code that writes, merges and resets them ([`optional`]).
//!
//! # One value
//!
//! ```text
//! hook            count_value        walks over the first nodes of the site
//! cache           lookup             finds the node by a hash of site and value
//! count           add                the node's only thread, or its owner: a plain addition; others: an atomic one
//! hook            count_at_site      a value that is new, or not in the cache
//! site              find_or_add      walks over the whole list, and adds a node at its end
//!                   find_or_evict    at a full site, under a lock
//! ```
//!
//! # Threads and signal handlers
//!
//! - One compare-and-swap adds a node at the end of a list. Nodes never move and are never freed. A thread that loses the race
//!   searches on from the winner's node, so no value is in a list twice ([`site`]), unless the limit of values is raised meanwhile ([`full`]).
//! - While the process has one thread, a signal handler runs before or after an addition: on x86-64 that is one instruction, on other CPUs
//!   an atomic addition ([`add`]). With more threads, the thread that owns the node adds so, too; others add atomically, to a count that
//!   they share ([`count`]). The total of a node is the sum. Until a site is full, no count of a value that has a node is lost,
//!   except on `flagged` CPUs.
//! - A full site gives a node to another value only under a lock that nobody waits for ([`full`]).
//!
//! What is not counted: without memory for a node, the value. At a full site, a new value takes its count from the least frequent value
//! (decay), or takes over that value's node, whose count is forgotten; while the lock, which sites share, is held, the new value is dropped.
//! On `flagged` CPUs ([`crate::sync`]): a value in an interrupt handler that interrupts this module.
//!
//! A signal handler that enters this module at any instruction neither waits nor damages what it has interrupted.
//!
//! Lists need compare-and-swap; [`crate::sync`] has what replaces it on CPUs without.

pub mod arena;
pub mod cache;
pub mod count;
pub mod full;
pub mod hook;
pub mod limits;
pub mod node;
pub mod optional;
pub mod site;
pub mod writer;

pub mod linked {
    //! The optional functions of this module: `None` in programs without value sites.

    #![allow(unsafe_code)]

    use super::node::Record;
    use super::optional::optional;
    #[cfg(any(test, not(feature = "hosted")))]
    use crate::sink::latch::Latch;
    #[cfg(feature = "hosted")]
    use {crate::error::Result, crate::sink::Sink};

    optional! {
        "profrt_value_functions"
        write_compact: fn(&mut dyn FnMut(u64)) = crate::value::writer::compact::write_compact_values;
        reset: fn(&[Record]) = crate::value::reset::reset_values;
        #[cfg(any(test, not(feature = "hosted")))]
        write_piecewise: fn(&[Record], usize, &mut Latch<'_>) = crate::value::writer::device::piecewise::write_values_piecewise;
        #[cfg(feature = "hosted")]
        write: fn(&[Record], u64, &mut dyn Sink) -> Result = crate::value::writer::hosted::write_live_values;
        #[cfg(feature = "hosted")]
        release_locks: fn() = crate::value::full::release_locks_of_others;
        #[cfg(feature = "hosted")]
        set_limit: fn(u32) = crate::value::limits::values_per_site::set_max_values;
    }
}

pub mod reset {
    //! Resets the values of an image. Linked where something counts values ([`super::optional`]).

    #![allow(unsafe_code)]

    use super::full;
    use super::node::{Record, heads, nodes};

    /// Zeroes the counts of all values of these records.
    pub fn reset_values(records: &[Record]) {
        for record in records {
            reset(record);
        }
        full::forget_all();
    }

    /// Zeroes the counts of all values of a record. The nodes stay with their sites.
    pub fn reset(record: &Record) {
        for head in heads(record) {
            for node in nodes(head) {
                node.correct(node.total().wrapping_neg());
            }
        }
    }
}

#[cfg(any(test, not(feature = "hosted")))]
mod frozen {
    //! Freezes the lists while a device writes value data: a device has no memory to remember how many nodes each list had.
    //!
    //! A value that an interrupt handler brings meanwhile, and that is new to its site, is dropped and counted as such. Known
    //! values are counted as always.

    use super::limits;
    use crate::sync::{AtomicUsize, Ordering};

    /// The number of writes in progress; more than one when a handler writes while the interrupted code does.
    static WRITERS: AtomicUsize = AtomicUsize::new(0);

    /// Guard: while it lives, no node is added.
    pub struct Frozen(());

    /// Stops the adding of nodes for the life of the guard.
    pub fn freeze() -> Frozen {
        WRITERS.fetch_add(1, Ordering::AcqRel);
        Frozen(())
    }

    impl Drop for Frozen {
        fn drop(&mut self) {
            // Subtracts one; atomics of small CPUs have additions only.
            WRITERS.fetch_add(usize::MAX, Ordering::AcqRel);
        }
    }

    /// Returns whether a new value must be dropped, and counts a dropped value.
    #[cfg_attr(feature = "hosted", allow(dead_code, reason = "here for tests of the rest"))]
    pub fn drops_new_value() -> bool {
        let frozen = WRITERS.load(Ordering::Acquire) > 0;
        if frozen {
            limits::drop_value();
        }
        frozen
    }
}

pub mod add {
    //! Adds to a count that no other thread writes, so that a signal handler runs before or after the addition: by one instruction on x86-64, by
    //! an atomic addition on other CPUs. On x86-64 a concurrent addition of another thread would be lost: each caller is the only writer.

    #![allow(unsafe_code)]

    use super::node::Node;
    #[cfg(not(all(target_arch = "x86_64", not(halves))))]
    use crate::sync::Ordering;

    /// Adds to the count of a node that no other thread may write: in a process with one thread, or as the node's owner.
    #[inline(always)]
    pub fn add_to_node(node: &Node, by: u64) {
        #[cfg(all(target_arch = "x86_64", not(halves)))]
        {
            const COUNT: usize = memoffset::offset_of!(Node, count);
            // SAFETY: changes an `AtomicU64` at `COUNT` of the node, by one instruction.
            unsafe {
                if by == 1 {
                    core::arch::asm!("inc qword ptr [{} + {}]", in(reg) node, const COUNT, options(nostack));
                } else {
                    core::arch::asm!("add qword ptr [{} + {}], {}", in(reg) node, const COUNT, in(reg) by, options(nostack));
                }
            }
        }
        #[cfg(not(all(target_arch = "x86_64", not(halves))))]
        node.count.fetch_add(by, Ordering::Relaxed);
    }
}

#[cfg(test)]
pub mod tests;

// The host tool reads nodes from core files. Not in the file of nodes, which tests compile with other atomics.
const _: () = {
    use self::node::Node;
    use crate::format::node::{COUNT, NEXT, VALUE};
    use memoffset::offset_of;
    // In programs of 64 bits only.
    #[cfg(all(thread_pointers, target_pointer_width = "64"))]
    assert!(offset_of!(Node, shared_count) == crate::format::node::SHARED_COUNT);
    assert!(offset_of!(Node, value) == VALUE);
    assert!(offset_of!(Node, count) == COUNT);
    assert!(offset_of!(Node, next) == NEXT);
};
