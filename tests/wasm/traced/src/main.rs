//! For WASI: prints how often each line of `body.rs` has run, and leaves the profile to the runtime.

use std::sync::atomic::{AtomicU32, Ordering};

use profrt as _;

#[rustfmt::skip]
#[allow(dead_code, unused_mut)]
mod body;

static HITS: [AtomicU32; 2000] = [const { AtomicU32::new(0) }; 2000];

fn t(line: u32) {
    HITS[line as usize].fetch_add(1, Ordering::Relaxed);
}

fn main() {
    for input in std::env::args().skip(1) {
        body::run(input.parse().unwrap());
    }
    for (line, hits) in HITS.iter().enumerate() {
        println!("{line} {}", hits.load(Ordering::Relaxed));
    }
}
