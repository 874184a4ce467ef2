//! Any bytes as a MemProf section: read, written, added to itself, and moved from one place to another and back. The last two bytes are where it
//! comes from.

#![no_main]

use profdata::memprof::{Field, MemProf};
use profdata::memprof::{relocate, version};
use profdata::write::Release;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((section, from)) = input.split_last_chunk() else { return };
    let from = u16::from_be_bytes(*from);
    // The highest places, too.
    let from = if from >= 0xf000 { u64::MAX - u64::from(!from) } else { from.into() };
    for release in [Release::OLDEST, Release::NEWEST] {
        profdata::memprof::is_read_by(section, release);
    }
    for to in [from % 8, from % 8 + 4096, u64::MAX - 7 + from % 8] {
        if let Ok(moved) = relocate(section, from, to) {
            assert!(version(section).is_none_or(|version| (2..=4).contains(&version)));
            assert_eq!(moved.len(), section.len());
        }
    }
    if let Ok(read) = MemProf::read(section, from) {
        check(&read, section);
    }
});

/// Writes and adds what was read. What is written is read as the same.
fn check(read: &MemProf, section: &[u8]) {
    assert_eq!(version(section), Some(read.version()));
    // A stack id and a block at least.
    assert!(read.allocations().count() * (4 + read.schema().size()) <= section.len());
    for allocation in read.allocations().take(64) {
        assert!(read.stacks().frames(allocation.stack).count() <= section.len());
        assert!(allocation.get(Field::AllocCount) <= u64::from(u32::MAX));
    }
    let written = read.write(560).expect("few functions");
    let again = MemProf::read(&written, 560).expect("a sound section");
    assert_eq!(again.write(560).expect("few functions"), written);
    assert_eq!(relocate(&written, 560, 800).expect("a sound section"), read.write(800).expect("few functions"));
    // Once added to two and once twice added.
    let (mut twice, mut sum) = (read.clone(), read.clone());
    twice.absorb(&again).expect("the same version");
    sum.absorb(&twice).expect("the same version");
    twice.absorb(read).expect("the same version");
    assert_eq!(sum.write(0).expect("few functions"), twice.write(0).expect("few functions"));
}
