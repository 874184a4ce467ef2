//! The fuzz targets: damaged profiles are read and merged for some seconds. (What a unit test can damage is part of the unit tests.)

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};
use testkit::run::Ran;
use testkit::{paths, run, target};

use super::nightly;

/// How the targets are built: their coverage guides libFuzzer, and AddressSanitizer watches.
const FLAGS: &str = "--cfg=fuzzing -Zsanitizer=address -Cdebug-assertions -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Cllvm-args=-sanitizer-coverage-stack-depth";

/// Runs each target for so many seconds.
pub fn run(seconds: u32) -> Result<Ran> {
    let directory = paths::root().join("fuzz");
    let mut targets = Vec::new();
    for entry in fs::read_dir(directory.join("fuzz_targets"))? {
        let path = entry?.path();
        targets.push(path.file_stem().context("a target has a name")?.to_string_lossy().into_owned());
    }
    // As `cargo fuzz`, which need not be installed, does it.
    let host = target::host();
    let mut build = nightly("fuzz");
    build.args(["build", "--quiet", "--release", "--bins", "--target", &host]).current_dir(&directory);
    run::run(build.env("RUSTFLAGS", FLAGS)).context("the fuzz targets do not build")?;
    let programs = paths::target().join("fuzz").join(&host).join("release");
    // The images in its profiles live for ever.
    let mut seeds = Command::new(programs.join("seeds"));
    run::run(seeds.env("ASAN_OPTIONS", "detect_leaks=0")).context("no first inputs for the fuzz targets")?;
    run::each(&targets, |name| {
        let [artifacts, corpus] = ["artifacts", "corpus"].map(|kind| directory.join(kind).join(name));
        fs::create_dir_all(&artifacts).and_then(|()| fs::create_dir_all(&corpus))?;
        let mut target = Command::new(programs.join(name));
        target.arg(corpus).arg(format!("-artifact_prefix={}/", artifacts.display()));
        target.arg(format!("-max_total_time={seconds}")).args(["-max_len=8192", "-rss_limit_mb=1024", "-timeout=10"]);
        run::quiet(target.arg(format!("-dict={}", directory.join("profdata.dict").display())))
            .with_context(|| format!("fuzz/artifacts/{name} has an input that breaks the target"))
    })?;
    Ok(Ran::of(targets.len()))
}
