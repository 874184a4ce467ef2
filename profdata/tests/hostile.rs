//! Inputs that are made to take quadratic time or more memory than they have bytes, and inputs that the fuzzer has found.

#[path = "hostile/found.rs"]
mod found;
#[path = "hostile/memory.rs"]
mod memory;
#[path = "hostile/memprof.rs"]
mod memprof;
#[path = "hostile/time.rs"]
mod time;

use std::time::Duration;

use profdata::Profile;
use profdata::Target;
use profdata::merge::{MergeOptions, Merger};
use profdata::read;
use profdata::read::ReadOptions;
use profdata::sink::{Flags, Format, Name, RecordRef};
use profdata::sink::{Heading, Sink};
use profdata::write::indexed::{HashEras, WriteOptions, write};

/// How many times larger the second job is.
const TIMES: u32 = 16;
/// More than this many times the time of the small job is more than noise.
const LIMIT: u32 = 100;

/// Asserts that `work` does not take quadratic time. `make` makes what it works on, whose time does not count.
fn assert_not_quadratic<T>(small: usize, make: impl Fn(usize) -> T, mut work: impl FnMut(&T)) {
    let mut fastest = |made: &T, runs: u32| {
        let times = (0..runs).map(|_| {
            let start = processor_time();
            work(made);
            processor_time().saturating_sub(start)
        });
        times.min().unwrap_or_default()
    };
    let (few, many) = (make(small), make(small * TIMES as usize));
    // The small job is noisy, and a test that fails because of noise is worse than one that sees a little less.
    let few = fastest(&few, 5).max(Duration::from_micros(200));
    let many = fastest(&many, 2);
    assert!(many < few * LIMIT, "{few:?} for {small}, {many:?} for {TIMES} times as many");
}

/// Returns how long this thread has run, without the time in which others ran.
pub fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn salvaged(bytes: &[u8]) -> Profile {
    let mut profile = Profile::new();
    let _ = read(bytes, &ReadOptions { salvage: true, ..ReadOptions::default() }, &mut profile);
    profile
}

fn read_both(bytes: &[u8]) {
    let mut profile = Profile::new();
    let _ = read(bytes, &ReadOptions::default(), &mut profile);
    salvaged(bytes);
}

fn merged(bytes: &[u8]) -> Profile {
    let mut merger = Merger::new(MergeOptions::default());
    merger.add_bytes("input", 1, bytes).unwrap();
    merger.finish().unwrap().0
}

/// Returns an indexed profile of version 2 with one bucket, which has these names, each with records of one counter.
fn one_bucket(names: &[(u64, &[u8])], records: impl Fn(usize) -> Vec<u64>) -> Vec<u8> {
    let mut payload = (names.len() as u16).to_le_bytes().to_vec();
    for (number, (hash, name)) in names.iter().enumerate() {
        let data: Vec<u8> =
            records(number).into_iter().flat_map(|hash| [hash, 1, 1]).flat_map(u64::to_le_bytes).collect();
        for word in [*hash, name.len() as u64, data.len() as u64] {
            payload.extend(word.to_le_bytes());
        }
        payload.extend_from_slice(name);
        payload.extend(data);
    }
    payload.resize(payload.len().next_multiple_of(8), 0);
    let mut bytes = b"\xfflprofi\x81".to_vec();
    let entries = names.len() as u64;
    for word in [2, 0, 0, 40 + payload.len() as u64] {
        bytes.extend(u64::to_le_bytes(word));
    }
    bytes.extend(payload);
    for word in [1, entries, 40] {
        bytes.extend(u64::to_le_bytes(word));
    }
    bytes
}

/// A profile of functions with these names and hashes.
fn profile_of<'a>(functions: impl Iterator<Item = (&'a [u8], u64)>) -> Profile {
    let mut profile = Profile::new();
    let heading = Heading { format: Format::Text, flags: Flags::IR, says_front_end: false, kind_unknown: false };
    profile.heading(&heading).unwrap();
    for (name, hash) in functions {
        let record =
            RecordRef { name: Name::of(name), hash, counters: &[1], bitmap: &[], uniformity: &[], values: None };
        profile.push(record).unwrap();
    }
    profile
}

/// Returns different names that all have Bernstein's hash 0: `bB` and `ab`... weigh the same in it.
fn colliding_names(count: usize) -> Vec<Vec<u8>> {
    // "b" times 33 plus "A" is "a" times 33 plus "b".
    let bits = usize::BITS - count.leading_zeros();
    (0..count)
        .map(|number| (0..bits).flat_map(|bit| if number >> bit & 1 == 1 { *b"ab" } else { *b"bA" }).collect())
        .collect()
}

fn write_for(profile: &Profile, version: u32) {
    let options = WriteOptions { hash_eras: HashEras::AsIs, ..WriteOptions::default() };
    write(profile, Target::of_indexed(version).unwrap(), &options, &mut Vec::new()).unwrap();
}

/// Returns a raw profile of version 10 without counters and records, with these names.
fn header_only(flags: u64, names: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let word = |number: u64| number.to_ne_bytes();
    let magic = u64::from_be_bytes(*b"\xfflprofr\x81");
    for number in [magic, 10 | flags, 0, 0, 0, 0, 0, 0, 0, names.len() as u64, 0, 0, 0, 0, 0, 2] {
        bytes.extend(word(number));
    }
    bytes.extend_from_slice(names);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}
