//! Prints the hottest functions of a profile in any format, with their largest counters.
//!
//!     hottest FILE

use std::cmp::Reverse;
use std::process::ExitCode;

use profdata::File;

fn main() -> ExitCode {
    for file in std::env::args().skip(1) {
        if let Err(error) = print(&file) {
            eprintln!("{file}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn print(file: &str) -> Result<(), Box<dyn std::error::Error>> {
    let bytes = std::fs::read(file)?;
    let file = File::parse(&bytes)?;
    let largest = |counters: &[u64]| counters.iter().max().copied().unwrap_or(0);
    let mut hottest: Vec<_> = file.records()?.collect();
    hottest.sort_by_key(|record| Reverse(largest(record.get().counters)));
    // Names are unpacked only now.
    for record in hottest.iter().take(20) {
        println!("{:>12}  {}", largest(record.get().counters), record.name()?.unwrap_or(b"?").escape_ascii());
    }
    Ok(())
}
