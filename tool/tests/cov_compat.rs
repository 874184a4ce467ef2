//! `profrt cov --compat`: what `llvm-cov` of each installed release writes.

use needs::releases;
use needs_macros::needs;
use std::path::Path;
use std::process::Command;

use crate::common;
use crate::programs;
use crate::programs::{Program, Ran, profiled, program, ran, run};
use clap::{Arg, CommandFactory};
use profrt_tool::command_line::Arguments;
use serde_json::Value;

/// Profiles and programs, and options of both tools.
struct Case<'c> {
    release: u32,
    /// Of any format.
    raw: &'c [&'c Path],
    /// What `llvm-profdata` makes of them.
    indexed: &'c Path,
    programs: &'c [&'c Path],
    ignore: Option<&'c str>,
}

/// Returns what `llvm-cov` writes.
fn theirs(case: &Case<'_>, arguments: &[&str]) -> Vec<u8> {
    let mut tool = Command::new(format!("llvm-cov-{}", case.release));
    tool.args(arguments).arg("-instr-profile").arg(case.indexed).arg(case.programs[0]);
    case.programs[1..].iter().for_each(|program| _ = tool.arg("-object").arg(program));
    tool.args(case.ignore.map(|regex| format!("-ignore-filename-regex={regex}")));
    run(&mut tool)
}

/// Returns what `profrt cov --compat` writes as an output.
fn ours(case: &Case<'_>, output: &str) -> Vec<u8> {
    let mut tool = common::profrt(Path::new("/"));
    tool.arg("cov").args(case.raw).arg(format!("--compat=llvm-{}", case.release)).args([output, "-"]);
    case.programs.iter().for_each(|program| _ = tool.arg("--object").arg(program));
    tool.args(case.ignore.map(|regex| format!("--ignore={regex}")));
    run(&mut tool)
}

/// Notes the first difference of two texts.
fn compare_lines(what: &str, ours: &[u8], theirs: &[u8], wrong: &mut Vec<String>) {
    let (ours, theirs) = (String::from_utf8_lossy(ours), String::from_utf8_lossy(theirs));
    if ours != theirs {
        let lines = ours.lines().zip(theirs.lines()).enumerate();
        let first = lines.clone().find(|(_, (ours, theirs))| ours != theirs);
        wrong.push(format!("{what}: {first:?}, {} and {} lines", ours.lines().count(), theirs.lines().count()));
    }
}

/// Notes the first difference of two values, with the way to it.
fn compare_values(way: &str, ours: &Value, theirs: &Value, wrong: &mut Vec<String>) {
    match (ours, theirs) {
        _ if ours == theirs => {}
        (Value::Object(ours), Value::Object(theirs)) if ours.keys().eq(theirs.keys()) => {
            ours.iter().for_each(|(key, own)| compare_values(&format!("{way}.{key}"), own, &theirs[key], wrong));
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
            let differs = (0..ours.len()).find(|at| ours[*at] != theirs[*at]).unwrap();
            compare_values(&format!("{way}[{differs}]"), &ours[differs], &theirs[differs], wrong);
        }
        _ => {
            let cut = |value: &Value| value.to_string().chars().take(300).collect::<String>();
            wrong.push(format!("{way}:\n  {}\n  {}", cut(ours), cut(theirs)));
        }
    }
}

/// Notes what the outputs differ in.
fn compare(what: &str, case: &Case<'_>, wrong: &mut Vec<String>) {
    let what = format!("{what} of {}", case.release);
    let report = compare_json(&what, case, wrong);
    compare_texts(&what, case, report, wrong);
}

