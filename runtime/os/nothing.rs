//! Systems without signals, `fork`, users and destructors: nothing to hold back, nobody to distinguish. macOS takes what it has not.

/// Why a word is no signal.
pub const NO_SIGNAL: &[u8] = b"this system has no signals";

/// The number of signals.
pub const SIGNALS: u32 = 0;

/// Signals by name.
pub const SIGNAL_NAMES: [(u64, i32); 0] = [];

/// A guard that has nothing to guard against.
#[derive(Debug)]
pub struct Unneeded;

pub use Unneeded as BlockedSignals;
pub use Unneeded as ParentDeath;
pub use Unneeded as Uncancelled;

impl Unneeded {
    /// Returns the guard.
    pub fn begin() -> Unneeded {
        Unneeded
    }

    /// Returns the guard.
    pub fn all_but_synchronous() -> Unneeded {
        Unneeded
    }

    /// Returns the guard.
    pub fn suspend() -> Unneeded {
        Unneeded
    }

    /// Returns `None`: no mask was changed.
    pub fn mask_before(&self) -> Option<u64> {
        None
    }
}

// Guards have destructors elsewhere, and callers drop them.
impl Drop for Unneeded {
    fn drop(&mut self) {}
}

/// Calls `meanwhile`.
pub fn with_mask<R>(_other: Option<u64>, meanwhile: impl FnOnce() -> R) -> R {
    meanwhile()
}

/// Refuses: no signal comes.
pub fn watch(_number: i32, _task: &'static extern "C" fn()) -> core::result::Result<(), &'static [u8]> {
    Err(NO_SIGNAL)
}

/// Returns `false`.
pub fn watching() -> bool {
    false
}

/// Does nothing, since nothing is watched.
pub fn unwatch() {}

/// No process forks.
pub const FORKS: bool = false;

/// Returns `true`: there are no children in which the function would have to be called.
pub fn at_fork_child(_function: extern "C" fn()) -> bool {
    true
}

/// Does nothing, since no process forks.
pub fn count_fork() {}

/// Does nothing, since there is no MemorySanitizer.
#[inline(always)]
pub fn initialized(_start: *const u8, _len: usize) {}

/// Returns `false`: the process has the rights of its caller.
pub fn secure() -> bool {
    false
}

/// Returns 0, as `Status` does for each file.
pub fn user_id() -> u32 {
    0
}

/// Returns the same.
pub fn user_at_start() -> u32 {
    0
}

/// Returns `false`.
pub fn may_be_unloaded() -> bool {
    false
}

/// Returns `true`: there are no destructors, only exit handlers.
pub fn needs_exit_handler() -> bool {
    true
}

/// Does nothing: it is known, or nothing tells.
pub fn learn_threads() {}

/// Returns whether threads do not exist; else there may be others.
#[inline(always)]
pub fn single_threaded() -> bool {
    cfg!(target_os = "wasi")
}

/// Returns `None`: it is not known where threads have their data.
pub fn thread_block() -> Option<usize> {
    None
}

/// Returns `None`, so that no thread owns counts.
#[inline(always)]
pub fn thread_pointer() -> Option<usize> {
    None
}
