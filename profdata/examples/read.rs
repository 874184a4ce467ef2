//! Reads a profile several times without merging it, or only hashes its bytes, to compare what both take.
//!
//!     read read|crc32|xxh3|md5 FILE TIMES

use std::hint::black_box;
use std::process::ExitCode;

use profdata::error::Error;
use profdata::read::{ReadOptions, read};
use profdata::sink::{Heading, RecordRef, Sink};

/// Looks at all counters, and keeps nothing.
#[derive(Default)]
struct Sum(u64);

impl Sink for Sum {
    fn heading(&mut self, _heading: &Heading) -> Result<(), Error> {
        Ok(())
    }

    fn record(&mut self, record: RecordRef<'_>) -> Result<(), Error> {
        self.0 = record.counters.iter().fold(self.0 ^ record.name.hash, |sum, count| sum.wrapping_add(*count));
        Ok(())
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, file, times] = arguments.as_slice() else { return Err("read read|crc32|xxh3|md5 FILE TIMES".into()) };
    let bytes = std::fs::read(file)?;
    for _ in 0..times.parse::<u32>()? {
        match what.as_str() {
            "read" => {
                let mut sum = Sum::default();
                read(&bytes, &ReadOptions::default(), &mut sum)?;
                black_box(sum.0);
            }
            "crc32" => {
                black_box(crc32fast::hash(black_box(&bytes)));
            }
            "xxh3" => {
                black_box(twox_hash::XxHash3_64::oneshot(black_box(&bytes)));
            }
            "md5" => {
                black_box(md5::compute(black_box(&bytes)));
            }
            _ => return Err(format!("nothing is called {what}").into()),
        }
    }
    Ok(())
}
