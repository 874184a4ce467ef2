//! Reads a profile many times without merging it, and hashes the same bytes.
//!
//!     read FILE [ROUNDS]
//!
//! Prints the shortest time of each in nanoseconds: reading, CRC-32, XXH3 and MD5.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use profdata::error::Error;
use profdata::read::{ReadOptions, read};
use profdata::sink::{Heading, RecordRef, Sink};

/// Adds up what a user of a profile looks at, so that nothing is left out.
#[derive(Default)]
struct Sum {
    records: u64,
    counts: u64,
    values: usize,
}

impl Sink for Sum {
    fn heading(&mut self, _heading: &Heading) -> Result<(), Error> {
        Ok(())
    }

    fn record(&mut self, record: RecordRef<'_>) -> Result<(), Error> {
        self.records += 1;
        self.counts =
            record.counters.iter().fold(self.counts ^ record.name.hash, |sum, count| sum.wrapping_add(*count));
        self.values += usize::from(record.values.is_some());
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
    let mut arguments = std::env::args().skip(1);
    let bytes = std::fs::read(arguments.next().ok_or("FILE is needed")?)?;
    let rounds: u32 = arguments.next().map_or(Ok(1), |rounds| rounds.parse())?;
    let mut best = [u128::MAX; 4];
    for _ in 0..rounds {
        let mut time = |place: usize, work: &dyn Fn() -> Result<u64, Error>| -> Result<(), Error> {
            let start = Instant::now();
            black_box(work()?);
            best[place] = best[place].min(start.elapsed().as_nanos());
            Ok(())
        };
        time(0, &|| {
            let mut sum = Sum::default();
            read(&bytes, &ReadOptions::default(), &mut sum)?;
            Ok(sum.counts ^ sum.records ^ sum.values as u64)
        })?;
        time(1, &|| Ok(crc32fast::hash(&bytes).into()))?;
        time(2, &|| Ok(twox_hash::XxHash3_64::oneshot(&bytes)))?;
        time(3, &|| Ok(md5::compute(&bytes).0.iter().map(|byte| u64::from(*byte)).sum()))?;
    }
    let [read, crc, xxh3, md5] = best;
    println!("{read} {crc} {xxh3} {md5}");
    Ok(())
}
