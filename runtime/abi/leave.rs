//! `_exit` and `_Exit` that write the profile first, as `exit` does: for programs that are linked with `-Wl,--wrap=_exit,--wrap=_Exit`. Linkers
//! then take these functions for calls of the program's objects, and nobody else links them.

use core::ffi::c_int;

use crate::lifecycle::signals;

// Before a child of `vfork` can leave.
crate::link::at_start! { signals::in_this_process }

/// Writes the profile, and `.gcda` files, of this image, and leaves. A child of `vfork` has its parent's counts and writes nothing; a set-uid
/// program writes nothing unasked.
#[inline(never)]
fn leave(status: c_int) -> ! {
    if !crate::os::secure() {
        signals::dump();
    }
    crate::os::leave_process(status)
}

export! {
    /// Writes the profile and leaves. Async-signal-safe.
    fn __wrap__exit(status: c_int) -> ! { super::leave(status) }
    /// The same.
    fn __wrap__Exit(status: c_int) -> ! { super::leave(status) }
}
