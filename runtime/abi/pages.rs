//! Page alignment for counters and bitmaps, so that the file of continuous mode can be mapped over them.
//!
//! An empty, page-aligned contribution to each section: linked last, it pads the section to whole pages, and its alignment makes the section
//! begin at a page. Only some programs want it, so `cargo xtask build` takes this member out of the archive and installs it next to it, as
//! `profrt-continuous.o`, which has to be linked after the instrumented objects.

macro_rules! whole_pages {
    ($alignment:literal) => {
        core::arch::global_asm!(
            // Retained (R): lld drops sections to which nothing refers.
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