/// Notes what the JSON differs in. Returns the arguments of `llvm-cov` for the same table.
fn compare_json(what: &str, case: &Case<'_>, wrong: &mut Vec<String>) -> &'static [&'static str] {
    let (own, their) = (ours(case, "--json"), theirs(case, &["export"]));
    let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap();
    if own != their {
        compare_values(&format!("{what}, JSON: "), &json(&own), &json(&their), wrong);
        wrong.push(format!("{what}: JSON has other bytes"));
    }
    let has_conditions = json(&their)["data"][0]["totals"]["mcdc"]["count"].as_u64() > Some(0);
    if has_conditions { &["report", "-show-mcdc-summary"] } else { &["report"] }
}

fn compare_texts(what: &str, case: &Case<'_>, report: &[&str], wrong: &mut Vec<String>) {
    for (output, arguments) in [("--lcov", &["export", "-format=lcov"][..]), ("--summary", report)] {
        compare_lines(&format!("{what}, {output}"), &ours(case, output), &theirs(case, arguments), wrong);
    }
}

#[test]
fn every_program_has_the_outputs_of_llvm() {
    let mut wrong = Vec::new();
    let dir = tempfile::tempdir().unwrap();
    programs::write_sources(dir.path());
    for (release, program) in programs::programs() {
        let Ran { program: path, raw, indexed } = ran(dir.path(), release, program);
        let case = Case { release, raw: &[&raw], indexed: &indexed, programs: &[&path], ignore: None };
        compare(program.name, &case, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[needs("clangs")]
fn a_program_of_rustc_has_the_outputs_of_llvm() {
    let dir = tempfile::tempdir().unwrap();
    let source = "fn f<T: PartialOrd>(a: T, b: T) -> bool { a < b && b > a }\nmacro_rules! m { ($e:expr) => { if $e { 1 } else { 2 } } }\n\
                  fn main() { println!(\"{} {} {}\", f(1, 2), f(\"b\", \"a\"), m!(f(1.0, 2.0))); }\n";
    std::fs::write(dir.path().join("a.rs"), source).unwrap();
    run(Command::new("rustc").args(["-Cinstrument-coverage", "a.rs", "-o", "a"]).current_dir(dir.path()));
    let Ran { program: path, raw, indexed } = profiled(dir.path().join("a"), 22, &[]);
    let mut wrong = Vec::new();
    let case = Case { release: 22, raw: &[&raw], indexed: &indexed, programs: &[&path], ignore: None };
    compare("rustc", &case, &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Adds profiles up.
fn merge(release: u32, profiles: &[&Path], to: &Path) {
    run(Command::new(format!("llvm-profdata-{release}")).arg("merge").args(profiles).arg("-o").arg(to));
}

const CPP: &[&str] = &["-std=c++17", "-w"];
const CPP_MCDC: &[&str] = &["-std=c++17", "-w", "-fcoverage-mcdc"];

#[needs("clangs")]
fn several_programs_and_profiles_and_ignored_files() {
    let mut wrong = Vec::new();
    let dir = tempfile::tempdir().unwrap();
    programs::write_sources(dir.path());
    for release in releases() {
        let flags = if release >= 19 { CPP_MCDC } else { CPP };
        let units = Program { name: "units", ..program("", &["one.cpp", "two.cpp"], flags) };
        let mocks = Program { name: "mocks", ..program("", &["mocks.cpp", "mocked.cpp"], flags) };
        let others = [
            (&units, Program { name: "macros", ..program("", &["macros.c"], &["-w"]) }),
            (&units, Program { name: "decisions", ..program("", &["decisions.c"], &flags[2..]) }),
            (&units, Program { name: "lambdas", ..program("", &["abi/cpp_lambdas.cpp"], flags) }),
            (
                &units,
                Program { name: "optimized", ..program("", &["one.cpp", "two.cpp"], &["-O2", "-std=c++17", "-w"]) },
            ),
            // Each has dummies of functions that the other one has.
            (&units, Program { name: "own", ..program("", &["own.cpp"], flags) }),
            (&mocks, Program { name: "mocked", ..program("", &["mocked.cpp"], &["-DALONE", "-std=c++17", "-w"]) }),
        ];
        for (one, other) in &others {
            let first = ran(dir.path(), release, one);
            let second = ran(dir.path(), release, other);
            let both = dir.path().join("both.profdata");
            merge(release, &[&first.indexed, &second.indexed], &both);
            let what = format!("{} and {}", one.name, other.name);
            let ignored = [None, Some("one.cpp$"), Some("/(shared|decisions)[.]"), Some("^/")];
            for ignore in ignored.into_iter().take(if other.name == "decisions" { 4 } else { 1 }) {
                let programs: [&Path; 2] = [&first.program, &second.program];
                let case =
                    Case { release, raw: &[&first.raw, &second.raw], indexed: &both, programs: &programs, ignore };
                compare(&format!("{what} without {ignore:?}"), &case, &mut wrong);
            }
            // One of them did not run.
            let case = Case {
                release,
                raw: &[&second.raw],
                indexed: &second.indexed,
                programs: &[&second.program, &first.program],
                ignore: None,
            };
            compare(&format!("{what}, which did not run"), &case, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[needs("clangs")]
fn large_counts() {
    let mut wrong = Vec::new();
    let dir = tempfile::tempdir().unwrap();
    for release in releases() {
        std::fs::write(
            dir.path().join("a.c"),
            "int f(int x) { return x > 3 ? 1 : x < 2 ? 3 : 4; }\nint main(void) { return f(3) - 4; }\n",
        )
        .unwrap();
        let path = dir.path().join("a");
        run(Command::new(format!("clang-{release}"))
            .args(["-fprofile-instr-generate", "-fcoverage-mapping", "a.c", "-o", "a"])
            .current_dir(dir.path()));
        let Ran { raw, .. } = profiled(path.clone(), release, &[]);
        let indexed = dir.path().join("many.profdata");
        for counts in [1u64 << 32, 3 << 32 | 5, u64::MAX / 3] {
            let weighted = format!("-weighted-input={counts},{}", raw.display());
            run(Command::new(format!("llvm-profdata-{release}")).arg("merge").arg(weighted).arg("-o").arg(&indexed));
            let case = Case { release, raw: &[&indexed], indexed: &indexed, programs: &[&path], ignore: None };
            compare(&format!("{counts} times"), &case, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Compiles a program of `cargo xtask demo`, and runs one of its workloads.
fn demonstration(dir: &Path, release: u32, program: &testkit::programs::Program) -> Ran {
    let path = dir.join(program.name);
    let mut clang = Command::new(format!("clang-{release}"));
    clang.args(["-fprofile-instr-generate", "-fcoverage-mapping", "-w"]).args(&program.options).args(&program.sources);
    run(clang.args(["-lm", "-o"]).arg(&path));
    let words: Vec<&str> = program.runs[1].words.iter().map(String::as_str).collect();
    profiled(path, release, &words)
}

/// Takes minutes. The JSON of SQLite has 1 GB.
#[test]
#[ignore = "cargo xtask test --all runs it"]
fn lua_and_sqlite() {
    let mut wrong = Vec::new();
    for release in releases() {
        let dir = tempfile::tempdir().unwrap();
        let Ran { program, raw, indexed } = demonstration(dir.path(), release, &testkit::programs::lua().unwrap());
        let case = Case { release, raw: &[&raw], indexed: &indexed, programs: &[&program], ignore: None };
        compare("Lua", &case, &mut wrong);
        if release == 22 {
            let Ran { program, raw, indexed } =
                demonstration(dir.path(), release, &testkit::programs::sqlite().unwrap());
            let case = Case { release, raw: &[&raw], indexed: &indexed, programs: &[&program], ignore: None };
            compare_texts("SQLite", &case, &["report"], &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A new option is one that `llvm-cov` does not have, until somebody says so.
#[test]
fn everything_else_is_refused() {
    let commands = Arguments::command();
    let cov = commands.find_subcommand("cov").unwrap();
    let is_refused = |arg: &&Arg| cov.get_arg_conflicts_with(arg).iter().any(|other| other.get_id() == "compat");
    let mut others: Vec<&str> =
        cov.get_arguments().filter(|arg| !is_refused(arg)).map(|arg| arg.get_id().as_str()).collect();
    others.sort_unstable();
    assert_eq!(others, ["compat", "ignore", "json", "lcov", "object", "profiles", "summary"]);
}

#[test]
fn what_llvm_has_not_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    for arguments in [
        &["--cobertura=x"][..],
        &["--codecov=x"],
        &["--markdown=x"],
        &["--exclude-lines=x"],
        &["--instantiations"],
        &["--path-map=a=b"],
        &["--fail-under=lines=1"],
    ] {
        let mut tool = common::profrt(dir.path());
        let output = tool.args(["cov", "p", "--object=e", "--compat=llvm-22"]).args(arguments).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && text.contains("cannot be used with"), "{text}");
    }
    for wrong in ["llvm-13", "llvm-18", "22", "llvm-"] {
        let mut tool = common::profrt(dir.path());
        let output = tool.args(["cov", "p", "--object=e", "--compat", wrong]).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && text.contains("were compared with llvm-14"), "{text}");
    }
}
