//! Any bytes as an object file with coverage mappings, and in one.

#![no_main]

use profrt_fuzz::{objects, read_coverage};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    if let Some((mode, rest)) = input.split_first() {
        read_coverage::read_all(&objects::of_input(*mode, rest));
    }
});
