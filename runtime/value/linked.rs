//! The references of the hooks to all optional functions ([`super::optional`]).

/// Links all optional functions with the file that uses the macro.
#[cfg(all(profrt_archive, not(test)))]
macro_rules! link_all {
    () => {
        $crate::value::optional::mechanism::table_symbols!(emit_table);
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
