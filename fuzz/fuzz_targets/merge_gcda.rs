//! Any bytes as the `.gcda` file that a process finds. The first byte chooses the version, the second the number of
//! functions; the others are the file, or changes to a valid one. A file that is accepted differs from ours in counters and runs only.

#![no_main]

use profrt_fuzz::gcov::buffer::PageBuffer;
use profrt_fuzz::gcov::encoding::Version;
use profrt_fuzz::gcov::merge::{add, each_counter};

const VERSIONS: [&[u8; 4]; 4] = [b"402*", b"408*", b"A93*", b"B23*"];

fn file(version: Version, functions: u8, count: u64) -> Vec<u8> {
    let mut file = PageBuffer::EMPTY;
    version.header(&mut file, 7).unwrap();
    for ident in 0..u32::from(functions % 8) {
        version.function(&mut file, ident, ident * 3, ident * 5).unwrap();
        version.counters(&mut file, ident % 4, std::iter::repeat(count)).unwrap();
    }
    version.summary(&mut file).unwrap();
    version.end(&mut file).unwrap();
    file.bytes().to_vec()
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let [how, functions, rest @ ..] = input else { return };
    let version = VERSIONS[usize::from(how >> 1 & 3)];
    let version = Version(u32::from_be_bytes(*version));
    let ours = file(version, *functions, 3);
    let mut old = rest.to_vec();
    if how & 8 != 0 {
        // Pairs of a place and a byte.
        old = ours.clone();
        for change in rest.chunks_exact(2) {
            let at = usize::from(change[0]) % old.len();
            old[at] ^= change[1];
        }
    }
    let before = old.clone();
    if add(&mut old, &ours, true).is_ok() {
        assert_eq!(before.len(), ours.len());
        let counters = |file: &[u8]| {
            let mut counters = Vec::new();
            each_counter(file, |counter| counters.push(counter));
            counters
        };
        let sums: Vec<u64> = counters(&before).iter().map(|counter| counter.saturating_add(3)).collect();
        assert_eq!(counters(&old), sums);
    }
});
