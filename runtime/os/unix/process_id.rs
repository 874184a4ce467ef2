//! The id of this process: apart from `process`, which reads files, whose locks need the id.

#![allow(unsafe_code)]

use super::kernel;

/// Returns the id of this process, in a forked child that of the child.
pub fn process_id() -> u32 {
    // SAFETY: `getpid` has no preconditions.
    unsafe { kernel::getpid() as u32 }
}
