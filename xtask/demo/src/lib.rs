//! `cargo xtask demo`: a real program, profiled with profrt, compiled again with its profile, and measured.
//!
//! Everything is done as a user would: an overlay of the compiler's resource directory, the compiler's own options, `profrt` for what is
//! shown.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use profrt_overlay::compiler::Compiler;
use profrt_overlay::overlay::{Entries, overlay};

use testkit::dist::compile;
use testkit::programs::{self, Program};
use testkit::toolchain::{self, Clang, Packages, browser};
use testkit::{dist, paths, run};

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    packages: Packages,
    /// SQLite instead of Lua
    #[arg(long)]
    sqlite: bool,
    /// How often each program is timed
    #[arg(long, value_name = "N", default_value_t = 3)]
    rounds: usize,
    /// Make the pictures of the documents anew, of pages in Chromium
    #[arg(long, conflicts_with = "sqlite")]
    pictures: bool,
}

/// What the steps share.
struct Demo {
    clang: Clang,
    program: Program,
    /// `target/demo/NAME`
    directory: PathBuf,
    /// The resource directory to compile with.
    resources: PathBuf,
}

pub fn run(options: &Options) -> Result<()> {
    options.packages.require(&["clang", "gcc"])?;
    let demo = Demo::prepare(options.sqlite)?;
    eprintln!("building profrt");
    // Without the commands that the demo has no use for, and their crates.
    let tool = ["build", "--package=profrt-tool", "--bin=profrt", "--no-default-features"];
    run::run(compile::cargo().args(tool))?;
    let profrt = paths::target().join("debug/profrt");

    let [plain, profiled, covered] = demo.build([
        ("plain", &["-O2"]),
        ("profiled", &["-O2", "-g", "-fprofile-generate"]),
        ("covered", &[demo.program.coverage, "-fprofile-instr-generate", "-fcoverage-mapping"]),
    ])?;
    let raw = demo.record(&profiled)?;
    let profile = demo.directory.join("profile.profdata");
    run::quiet(Command::new(&demo.clang.profdata).arg("merge").arg(&raw).arg("-o").arg(&profile))?;
    let [optimized] = demo.build([("optimized", &["-O2", &format!("-fprofile-use={}", profile.display())])])?;
    let times = demo.compare(&plain, &optimized, options.rounds)?;

    let [coverage_page, profile_page] = ["coverage.html", "profile.html"].map(|name| demo.directory.join(name));
    let mut cov = Command::new(&profrt);
    cov.arg("cov").arg(demo.record(&covered)?).arg("--object").arg(&covered).args(["--summary", "-"]);
    let own = format!("{}*", demo.program.sources[0].with_file_name("").display());
    let table = run::stdout(cov.args(["--only", &own]).arg("--html").arg(&coverage_page))?;
    let mut report = Command::new(&profrt);
    run::quiet(report.arg("report").arg(&profile).arg("--object").arg(&profiled).arg("--html").arg(&profile_page))?;
    let hottest = run::stdout(Command::new(&profrt).args(["show", "--top=8"]).arg(&profile))?;

    let Demo { clang, program, .. } = &demo;
    println!("\n{} with profrt, clang {}, raw version {}\n", program.title, clang.version, clang.raw);
    println!("{hottest}\n\n{times}\n");
    // The heading and the sums; the files are in the page.
    let lines: Vec<&str> = table.lines().collect();
    println!("{}\n{}\n", lines.first().context("profrt cov prints no table")?, lines[lines.len() - 1]);
    println!("coverage page, for a browser: {}", coverage_page.display());
    println!("profile page:                 {}", profile_page.display());
    if options.pictures { pictures(&coverage_page, &profile_page, options.packages) } else { Ok(()) }
}

/// Makes the pictures of the documents.
fn pictures(coverage: &Path, profile: &Path, packages: Packages) -> Result<()> {
    run::quiet(&mut browser::script(packages, &["make.js", "live"])?)?;
    let mut script = browser::script(packages, &["pictures.js"])?;
    run::quiet(script.args([coverage, profile]).arg(paths::root().join("docs/pictures")))
}

