//! The addresses of the profile sections' begin and end. Both are null where the image has no such section.

use crate::link;
use crate::sections::live_counters;

/// Exports the functions that return the first address of a span, and the address after it.
macro_rules! export_bounds {
    ($($begin:ident $end:ident of $span:expr;)*) => {
        export! {$(
            #[doc = concat!("Returns the first address of `", stringify!($span), "`.")]
            fn $begin() -> *const u8 { $span.start }
            #[doc = concat!("Returns the address after `", stringify!($span), "`.")]
            fn $end() -> *const u8 {
                let span = $span;
                span.skip(span.len).start
            }
        )*}
    };
}

// Counters and bitmaps where they are now: continuous mode moves them in programs that are compiled for that.
export_bounds! {
    __llvm_profile_begin_data __llvm_profile_end_data of link::data::span();
    __llvm_profile_begin_counters __llvm_profile_end_counters of live_counters();
    __llvm_profile_begin_names __llvm_profile_end_names of link::names::span();
    __llvm_profile_begin_vnodes __llvm_profile_end_vnodes of link::vnodes::span();
}

#[cfg(since = "9")]
export_bounds! {
    __llvm_profile_begin_bitmap __llvm_profile_end_bitmap of crate::sections::live_bitmap();
}

#[cfg(since = "10")]
export_bounds! {
    __llvm_profile_begin_vtables __llvm_profile_end_vtables of link::vtables::span();
    __llvm_profile_begin_vtabnames __llvm_profile_end_vtabnames of link::vnames::span();
    __llvm_profile_begin_covinit __llvm_profile_end_covinit of link::covinit::span();
}
