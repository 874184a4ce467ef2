//! Optional functions in programs for hosted systems: each caller's file defines the pointer weakly as null, and the function's file, if linked,
//! defines it strongly. (A weak symbol that nobody defines would do, but gold resolves it to the address of the file's first byte.)

macro_rules! declare {
    ($symbol:literal) => {
        core::arch::global_asm!(
            ".pushsection .data.rel.ro.profrt_values, \"aw\", %progbits",
            ".p2align 3",
            concat!(".weak ", $symbol),
            concat!(".hidden ", $symbol),
            concat!(".type ", $symbol, ", %object"),
            concat!($symbol, ": .zero 8"),
            concat!(".size ", $symbol, ", 8"),
            ".popsection",
        );
    };
}

macro_rules! find {
    ($type:ty, $function:path, $symbol:literal) => {{
        unsafe extern "Rust" {
            #[link_name = $symbol]
            static FUNCTION: Option<$type>;
        }
        // SAFETY: null, or the pointer to `$function` that `provide` exports; `optional` has checked its type.
        unsafe { FUNCTION }
    }};
}
pub(crate) use {declare, find};
