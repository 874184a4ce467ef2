//! Primitives of Linux and of other systems with a POSIX C library.

mod chain;
mod env;
pub mod file;
mod handler;
mod kernel;
mod loaded;
mod memory;
mod process;
mod signal;
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
pub use sanitizers::{initialized, needs_exit_handler};
pub use signal::{NO_SIGNAL, SIGNAL_NAMES};
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

#[cfg(not(target_os = "macos"))]
mod sanitizers {
    //! Sanitizers: MemorySanitizer does not see the writes of uninstrumented code such as the runtime; LeakSanitizer ends the process in an exit
    //! handler.

    #![allow(unsafe_code)]

    use core::ffi::c_void;

    use crate::link::opaque;

    crate::link::weak!("__msan_unpoison", "__sanitizer_set_death_callback");

    unsafe extern "C" {
        // Null, except in programs that are compiled with -fsanitize=memory.
        #[link_name = "__msan_unpoison"]
        static UNPOISON: [u64; 0];
        // Null, except in programs with the runtime of some sanitizer.
        #[link_name = "__sanitizer_set_death_callback"]
        static SET_DEATH_CALLBACK: [u64; 0];
    }

    /// Returns whether a destructor is not enough: a sanitizer may end the process in an exit handler, before destructors.
    pub fn needs_exit_handler() -> bool {
        !opaque(&raw const SET_DEATH_CALLBACK).is_null()
    }

    /// Tells MemorySanitizer, where the program has it, that these bytes are initialized.
    #[inline(never)]
    pub fn initialized(start: *const u8, len: usize) {
        let address: *const u8 = opaque((&raw const UNPOISON).cast());
        // SAFETY: null, or the function of that name, whose interface `sanitizer/msan_interface.h` declares.
        let unpoison = unsafe {
            core::mem::transmute::<*const u8, Option<unsafe extern "C" fn(start: *const c_void, len: usize)>>(address)
        };
        if let Some(unpoison) = unpoison {
            // SAFETY: bytes that the caller has written.
            unsafe { unpoison(start.cast(), len) };
        }
    }
}
