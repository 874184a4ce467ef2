//! Reads profiles without merging them, and prints how many functions each has and the sum of their counts.
//!
//!     read FILE...

use std::process::ExitCode;

use profdata::error::Error;
use profdata::read;
use profdata::read::ReadOptions;
use profdata::sink::{Heading, RecordRef, Sink};

/// Looks at all counters, and keeps nothing else.
#[derive(Default)]
struct Sum {
    functions: u64,
    counts: u128,
}

impl Sink for Sum {
    fn heading(&mut self, _heading: &Heading) -> Result<(), Error> {
        Ok(())
    }

    fn record(&mut self, record: RecordRef<'_>) -> Result<(), Error> {
        self.functions += 1;
        self.counts += record.counters.iter().map(|count| u128::from(*count)).sum::<u128>();
        Ok(())
    }
}

fn main() -> ExitCode {
    for file in std::env::args().skip(1) {
        match sum(&file) {
            Ok(Sum { functions, counts }) => println!("{file}: {functions} functions, counts of {counts}"),
            Err(error) => {
                eprintln!("{file}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn sum(file: &str) -> Result<Sum, Box<dyn std::error::Error>> {
    let mut sum = Sum::default();
    read(&std::fs::read(file)?, &ReadOptions::default(), &mut sum)?;
    Ok(sum)
}
