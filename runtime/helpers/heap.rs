//! Memory of the program's heap, for the one call whose result the caller frees (`__llvm_profile_get_filename`). A member of its
//! own, so that only programs that make this call need `strdup`.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_char};

use crate::os;

/// Returns a copy of `text`, to be freed by the caller. An empty text, which must not be freed, where `text` is empty, as in LLVM's runtime, or
/// there is no memory.
pub fn string(text: &CStr) -> *const c_char {
    // SAFETY: a C string.
    let copy = if text.is_empty() { core::ptr::null_mut() } else { unsafe { libc::strdup(text.as_ptr()) } };
    if copy.is_null() {
        return c"".as_ptr();
    }
    os::initialized(copy.cast(), text.count_bytes().wrapping_add(1));
    copy
}
