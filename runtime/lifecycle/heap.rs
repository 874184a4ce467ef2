//! Memory of the program's heap, for the one call whose result the caller frees (`__llvm_profile_get_filename`). A member of its
//! own, so that only programs that make this call need `malloc`.

#![allow(unsafe_code)]

use core::ffi::c_char;

use crate::copy::copy;
use crate::os;

/// Returns a copy of `text` with a NUL, to be freed by the caller. An empty text, which must not be freed, where `text` is empty, as in
/// LLVM's runtime, or there is no memory.
pub fn string(text: &[u8]) -> *const c_char {
    if text.is_empty() {
        return c"".as_ptr();
    }
    // SAFETY: any size may be asked for. (A slice has at most `isize::MAX` bytes.)
    let place = unsafe { os::c::malloc(text.len().wrapping_add(1)) }.cast::<u8>();
    if place.is_null() {
        return c"".as_ptr();
    }
    // SAFETY: as many bytes of the text, and one more in the new block, which overlaps nothing.
    unsafe {
        copy(place, text.as_ptr(), text.len());
        place.wrapping_add(text.len()).write(0);
    }
    os::initialized(place, text.len().wrapping_add(1));
    place.cast()
}
