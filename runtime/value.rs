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

pub mod add;
pub mod arena;
pub mod cache;
pub mod count;
#[cfg(any(test, not(feature = "hosted")))]
mod frozen;
pub mod full;
pub mod hook;
pub mod limits;
pub mod linked;
pub mod node;
pub mod optional;
pub mod reset;
pub mod site;
pub mod writer;

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
