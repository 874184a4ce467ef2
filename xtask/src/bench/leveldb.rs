//! `cargo xtask bench --program`: LevelDB and its own benchmark, a program with threads and many indirect calls.
//!
//! Its sources are those of the package `leveldb-sys`. Each file is compiled once, and linked for both sides.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::calls;
use super::crowd::MEMORY;
use super::programs::{Programs, Side};
use super::report;
use super::sides::Sides;
use crate::demo::{package, progress};
use crate::run;

const NAME: &str = "leveldb";
const SOURCES: &str = "xtask/bench/sources/Cargo.toml";

/// What `db_bench` does, by how many threads, how often, and what its line in the table is called.
struct Work {
    title: &'static str,
    benchmarks: &'static str,
    threads: u32,
    entries: u32,
}

const WORK: [Work; 2] = [
    // Another thread compacts meanwhile, and sleeps when that is done.
    Work {
        title: "LevelDB, 1 hot thread next to that which compacts: s of CPU time",
        benchmarks: "fillrandom,readrandom,seekrandom,readseq",
        threads: 1,
        entries: 200_000,
    },
    Work {
        title: "LevelDB, 2 threads that read: s of CPU time",
        benchmarks: "fillseq,compact,readrandom",
        threads: 2,
        entries: 200_000,
    },
];

/// How far the sums of all counts may be apart: when LevelDB compacts differs from run to run.
const NEARLY: f64 = 0.1;

pub fn run(programs: &Programs, quick: bool) -> Result<()> {
    build(programs)?;
    let rounds = if quick { 3 } else { 9 };
    let bar = progress("running LevelDB", rounds * WORK.len());
    let mut rows = Vec::new();
    // In memory if possible: what a disk does is neither side's cost.
    let place = if Path::new(MEMORY).is_dir() { MEMORY.into() } else { env::temp_dir() };
    let directory = tempfile::Builder::new().prefix("profrt-bench-").tempdir_in(place)?;
    let database = directory.path().join("database");
    for work in &WORK {
        bar.set_message(work.title);
        let mut sides = Sides::default();
        for _ in 0..rounds {
            sides.round(programs, |side| Ok((cpu_time(programs, side, work, &database)?, 0.0)))?;
            bar.inc(1);
        }
        let mut row = sides.row(work.title, 1.0, 1.0, "");
        row.note = compare(programs, work)?;
        rows.push(row);
    }
    bar.finish_and_clear();
    println!("{}", report::table(&rows, "official", ""));
    Ok(())
}

/// Compiles the library and its benchmark, and links them for each side.
fn build(programs: &Programs) -> Result<()> {
    let root = newest(&package(SOURCES, "leveldb-sys")?.join("deps"))?;
    let files = files(&root)?;
    let bar = progress("compiling LevelDB", files.len());
    let objects = run::each(&files, |file| {
        let object = programs.scratch(&format!("leveldb-{}", name(file))).with_extension("o");
        let mut clang = Command::new(&programs.clang.clangxx);
        clang.args(["-O2", "-w", "-c", "-fprofile-generate"]).arg("-I").arg(&root).arg("-I").arg(root.join("include"));
        clang.arg("-DLEVELDB_PLATFORM_POSIX=1").arg("-DHAVE_FDATASYNC=1").arg("-DHAVE_O_CLOEXEC=1");
        clang.arg(format!("-DLEVELDB_IS_BIG_ENDIAN={}", i32::from(cfg!(target_endian = "big"))));
        run::quiet(clang.arg(file).arg("-o").arg(&object))?;
        bar.inc(1);
        Ok(object)
    })?;
    bar.finish_and_clear();
    let objects: Vec<&Path> = objects.iter().map(PathBuf::as_path).collect();
    programs.link(NAME, &objects, None, &["--driver-mode=g++"])
}

/// The sources of the library, and of its benchmark.
fn files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = vec![root.join("helpers/memenv/memenv.cc")];
    for part in ["db", "table", "util"] {
        let read = fs::read_dir(root.join(part)).with_context(|| format!("LevelDB has no directory {part}"))?;
        for entry in read {
            let path = entry?.path();
            let name = name(&path);
            let other = ["_test.cc", "_windows.cc", "testharness.cc", "leveldbutil.cc"];
            if name.ends_with(".cc") && !other.iter().any(|end| name.ends_with(end)) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The directory of the newest LevelDB that the package has.
fn newest(packages: &Path) -> Result<PathBuf> {
    let entries = fs::read_dir(packages).context("the package leveldb-sys has no sources")?;
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let found = paths.into_iter().filter(|path| name(path).starts_with("leveldb-")).max();
    found.context("the package leveldb-sys has no sources of LevelDB")
}

/// The seconds of CPU time of one run, which leaves its profile at [`profile`].
fn cpu_time(programs: &Programs, side: Side, work: &Work, database: &Path) -> Result<f64> {
    let _ = fs::remove_dir_all(database);
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$@\" >/dev/null 2>&1 && times", "sh"]).arg(programs.path(side, NAME));
    shell.arg(format!("--benchmarks={}", work.benchmarks)).arg(format!("--threads={}", work.threads));
    shell.arg(format!("--num={}", work.entries)).arg(format!("--db={}", database.display()));
    let said = run::stdout(shell.env("LLVM_PROFILE_FILE", profile(programs, side)))?;
    let children = said.lines().nth(1).and_then(|line| line.split_whitespace().map(seconds).sum::<Option<f64>>());
    children.with_context(|| format!("the shell's `times` printed `{said}`"))
}

/// `1m2.340s`
fn seconds(time: &str) -> Option<f64> {
    let (minutes, seconds) = time.strip_suffix('s')?.split_once('m')?;
    Some(60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?)
}

fn profile(programs: &Programs, side: Side) -> PathBuf {
    programs.scratch(&format!("leveldb-{side:?}.profraw"))
}

/// By how much our counts are more than the official archive's. With one hot thread they have to be nearly the same.
fn compare(programs: &Programs, work: &Work) -> Result<String> {
    let sums = |side| -> Result<[u64; 2]> {
        let raw = profile(programs, side);
        Ok([total(programs, &raw)?, calls::values_in(programs, &raw, "--ic-targets")?])
    };
    let (official, ours) = (sums(Side::Official)?, sums(Side::Ours)?);
    let more = [0, 1].map(|at| ours[at] as f64 / official[at] as f64 - 1.0);
    let note = format!("ours has {:+.1} % counts, {:+.1} % calls of targets", 100.0 * more[0], 100.0 * more[1]);
    let near = work.threads > 1 || more.iter().all(|more| more.abs() < NEARLY);
    ensure!(near, "{}: the profiles of both sides differ: {note}", work.title);
    Ok(note)
}

/// The sum of all counters.
fn total(programs: &Programs, raw: &Path) -> Result<u64> {
    let shown = run::stdout(Command::new(&programs.clang.profdata).args(["show", "--detailed-summary"]).arg(raw))?;
    let total = shown.lines().find_map(|line| line.strip_prefix("Total count: ")?.trim().parse().ok());
    total.context("llvm-profdata shows no total count")
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn times_of_the_shell_are_read() {
        assert_eq!(seconds("1m2.340s"), Some(62.34));
        assert_eq!(seconds("0m0.0"), None);
    }
}
