//! Merging profiles: the crate `profdata` beside `llvm-profdata`, in processes that take turns. Both have to write the same bytes.

mod binary;
mod growth;
mod process;
mod tool;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use tempfile::TempDir;

use super::programs::Programs;
use super::report::{Limit, Row};
use crate::demo::progress;
use crate::paths;
use binary::{Binary, Size};
pub use growth::tables;
use process::{Ours, Tools, Used};
pub use tool::rows as tool_rows;

/// Different files of a job that has more of them: the others are hard links. Together they are larger than the caches of a CPU.
const DIFFERENT: usize = 10;

/// Many functions, each with about 76 bytes of counters.
const WIDE: Size = Size { functions: 100_000, counters: 10, with_sites: 8 };
/// 20 MB of counters.
const BIG: Size = Size { functions: 10_000, counters: 250, with_sites: 8 };
/// A raw profile of 1 kB.
const SMALL: Size = Size { functions: 8, counters: 5, with_sites: 8 };

/// Files that are merged.
struct Job {
    what: &'static str,
    size: Size,
    files: usize,
    /// With `--quick`.
    few: usize,
    /// In the processes whose instructions are counted.
    counted: usize,
    /// Whether the files are indexed profiles.
    indexed: bool,
    /// The limits of each number of threads: CPU time, peak of the memory and, for one thread, instructions.
    threads: &'static [(usize, [Option<Limit>; 3])],
}

const JOBS: [Job; 4] = [
    Job {
        what: "20 MB of one binary",
        size: BIG,
        files: 200,
        few: 20,
        counted: 4,
        indexed: false,
        threads: &[(1, [time(0.4), count(0.5), count(0.4)]), (2, [time(0.4), count(0.5), None])],
    },
    Job {
        what: "100,000 functions",
        size: WIDE,
        files: 1,
        few: 1,
        counted: 1,
        indexed: false,
        threads: &[(1, [time(0.35), count(0.5), Some(Limit::Missed(0.35, 0.8))])],
    },
    Job {
        what: "100,000 functions, indexed",
        size: WIDE,
        files: 4,
        few: 4,
        counted: 2,
        indexed: true,
        threads: &[(1, [time(0.4), count(1.0), Some(Limit::Missed(0.4, 0.8))])],
    },
    Job {
        what: "1 kB",
        size: SMALL,
        files: 1000,
        few: 1000,
        counted: 1000,
        indexed: false,
        threads: &[(1, [time(1.0), count(0.2), count(1.0)])],
    },
];

const fn time(most: f64) -> Option<Limit> {
    Some(Limit::Time(most))
}

const fn count(most: f64) -> Option<Limit> {
    Some(Limit::Count(most))
}

/// What reading may take of the time of hashing the same bytes.
const READING: f64 = 3.0;

/// Rows of merges, and of reading without a merge.
pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    let tools = Tools::build(programs, Ours::Crate)?;
    let bar = progress("merging profiles", JOBS.iter().map(|job| job.threads.len()).sum::<usize>() + 2);
    let mut rows = Vec::new();
    for job in JOBS {
        let directory = scratch()?;
        let files = if quick { job.few } else { job.files };
        let inputs = inputs(&tools, &job, files, directory.path())?;
        for (threads, limits) in job.threads {
            rows.extend(merges(&tools, &job, &inputs, *threads, limits, quick)?);
            bar.inc(1);
        }
        if job.files <= 4 {
            rows.push(reading(&tools, &inputs[0], job.indexed)?);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(rows)
}

/// A directory for inputs, which is removed in the end.
fn scratch() -> Result<TempDir> {
    let place = paths::target().join("bench");
    fs::create_dir_all(&place)?;
    Ok(tempfile::Builder::new().prefix("profdata-").tempdir_in(place)?)
}

/// Makes the inputs of a job. `llvm-profdata` makes the indexed ones, and so has to read the raw ones.
fn inputs(tools: &Tools, job: &Job, files: usize, directory: &Path) -> Result<Vec<PathBuf>> {
    let raw = raw_files(job.size, files, DIFFERENT, directory)?;
    indexed(tools, job, raw)
}

/// Makes indexed files of raw ones, for a job with these.
fn indexed(tools: &Tools, job: &Job, raw: Vec<PathBuf>) -> Result<Vec<PathBuf>> {
    if !job.indexed {
        return Ok(raw);
    }
    raw.into_iter()
        .map(|raw| {
            let indexed = raw.with_extension("profdata");
            tools.official(1, &[raw], &indexed)?;
            Ok(indexed)
        })
        .collect()
}

/// Makes raw profiles of one program, so many of them different.
fn raw_files(size: Size, files: usize, different: usize, directory: &Path) -> Result<Vec<PathBuf>> {
    let binary = Binary::new(size)?;
    let paths: Vec<PathBuf> = (0..files).map(|file| directory.join(format!("{file:05}.profraw"))).collect();
    for (file, path) in paths.iter().enumerate() {
        match file.checked_sub(different) {
            None => fs::write(path, binary.profile(file as u64)?)?,
            Some(_) => fs::hard_link(&paths[file % different], path)?,
        }
    }
    Ok(paths)
}

/// The rows of a job with a number of threads.
fn merges(
    tools: &Tools,
    job: &Job,
    inputs: &[PathBuf],
    threads: usize,
    limits: &[Option<Limit>; 3],
    quick: bool,
) -> Result<Vec<Row>> {
    let rounds = if quick || inputs.len() == 200 { 3 } else { 5 };
    let used = tools.in_turns(threads, inputs, rounds)?;
    let files = if inputs.len() == 1 { "1 file".into() } else { format!("{} files", inputs.len()) };
    let what = format!("{files} of {}, {threads} thread{}", job.what, if threads == 1 { "" } else { "s" });
    let [time, memory, instructions] = limits;
    let mut rows = Vec::new();
    if let Some(limit) = time {
        let mut row = used.row(format!("{what}: ms of CPU time"), *limit, |used| used.cpu);
        row.note = format!("wall: {:.2}x", used.row(String::new(), *limit, |used| used.wall).ratio);
        rows.push(row);
    }
    if let Some(limit) = memory {
        rows.push(used.row(format!("{what}: MiB"), *limit, |used: &Used| used.peak));
    }
    if let Some(limit) = instructions {
        let few = inputs.get(..job.counted).unwrap_or(inputs);
        let [official, ours] = tools.instructions(few)?;
        let mut row = Row::new(format!("{what}: millions of instructions"), official / 1e6, ours / 1e6, *limit);
        if few.len() < inputs.len() {
            row.note = format!("of {} files", few.len());
        }
        rows.push(row);
    }
    Ok(rows)
}

/// The row of reading a file without a merge.
fn reading(tools: &Tools, file: &Path, indexed: bool) -> Result<Row> {
    let time = |what| tools.read(what, file);
    let format = if indexed { "indexed" } else { "raw" };
    let what = format!("reading 100,000 functions, {format}: ms of CPU time");
    let mut row = Row::new(what, time("crc32")?, time("read")?, Limit::Time(READING));
    row.note = format!("LLVM: CRC-32 of the bytes; XXH3: {:.1}, MD5: {:.1}", time("xxh3")?, time("md5")?);
    Ok(row)
}
