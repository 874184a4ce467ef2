//! LevelDB and its own benchmark, a program with threads and many indirect calls.
//!
//! Its sources are those of the package `leveldb-sys`. Each file is compiled once, and linked for both sides.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::crowd::in_memory;
use super::programs::{Programs, Side};
use super::report::{Limit, Row};
use testkit::run;

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
        title: "LevelDB, 1 hot thread: CPU s",
        benchmarks: "fillrandom,readrandom,seekrandom,readseq",
        threads: 1,
        entries: 200_000,
    },
    Work {
        title: "LevelDB, 2 threads that read: CPU s",
        benchmarks: "fillseq,compact,readrandom",
        threads: 2,
        entries: 200_000,
    },
];

/// How far the sums of all counts may be apart: when LevelDB compacts differs from run to run.
const NEARLY: f64 = 0.1;

pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    build(programs)?;
    let rounds = if quick { 3 } else { 9 };
    let directory = in_memory()?;
    let mut rows = Vec::new();
    for work in &WORK {
        let time = |side| cpu_time(programs, side, work, directory.path());
        rows.push(Row::timed(work.title, Limit::Ratio(1.1), rounds, time)?);
        compare(programs, work, directory.path())?;
    }
    Ok(rows)
}

/// Compiles the library and its benchmark, and links them for each side.
fn build(programs: &Programs) -> Result<()> {
    let root = newest(&testkit::programs::package(SOURCES, "leveldb-sys")?.join("deps"))?;
    let files = files(&root)?;
    let bar = run::progress("compiling LevelDB", files.len());
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
    programs.link(NAME, &objects, &["--driver-mode=g++"])
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
fn cpu_time(programs: &Programs, side: Side, work: &Work, directory: &Path) -> Result<f64> {
    let database = directory.join("database");
    let _ = fs::remove_dir_all(&database);
    let profile = profile(directory, side);
    let mut leveldb = programs.command(side, NAME, directory, profile.to_str());
    leveldb.arg(format!("--benchmarks={}", work.benchmarks)).arg(format!("--threads={}", work.threads));
    leveldb.arg(format!("--num={}", work.entries)).arg(format!("--db={}", database.display()));
    Ok(programs.used(&leveldb, 1)?.cpu / 1e3)
}

fn profile(directory: &Path, side: Side) -> PathBuf {
    directory.join(format!("{side:?}.profraw"))
}

/// With one hot thread both sides have to count nearly the same.
fn compare(programs: &Programs, work: &Work, directory: &Path) -> Result<()> {
    let [official, ours] = [Side::Official, Side::Ours].map(|side| total(programs, &profile(directory, side)));
    let more = ours? as f64 / official? as f64 - 1.0;
    ensure!(work.threads > 1 || more.abs() < NEARLY, "{}: ours has {:+.1} % counts", work.title, 100.0 * more);
    Ok(())
}

/// The sum of all counters.
fn total(programs: &Programs, raw: &Path) -> Result<u64> {
    let shown = run::stdout(Command::new(&programs.clang.profdata).args(["show", "--detailed-summary"]).arg(raw))?;
    let total = shown.lines().find_map(|line| line.strip_prefix("Total count: ")?.trim().parse().ok());
    total.context("llvm-profdata shows no total count")
}
