//! Whole pages for counters and bitmaps, so that the file of continuous mode can be mapped over them.
//!
//! A contribution of no bytes that begins at a page: as the last one of its section it fills up the page before it, and its
//! alignment makes the section begin at one. It is for programs that want that, so `cargo xtask build` takes this member out of
//! the archive and lays it beside, as `profrt-continuous.o`. It has to stand behind the instrumented objects.

macro_rules! whole_pages {
    ($alignment:literal) => {
        core::arch::global_asm!(
            // Retained (R): lld collects what nobody refers to.
            ".pushsection __llvm_prf_cnts,\"awR\",%progbits",
            concat!(".p2align ", $alignment),
            ".hidden profrt_continuous",
            ".globl profrt_continuous",
            ".type profrt_continuous, %object",
            "profrt_continuous:",
            ".popsection",
            ".pushsection __llvm_prf_bits,\"awR\",%progbits",
            concat!(".p2align ", $alignment),
            ".popsection",
        );
    };
}

// The largest page that the system may have.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
whole_pages! { "12" }
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
whole_pages! { "16" }
