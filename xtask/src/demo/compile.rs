//! Compiling the program in several ways at once, with a progress bar.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, anyhow};

use super::Demo;
use testkit::run;

/// A way to compile the program.
#[derive(Clone)]
pub enum Flavour {
    Baseline,
    Instrumented,
    Optimised(PathBuf),
    Coverage,
}

impl Flavour {
    fn name(&self) -> &'static str {
        match self {
            Flavour::Baseline => "baseline",
            Flavour::Instrumented => "instrumented",
            Flavour::Optimised(_) => "optimised",
            Flavour::Coverage => "coverage",
        }
    }

    fn options(&self, demo: &Demo) -> Vec<String> {
        let options: &[&str] = match self {
            Flavour::Baseline => &["-O2"],
            Flavour::Instrumented => &["-O2", "-g", "-fprofile-generate"],
            Flavour::Optimised(profile) => &["-O2", &format!("-fprofile-use={}", profile.display())],
            Flavour::Coverage => &[demo.program.coverage, "-fprofile-instr-generate", "-fcoverage-mapping"],
        };
        options.iter().map(|option| (*option).to_owned()).collect()
    }
}

/// Compiles and links the program in each flavour; the binaries, in the same order.
pub fn build<const N: usize>(demo: &Demo, flavours: [Flavour; N], title: &str) -> Result<[PathBuf; N]> {
    let mut jobs = VecDeque::new();
    for flavour in &flavours {
        let directory = demo.directory.join(flavour.name());
        fs::create_dir_all(&directory).with_context(|| format!("cannot create {}", directory.display()))?;
        jobs.extend(demo.program.sources.iter().map(|source| (flavour.clone(), source.clone(), directory.clone())));
    }
    let bar = run::progress(title, jobs.len());
    let queue = Mutex::new(jobs);
    let failure = Mutex::new(None);
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((flavour, source, directory)) = next(&queue) {
                    bar.set_message(format!("{} {}", flavour.name(), name(&source)));
                    if let Err(error) = compile(demo, &flavour, &source, &directory) {
                        // The first error ends the others' work too.
                        failure.lock().unwrap_or_else(|lock| lock.into_inner()).get_or_insert(error);
                        queue.lock().unwrap_or_else(|lock| lock.into_inner()).clear();
                    }
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    if let Some(error) = failure.into_inner().unwrap_or_else(|lock| lock.into_inner()) {
        return Err(error);
    }
    let binaries = flavours.iter().map(|flavour| link(demo, flavour)).collect::<Result<Vec<_>>>()?;
    binaries.try_into().map_err(|_| anyhow!("as many programs as flavours"))
}

fn next<T>(queue: &Mutex<VecDeque<T>>) -> Option<T> {
    queue.lock().unwrap_or_else(|lock| lock.into_inner()).pop_front()
}

fn compile(demo: &Demo, flavour: &Flavour, source: &Path, directory: &Path) -> Result<()> {
    let mut compiler = demo.compiler();
    compiler.args(flavour.options(demo)).args(&demo.program.options).arg("-w").arg("-c").arg(source);
    run::quiet(compiler.arg("-o").arg(object(source, directory)))
}

fn link(demo: &Demo, flavour: &Flavour) -> Result<PathBuf> {
    let directory = demo.directory.join(flavour.name());
    let binary = directory.join(demo.program.name);
    let mut compiler = demo.compiler();
    compiler.args(flavour.options(demo)).args(demo.program.sources.iter().map(|source| object(source, &directory)));
    run::quiet(compiler.arg("-lm").arg("-o").arg(&binary))?;
    Ok(binary)
}

fn object(source: &Path, directory: &Path) -> PathBuf {
    directory.join(name(source)).with_extension("o")
}

fn name(source: &Path) -> String {
    source.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
