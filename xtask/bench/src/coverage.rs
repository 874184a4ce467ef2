//! `profrt cov` from a raw profile, beside `llvm-profdata merge -sparse && llvm-cov export` of the newest release.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::merge::tool;
use super::programs::{Programs, Side};
use super::report::{Limit, Row};
use testkit::run;

/// The generated program: units, each with so many headers of its own, these with so many functions, each of which uses a macro three times.
const UNITS: usize = 100;
const HEADERS: usize = 50;
const FUNCTIONS: usize = 20;

/// Test binaries of one workspace, and functions of its library.
const BINARIES: usize = 20;
const LIBRARY: usize = 5_000;

const COVERAGE: [&str; 4] = ["-O0", "-g0", "-fprofile-instr-generate", "-fcoverage-mapping"];

/// A report of the generated program.
struct Job {
    title: &'static str,
    /// Arguments of `llvm-cov`, and of `profrt cov`.
    llvm: &'static str,
    ours: &'static str,
    threads: &'static str,
    /// Of the CPU time of one thread, or of the time from start to end of several. A fifth of ours is for the sources, which `llvm-cov` does not
    /// read, because only lines with code count: 0.22 without.
    time: f64,
    /// Of the peak of the memory.
    peak: Option<f64>,
}

const LCOV: Job =
    Job { title: "lcov", llvm: "export -format=lcov", ours: "--lcov", threads: "1", time: 0.5, peak: None };

const JOBS: [Job; 4] = [
    Job { title: "lcov, two threads", threads: "2", time: 0.26, peak: Some(0.2), ..LCOV },
    LCOV,
    Job { title: "JSON", llvm: "export", ours: "--json", threads: "1", time: 0.25, peak: Some(0.15) },
    Job { title: "summary", llvm: "report", ours: "--summary", threads: "1", time: 0.5, peak: None },
];

pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    let tool = tool()?;
    let mut rows = Vec::new();
    let generated = generated(programs, "coverage", &COVERAGE)?;
    for job in &JOBS {
        rows.extend(beside(programs, &tool, &generated, job, quick)?);
    }
    rows.push(workspace(programs, &tool, quick)?);
    Ok(rows)
}

/// Measures a job on a program that has left its profile beside it.
fn beside(programs: &Programs, tool: &Path, program: &Path, job: &Job, quick: bool) -> Result<Vec<Row>> {
    let Job { title, llvm: report, ours, threads, time, peak } = job;
    let profile = program.with_extension("profraw");
    let indexed = program.with_extension("profdata");
    let output = programs.scratch("report");
    let shell = format!(
        "{} merge -sparse -num-threads={threads} {} -o {} && {} {report} -num-threads={threads} {} -instr-profile {} >{}",
        programs.clang.profdata.display(),
        profile.display(),
        indexed.display(),
        programs.clang.cov.display(),
        program.display(),
        indexed.display(),
        output.display(),
    );
    let mut llvm = Command::new("sh");
    llvm.args(["-c", &shell]);
    let mut cov = Command::new(tool);
    cov.args(["cov", "-j", threads]).arg(&profile).arg("--object").arg(program).arg(ours).arg(&output);
    let turns = programs.turns(if quick { 1 } else { 5 }, [&llvm, &cov])?;
    let title = format!("profrt cov, 100,000 functions, {title}");
    let mut rows = vec![match *threads {
        "1" => Row::used(format!("{title}: CPU ms"), *time, &turns, |used| used.cpu),
        _ => Row::used(format!("{title}: ms"), *time, &turns, |used| used.wall),
    }];
    rows.extend(peak.map(|most| Row::used(format!("{title}: MiB"), most, &turns, |used| used.peak)));
    Ok(rows)
}

