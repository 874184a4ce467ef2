//! The floor: about 25 primitives of the operating system, chosen here and nowhere else.
//!
//! Rules for every backend: async-signal-safe, no heap, no `stdio`, no cancellation of meaning by `EINTR` (it is retried
//! inside), no panic. Failures are [`crate::error::Error::os`] with the `errno`. File descriptors are opened
//! close-on-exec and are never 0, 1 or 2.

#[cfg_attr(feature = "hosted", path = "unix/mod.rs")]
#[cfg_attr(not(feature = "hosted"), path = "none.rs")]
mod backend;

pub use backend::*;
