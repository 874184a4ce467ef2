//! Any bytes as a MemProf section, moved from one place to another and back. The last two bytes are where it comes from.

#![no_main]

use profdata::internals::{relocate, version};
use profdata::release::Release;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((section, from)) = input.split_last_chunk() else { return };
    let from = u16::from_be_bytes(*from);
    // The highest places, too.
    let from = if from >= 0xf000 { u64::MAX - u64::from(!from) } else { from.into() };
    for release in [Release::OLDEST, Release::NEWEST] {
        profdata::internals::is_read_by(section, release);
    }
    for to in [from % 8, from % 8 + 4096, u64::MAX - 7 + from % 8] {
        if let Ok(moved) = relocate(section, from, to) {
            assert!(version(section).is_some_and(|version| (2..=4).contains(&version)));
            assert_eq!(moved.len(), section.len());
        }
    }
});