/// The time for all test binaries of a Rust workspace over that for one.
fn workspace(programs: &Programs, tool: &Path, quick: bool) -> Result<Row> {
    let directory = programs.scratch("workspace");
    fs::create_dir(&directory)?;
    let mut library = String::new();
    for number in 0..LIBRARY {
        let _ = writeln!(
            library,
            "pub fn f{number}(a: u32) -> u32 {{\n    if a > {number} {{\n        a / 2\n    }} else {{\n        a + {number}\n    }}\n}}"
        );
    }
    fs::write(directory.join("library.rs"), library)?;
    let rustc = || {
        let mut rustc = Command::new("rustc");
        rustc.current_dir(&directory).args(["--edition=2024", "-Cinstrument-coverage", "-Ccodegen-units=1"]);
        rustc
    };
    run::quiet(rustc().args(["--crate-type=rlib", "library.rs"]))?;
    let numbers: Vec<usize> = (0..BINARIES).collect();
    run::each(&numbers, |number| {
        let test = format!("#[test]\nfn calls() {{\n    assert!(library::f{number}(7) < 100);\n}}\n");
        fs::write(directory.join(format!("t{number}.rs")), test)?;
        let (source, program) = (format!("t{number}.rs"), directory.join(format!("t{number}")));
        run::quiet(rustc().args(["--test", "--extern=library=liblibrary.rlib", &source]))?;
        run::quiet(Command::new(&program).env("LLVM_PROFILE_FILE", program.with_extension("profraw")))
    })?;
    let cov = |binaries: usize| {
        let mut cov = Command::new(tool);
        cov.current_dir(&directory).args(["cov", "-j", "1", "--summary", "-"]);
        for number in 0..binaries {
            cov.arg(format!("t{number}.profraw")).arg("--object").arg(format!("t{number}"));
        }
        cov
    };
    let [one, all] = [cov(1), cov(BINARIES)];
    let what = format!("profrt cov, {BINARIES} Rust tests over one: CPU ms");
    Row::timed(what, Limit::Ratio(2.0), if quick { 2 } else { 25 }, |side| {
        Ok(programs.used(if side == Side::Ours { &all } else { &one }, 1)?.cpu)
    })
}

/// A program of units, headers and functions, of which every eighth calls one of two through a pointer.
pub fn generated(programs: &Programs, name: &str, options: &[&str]) -> Result<PathBuf> {
    let mut units = Vec::new();
    let (mut declared, mut called) = (String::new(), String::new());
    for unit in 0..UNITS {
        let mut text = String::from("static int even(int a) { return a; }\nstatic int odd(int a) { return -a; }\n");
        let mut calls = String::new();
        for header in 0..HEADERS {
            let name = format!("h{unit}_{header}.h");
            let _ = writeln!(text, "#include \"{name}\"");
            let mut functions =
                String::from("#undef CHECK\n#define CHECK(x, y) ((x) > (y) && (x) != 7 ? (x) - (y) : (y))\n");
            for function in 0..FUNCTIONS {
                let number = header * FUNCTIONS + function;
                let pointer = if number.is_multiple_of(8) { "  b += (a % 2 ? odd : even)(a);\n" } else { "" };
                let _ = writeln!(
                    functions,
                    "static int f{number}(int a) {{\n  int b = CHECK(a, {number});\n  for (int i = 0; i < 2; i++)\n    b += CHECK(b, i);\n{pointer}  if (b > {number}) {{\n    b -= CHECK(b, 2);\n  }}\n  return b;\n}}"
                );
                let _ = writeln!(calls, "  a += a % 3 ? f{number}(a) : {number};");
            }
            fs::write(programs.scratch(&name), functions)?;
        }
        let _ = writeln!(text, "int unit{unit}(int a) {{\n{calls}  return a;\n}}");
        let _ = writeln!(declared, "int unit{unit}(int);");
        let _ = writeln!(called, "  a += unit{unit}(a);");
        units.push(text);
    }
    units.push(format!("{declared}int main(int a, char **v) {{\n{called}  return a == 0;\n}}\n"));
    compiled(programs, name, &units, options)
}

/// Compiles sources, links them and runs the program.
pub fn compiled(programs: &Programs, name: &str, sources: &[String], options: &[&str]) -> Result<PathBuf> {
    let bar = run::progress(&format!("compiling {name}"), sources.len());
    let numbered: Vec<(usize, &String)> = sources.iter().enumerate().collect();
    let objects = run::each(&numbered, |(number, text)| {
        let source = programs.scratch(&format!("{name}{number}.c"));
        let object = source.with_extension("o");
        fs::write(&source, text)?;
        programs.compile_to(&object, &source, options)?;
        bar.inc(1);
        Ok(object)
    })?;
    bar.finish_and_clear();
    let program = programs.scratch(name);
    let mut clang = Command::new(&programs.clang.clang);
    run::quiet(clang.arg("-fprofile-instr-generate").args(&objects).arg("-o").arg(&program))?;
    run::quiet(Command::new(&program).env("LLVM_PROFILE_FILE", program.with_extension("profraw")))?;
    Ok(program)
}
