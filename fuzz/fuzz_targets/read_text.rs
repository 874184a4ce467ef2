//! Any bytes as the text form, read as this crate and as a release does.

#![no_main]

use profdata::read::text::{TextReadOptions, read};
use profdata::release::Release;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    for release in [None, Some(Release::OLDEST), Some(Release::NEWEST)] {
        profrt_fuzz::readers::check(input, |salvage, sink| read(input, &TextReadOptions { salvage, release }, sink));
    }
});
