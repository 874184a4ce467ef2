//! A profile that is written next to this image's.

/// The only call that LLVM 22 exports from shared objects on purpose: an offload runtime looks it up.
pub mod __llvm_write_custom_profile {
    use core::ffi::{CStr, c_char, c_int};

    use crate::abi::buffer::{image, status};
    use crate::lifecycle::side_files::write_foreign;
    use crate::sections::Image;
    use crate::span::Span;

    // A hidden name, which no shared object defines.
    crate::link::mark! { "profrt_brings_write_custom_profile" }

    /// Writes a profile with these bounds for another target into `DIR/TARGET.NAME`. Returns 0, or -1 with a message.
    ///
    /// # Safety
    /// Bounds of readable memory, `target` null or a C string, `version` null or a word.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn __llvm_write_custom_profile(
        target: *const c_char,
        data: *const u8,
        data_end: *const u8,
        counters: *const u8,
        counters_end: *const u8,
        names: *const u8,
        names_end: *const u8,
        version: *const u64,
    ) -> c_int {
        if target.is_null() {
            return -1;
        }
        let image = image! { data: data, data_end; counters: counters, counters_end; names: names, names_end };
        // SAFETY: the caller's pointers.
        unsafe { status(write_foreign(CStr::from_ptr(target).to_bytes(), &image, version.as_ref().copied())) }
    }
}
