//! The descriptors through which this process holds locks: a forked child has them open, too.

use core::ffi::c_int;
use core::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use super::process_key;

/// The locked files: the one that is replaced and its successor; -1: none. Written under the file state's lock only.
static LOCKED: [AtomicI32; 2] = [const { AtomicI32::new(-1) }; 2];
/// The process that has locked them.
static LOCKED_BY: AtomicU32 = AtomicU32::new(0);

/// Remembers a locked file until [`forget`]. Other files that are remembered are of this process: callers have closed those of the parent.
pub fn remember(fd: c_int) {
    if LOCKED.iter().all(|locked| locked.load(Ordering::Relaxed) < 0) {
        LOCKED_BY.store(process_key(), Ordering::Relaxed);
    }
    for locked in &LOCKED {
        if locked.compare_exchange(-1, fd, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            return;
        }
    }
}

/// Forgets a file that is unlocked, or about to be closed.
pub fn forget(fd: c_int) {
    for locked in &LOCKED {
        let _ = locked.compare_exchange(fd, -1, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Forgets all files: a `vfork` child has locked them, whose descriptors are not this process's.
pub fn forget_all() {
    for locked in &LOCKED {
        locked.store(-1, Ordering::Relaxed);
    }
}

/// Returns a descriptor that the parent of this forked process had locked, and forgets it.
pub fn take_inherited() -> Option<c_int> {
    for locked in &LOCKED {
        let fd = locked.load(Ordering::Relaxed);
        if fd >= 0 && LOCKED_BY.load(Ordering::Relaxed) != process_key() {
            forget(fd);
            return Some(fd);
        }
    }
    None
}
