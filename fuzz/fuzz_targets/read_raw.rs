//! Any bytes as a raw profile.

#![no_main]

use profdata::read::raw::{RawOptions, read};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    profrt_fuzz::readers::check(input, |salvage, sink| {
        let options = if salvage { RawOptions::salvage() } else { RawOptions::default() };
        read(input, &options, sink)
    });
});
