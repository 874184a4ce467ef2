//! Atomics as every CPU can have them, and locks for cold paths.
//!
//! | the CPU has | read-modify-write is | 64-bit numbers are |
//! | --- | --- | --- |
//! | compare-and-swap of 64 bits | its own | its own |
//! | compare-and-swap of words | its own | two words and a carry (`halves`) |
//! | none, but interrupts can be masked here | a few instructions with interrupts masked (`single`, `masked`) | the same |
//! | none | plain; a value that an interrupt brings meanwhile is left out (`single`, [`exclusive()`]) | the same |
//!
//! A CPU without compare-and-swap is the only core that runs instrumented code. `build.rs` names the cases: `halves`,
//! `no_cas`, and then `masked` or `flagged`.
//!
//! A dump may be asked for by a signal handler or an exit handler while the same thread is inside another dump, so nobody
//! waits without end for a lock here: callers use `try_lock` and know what to do without it.

mod exclusive;
#[cfg(any(halves, test))]
pub mod halves;
#[cfg(masked)]
mod masked;
#[cfg(no_cas)]
mod single;
#[cfg(feature = "hosted")]
pub mod slot;

pub use core::sync::atomic::Ordering;

#[cfg(not(no_cas))]
pub use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize};
#[cfg(no_cas)]
pub use single::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize};

#[cfg(not(halves))]
pub use core::sync::atomic::AtomicU64;
#[cfg(halves)]
pub use halves::AtomicU64;

#[cfg(feature = "hosted")]
pub use spin::mutex::SpinMutex as Mutex;

pub use exclusive::exclusive;

#[cfg(test)]
mod tests;
