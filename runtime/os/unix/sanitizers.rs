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

/// Returns whether there is a sanitizer, which may end the process in an exit handler, before destructors.
pub fn may_end_early() -> bool {
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
