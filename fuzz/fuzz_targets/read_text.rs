//! Any bytes as the text form, read as this crate and as a release does.

#![no_main]

use profdata::read::ReadOptions;
use profdata::read::text::read;
use profdata::write::Release;
use profrt_fuzz::readers::{Kept, check};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    for release in [None, Some(Release::OLDEST), Some(Release::NEWEST)] {
        for salvage in [false, true] {
            let _ = read(input, &ReadOptions { salvage, release, ..ReadOptions::default() }, &mut Kept::default());
        }
        // Salvage has a finding about a last line without an end.
        let ended = [input, b"\n"].concat();
        check(&ended, |salvage, sink| read(&ended, &ReadOptions { salvage, release, ..ReadOptions::default() }, sink));
    }
});
