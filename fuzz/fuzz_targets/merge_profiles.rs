//! Any bytes as several profiles, which are merged in several groups and orders; see `src/merging.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| profrt_fuzz::merging::check(input));
