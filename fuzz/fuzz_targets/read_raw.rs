//! Any bytes as a raw profile.

#![no_main]

use profdata::read::ReadOptions;
use profdata::read::raw::read;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    profrt_fuzz::readers::check(input, |salvage, sink| {
        let options = if salvage { ReadOptions::salvage() } else { ReadOptions::default() };
        read(input, &options, sink)
    });
});
