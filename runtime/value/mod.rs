//! Value profiling: which values the instrumented sites see, how often, and how that is kept and written.
//!
//! A control record's `values` points to an array of heads, one a site, kind after kind. A head is a list of nodes, in the
//! order in which their values were first seen. The compiler fixes the heads and gives memory for some nodes; everything
//! else is ours.
//!
//! What counts brings along what writes and unites (`optional`), so that programs without value sites have neither.
//!
//! # Threads and signal handlers
//!
//! - Nodes are added at the end of a list with one compare-and-swap, never moved, never freed. Who loses the race looks
//!   on from the winner's node; so no value is in a list twice (`site`).
//! - While the process has one thread, a count is one plain addition, a single instruction on x86-64, so that a signal
//!   handler falls before or behind it. Otherwise each thread adds to cells of its own (`cells`), which nobody else
//!   writes, and what a node has counted is the sum; where that cannot be, the addition is atomic. No count is lost.
//! - A full site gives a node to another value only under a lock that is never waited for (`full`).
//! - Whatever is interrupted where, a handler that comes through here neither waits nor spoils what is half done.
//!
//! All of this needs compare-and-swap; what stands for it on CPUs without is in [`crate::sync`].

pub mod cache;
pub mod cells;
pub mod counted;
pub mod data;
pub mod dropped;
#[cfg(any(test, not(feature = "hosted")))]
pub mod empty;
pub mod forget;
#[cfg(any(test, not(feature = "hosted")))]
mod frozen;
pub mod full;
pub mod insert;
pub mod key;
pub mod limit;
pub mod node;
pub mod numbers;
pub mod optional;
pub mod pairs;
#[cfg(any(test, not(feature = "hosted")))]
pub mod pieces;
pub mod pool;
pub mod reader;
pub mod record;
#[cfg(feature = "hosted")]
pub mod serialize;
pub mod site;
pub mod stream;

pub use node::{Head, Node};

/// Sites of a function whose counts fit on the stack.
const COUNTS: usize = 256;

#[cfg(test)]
pub mod tests;
