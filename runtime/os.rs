//! The floor: about 25 primitives of the operating system, chosen here and nowhere else.
//!
//! Rules for every backend: async-signal-safe, no heap, no `stdio`, no cancellation of meaning by `EINTR` (it is retried
//! inside), no panic. Failures are [`crate::error::Error::os`] with the `errno`. File descriptors are opened
//! close-on-exec and are never 0, 1 or 2.

#[cfg(not(feature = "hosted"))]
mod none;
#[cfg(feature = "hosted")]
mod unix;

#[cfg(not(feature = "hosted"))]
pub use none::*;
#[cfg(feature = "hosted")]
pub use unix::*;
