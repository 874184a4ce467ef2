//! Value profiling: which values the instrumented sites see, how often, and how that is kept and written.
//!
//! A control record's `values` points to an array of heads, one a site, kind after kind. A head is a list of nodes; nodes
//! are only ever added at the end, so a reader that stops after the nodes it has counted is right under any number of
//! writers. The compiler fixes the heads and gives some nodes; everything else is ours.

pub mod limit;
pub mod node;
pub mod pool;
pub mod record;
pub mod serialize;

pub use node::{Head, Node};
