//! Page alignment for counters and bitmaps, so that the file of continuous mode can be mapped over them.
//!
//! An empty, page-aligned contribution to each section: linked last, it pads the section to whole pages, and its alignment makes the section
//! begin at a page. Only some programs want it, so `cargo xtask build` takes this member out of the archive and installs it next to it, as
//! `profrt-continuous.o`, which has to be linked after the instrumented objects.

/// The largest page that the system may have, as a power of two.
const PAGE: u32 = if cfg!(any(target_arch = "x86", target_arch = "x86_64")) { 12 } else { 16 };

crate::link::whole_pages! { "profrt_continuous", PAGE }