impl Demo {
    fn prepare(sqlite: bool) -> Result<Demo> {
        let clang = toolchain::newest()?;
        let compiler = Compiler::ask(&clang.clang)?;
        let program = if sqlite { programs::sqlite()? } else { programs::lua()? };
        let directory = paths::target().join("demo").join(program.name);
        fs::create_dir_all(&directory).with_context(|| format!("cannot create {}", directory.display()))?;
        eprintln!("building the archive for clang {} (raw version {})", clang.version, clang.raw);
        let resources = paths::target().join("demo").join(format!("clang-{}", clang.version));
        overlay(&compiler, &dist::for_compiler(&compiler)?.archive, &resources, Entries::Link)?;
        Ok(Demo { clang, program, directory, resources })
    }

    /// Compiles and links the program in several ways, each with a name and the compiler's options; the executables.
    fn build<const N: usize>(&self, ways: [(&str, &[&str]); N]) -> Result<[PathBuf; N]> {
        let names = ways.map(|(name, _)| name);
        let bar = run::progress(&format!("compiling: {}", names.join(", ")), N * self.program.sources.len());
        let built = run::each(&ways, |(name, options)| {
            let directory = self.directory.join(name);
            fs::create_dir_all(&directory)?;
            let clang = || {
                let mut clang = Command::new(&self.clang.clang);
                clang.arg("-resource-dir").arg(&self.resources).args(*options);
                clang
            };
            let objects = run::each(&self.program.sources, |source| {
                let name = source.file_name().context("a source has a name")?;
                let object = directory.join(name).with_extension("o");
                let mut clang = clang();
                // In its own directory: so the names of static functions are short.
                clang.current_dir(source.with_file_name("")).args(&self.program.options).args(["-w", "-c"]).arg(name);
                run::quiet(clang.arg("-o").arg(&object))?;
                bar.inc(1);
                Ok(object)
            })?;
            let program = directory.join(self.program.name);
            run::quiet(clang().args(objects).arg("-lm").arg("-o").arg(&program))?;
            Ok(program)
        })?;
        bar.finish_and_clear();
        built.try_into().ok().context("as many programs as ways")
    }

    /// Runs the program on every workload; each process writes a raw profile of its own, into a directory beside it.
    fn record(&self, program: &Path) -> Result<PathBuf> {
        let linked = fs::read(program)?;
        // How rustc begins the names of the crate's functions.
        ensure!(linked.windows(7).any(|bytes| bytes == b"6profrt"), "{} is linked without profrt", program.display());
        let directory = program.with_file_name("raw");
        let _ = fs::remove_dir_all(&directory);
        for workload in &self.program.runs {
            let mut command = Command::new(program);
            command.args(&workload.words).env("LLVM_PROFILE_FILE", directory.join("%p.profraw"));
            run::quiet(&mut command)?;
        }
        let (found, runs) = (fs::read_dir(&directory).map_or(0, Iterator::count), self.program.runs.len());
        ensure!(found == runs, "{runs} runs left {found} profiles in {}", directory.display());
        Ok(directory)
    }

    /// Times two builds of the program in turns, so that what else the machine does hits both: a table of the best times.
    fn compare(&self, plain: &Path, optimized: &Path, rounds: usize) -> Result<String> {
        let mut table =
            format!("{:<30} {:>10} {:>14} {:>10}", "time, best of the rounds", "-O2", "-fprofile-use", "faster");
        let bar = run::progress("timing it without and with the profile", rounds * self.program.runs.len());
        for workload in &self.program.runs {
            let mut best = [Duration::MAX; 2];
            for _ in 0..rounds.max(1) {
                let [before, after] = [plain, optimized].map(|program| -> Result<(Duration, String)> {
                    let start = Instant::now();
                    let said = run::stdout(Command::new(program).args(&workload.words))?;
                    Ok((start.elapsed(), said))
                });
                let ((before, said), (after, says)) = (before?, after?);
                ensure!(said == says, "{}: with the profile it prints `{says}`, not `{said}`", workload.title);
                best = [best[0].min(before), best[1].min(after)];
                bar.inc(1);
            }
            let [before, after] = best.map(|time| time.as_secs_f64());
            let gain = (before / after - 1.0) * 100.0;
            table += &format!("\n  {:<28} {before:>8.2} s {after:>12.2} s {gain:>+8.1} %", workload.title);
        }
        bar.finish_and_clear();
        Ok(table)
    }
}
