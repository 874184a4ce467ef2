//! Prints the counts of one function, of a profile in any format. Of an indexed one, only what the function needs is read.
//!
//!     count FILE NAME HASH

use std::process::ExitCode;

use profdata::File;
use profdata::read::Lookup;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, name, hash] = &arguments[..] else {
        eprintln!("count FILE NAME HASH");
        return ExitCode::FAILURE;
    };
    match count(file, name, hash) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{file}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn count(file: &str, name: &str, hash: &str) -> Result<String, Box<dyn std::error::Error>> {
    let hash = match hash.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16)?,
        None => hash.parse()?,
    };
    let bytes = std::fs::read(file)?;
    Ok(match File::parse(&bytes)?.find(name.as_bytes(), hash)? {
        Lookup::Found(record) => format!("{:?}", record.counters),
        Lookup::HashMismatch => "the function has changed since".into(),
        Lookup::Unknown => "there is no such function".into(),
    })
}
