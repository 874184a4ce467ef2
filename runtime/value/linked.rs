//! The references of the hooks to all optional functions ([`super::optional`]).

/// Links all optional functions with the file that uses the macro, by undefined symbols. Also links the calls that count either kind of values: GNU
/// ld and gold search an archive once, and an object after it may count the other kind.
#[cfg(all(profrt_archive, not(test)))]
macro_rules! link_all {
    () => {
        core::arch::global_asm!(
            ".globl __llvm_profile_instrument_target, __llvm_profile_instrument_memop",
            ".globl profrt_values_write_linked, profrt_values_as_numbers_linked, profrt_values_reset_linked",
            ".globl profrt_values_release_locks_linked, profrt_values_limit_linked, profrt_values_check_linked",
            ".globl profrt_values_merge_linked, profrt_values_take_over_linked, profrt_values_insert_linked",
            ".globl profrt_values_in_buffer_linked",
        );
    };
}

#[cfg(all(profrt_device, not(test)))]
macro_rules! link_all {
    () => {
        #[used]
        static OPTIONAL: (
            $crate::value::writer::compact::WriteCompactValues,
            $crate::value::writer::device::piecewise::WriteValuesPiecewise,
            $crate::value::reset::ResetValues,
        ) = (
            $crate::value::writer::compact::write_compact_values,
            $crate::value::writer::device::piecewise::write_values_piecewise,
            $crate::value::reset::reset_values,
        );
    };
}

/// Does nothing: no linker picks the optional functions.
#[cfg(not(all(any(profrt_archive, profrt_device), not(test))))]
macro_rules! link_all {
    () => {};
}
pub(crate) use link_all;
