//! The operating-system layer: primitives for hosted systems (`unix`, also macOS, `wasi`, `windows`) or without any (`none`).
//!
//! Rules for all: no panic; no heap, no `stdio`, async-signal-safe, unless a function says otherwise. Calls on files that a signal has
//! interrupted are repeated, except `fallocate`: `Fd::reserve` gives up then, and `Fd::allocate` repeats it a limited number of times. Failures
//! are [`crate::error::Error::os`] with the `errno`. File descriptors are opened close-on-exec and are never 0, 1 or 2.

#[cfg(feature = "hosted")]
mod files;
#[cfg(not(feature = "hosted"))]
mod none;
#[cfg(all(feature = "hosted", not(elf)))]
mod nothing;
#[cfg(all(feature = "hosted", not(unix)))]
mod plain_files;
#[cfg(all(feature = "hosted", unix))]
mod unix;
#[cfg(all(feature = "hosted", target_os = "wasi"))]
mod wasi;
#[cfg(all(feature = "hosted", windows))]
mod windows;

#[cfg(feature = "hosted")]
pub use files::DIRECTORY_MODE;
#[cfg(not(feature = "hosted"))]
pub use none::*;
/// What C libraries have for the streams and the heap of the program, which only calls of the program use.
#[cfg(feature = "hosted")]
pub mod c {
    pub use libc::{FILE, SEEK_SET, fflush, fileno, fseek, fwrite, malloc};
}
#[cfg(all(feature = "hosted", not(unix)))]
pub use nothing::*;
#[cfg(all(feature = "hosted", unix))]
pub use unix::*;
#[cfg(all(feature = "hosted", target_os = "wasi"))]
pub use wasi::*;
#[cfg(all(feature = "hosted", windows))]
pub use windows::*;
