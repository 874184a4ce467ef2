//! Which signals wait during a write, and what happens when it waits itself.

use core::sync::atomic::AtomicBool;

use crate::os;
use crate::publish::WriteWait;
use crate::state::RESETS;

/// The signals that wait while the state is locked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waiting {
    /// Those that write a profile.
    Watched,
    /// All but the urgent ones.
    All,
}

/// The owner of the lock is in a [`WriteWait`]: no file is locked.
pub static OWNER_WAITS: AtomicBool = AtomicBool::new(false);

/// Returns the waits of a write that holds signals back, under the mask from before. Signals that write a profile stay blocked: such a dump would
/// find the state locked by its own thread.
pub fn wait_under(mask_before: Option<u64>) -> Option<WriteWait> {
    let mask = mask_before? | os::blocked_signals();
    Some(WriteWait { mask, is_waiting: &OWNER_WAITS, resets: &RESETS })
}
