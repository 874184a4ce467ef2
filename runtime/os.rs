//! The operating-system layer: primitives for hosted systems (`unix`) or without any (`none`).
//!
//! Rules for both: no panic; no heap, no `stdio`, async-signal-safe, unless a function says otherwise. Calls on files that a signal has
//! interrupted are repeated, except `fallocate`: `Fd::reserve` gives up then, and `Fd::allocate` repeats it a limited number of times. Failures
//! are [`crate::error::Error::os`] with the `errno`. File descriptors are opened close-on-exec and are never 0, 1 or 2.

#[cfg(not(feature = "hosted"))]
mod none;
#[cfg(feature = "hosted")]
mod unix;

#[cfg(not(feature = "hosted"))]
pub use none::*;
#[cfg(feature = "hosted")]
pub use unix::*;
