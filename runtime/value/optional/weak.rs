//! Optional functions on devices: found by weak symbols.

macro_rules! declare {
    ($symbol:literal) => {
        core::arch::global_asm!(concat!(".weak ", $symbol), concat!(".hidden ", $symbol));
    };
}

macro_rules! find {
    ($type:ty, $function:path, $symbol:literal) => {{
        unsafe extern "C" {
            #[link_name = $symbol]
            static FUNCTION: [usize; 0];
        }
        // Hidden from the optimizer, which assumes that no static is at address 0.
        let pointer: *const $type = core::hint::black_box((&raw const FUNCTION).cast());
        // SAFETY: null, or the pointer to `$function` that `provide` exports; `optional` has checked its type.
        unsafe { pointer.as_ref() }.copied()
    }};
}
pub(crate) use {declare, find};
