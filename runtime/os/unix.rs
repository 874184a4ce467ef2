//! Primitives of Linux and of other systems with a POSIX C library.

mod chain;
mod env;
pub mod file;
mod handler;
mod kernel;
mod loaded;
mod memory;
mod process;
#[cfg(not(target_os = "macos"))]
mod sanitizers;
mod signal;
mod signal_names;
mod stack;
#[cfg(not(target_os = "macos"))]
mod threads;

pub use chain::{unwatch, watch, watching};
pub use env::{env, set_env};
pub use file::{Fd, Status};
pub use handler::{BlockedSignals, SIGNALS, with_mask};
#[cfg(not(target_os = "android"))]
pub use kernel::libc::__errno_location as errno_place;
#[cfg(target_os = "android")]
pub use libc::__errno as errno_place;
pub use libc::fork;
pub use loaded::may_be_unloaded;
pub use memory::{MAPS_FILES, map_pages, unmap_pages};
pub use process::{
    Deadline, ParentDeath, Uncancelled, at_exit, at_fork_child, at_process_end, count_fork, host_name, leave_process,
    page_size, pause, pause_for, process_id, process_key, secure, thread_token, user_at_start, user_id,
    users_are_known,
};
pub use sanitizers::{initialized, may_end_early};
pub use signal_names::{NO_SIGNAL, SIGNAL_NAMES, SignalName};
#[cfg(thread_pointers)]
pub use threads::thread_block;
pub use threads::{learn_threads, single_threaded, thread_pointer};

#[cfg(target_os = "macos")]
use super::{nothing as sanitizers, nothing as threads};
use crate::error::Error;

/// Processes fork.
pub const FORKS: bool = true;

/// Returns the error in `errno`.
pub fn last_error() -> Error {
    // SAFETY: always a valid pointer to this thread's errno.
    #[allow(unsafe_code)]
    Error::os(unsafe { *errno_place() })
}
