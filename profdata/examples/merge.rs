//! Merges profiles of any format and writes an indexed profile for the compiler of a release.
//!
//!     merge [-j THREADS] [--for TARGET] -o OUTPUT INPUT...

use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

use profdata::Target;
use profdata::merge::{FileInput, MergeOptions, merge_files};
use profdata::write::indexed::{WriteOptions, write};

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
    let (mut threads, mut target, mut output, mut files) = (1, "clang-22".to_owned(), None, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "-j" => threads = value()?.parse()?,
            "--for" => target = value()?,
            "-o" => output = Some(value()?),
            _ => files.push(FileInput { path: argument.into(), weight: 1 }),
        }
    }
    let output = output.ok_or("-o OUTPUT is needed")?;
    let merger = merge_files(&files, threads, &MergeOptions::default(), &|_, _| {})?;
    let (profile, report) = merger.finish()?;
    let target = Target::of_name(&target)?;
    // The old output stays until the new one is whole.
    let unfinished = format!("{output}.tmp");
    let mut file = BufWriter::new(File::create(&unfinished)?);
    let written = write(&profile, target, &WriteOptions::default(), &mut file);
    let written = written.map_err(Box::from).and_then(|_| Ok(file.flush()?));
    match written {
        Ok(()) => std::fs::rename(unfinished, output)?,
        Err(error) => {
            std::fs::remove_file(unfinished)?;
            return Err(error);
        }
    }
    if report.inputs.values().any(|input| input.error.is_some()) || !report.findings.is_empty() {
        eprintln!("{}", report.total);
        for input in report.inputs.values() {
            if let Some(error) = &input.error {
                eprintln!("{error}");
            }
        }
        for finding in &report.findings {
            eprintln!("{}: {finding}", report.name_of(finding.input));
        }
    }
    Ok(())
}
