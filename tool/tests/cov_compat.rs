//! `profrt cov --compat`: what `llvm-cov` of each installed release writes.

mod common;
#[allow(dead_code, reason = "the tests of profdata use all of it")]
#[path = "../../profdata/tests/coverage/programs.rs"]
mod programs;

use std::path::Path;
use std::process::Command;

use programs::{Program, RELEASES, Ran, for_each, has_release, profiled, program, ran, run};
use serde_json::Value;

/// Profiles and programs, and options of both tools.
struct Case<'c> {
    release: u32,
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
fn ours(case: &Case<'_>, profiles: &[&Path], output: &str) -> Vec<u8> {
    let mut tool = common::profrt(Path::new("/"));
    tool.arg("cov").args(profiles).arg(format!("--compat=llvm-{}", case.release)).args([output, "-"]);
    case.programs.iter().for_each(|program| _ = tool.arg("--elf").arg(program));
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
    for (kind, profiles) in [("raw", case.raw), ("indexed", &[case.indexed])] {
        let what = format!("{what} of {}, {kind}", case.release);
        let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap();
        let own = json(&ours(case, profiles, "--json"));
        compare_values(&format!("{what}, JSON: "), &own, &json(&theirs(case, &["export"])), wrong);
        let own = ours(case, profiles, "--lcov");
        compare_lines(&format!("{what}, lcov"), &own, &theirs(case, &["export", "-format=lcov"]), wrong);
        let own = ours(case, profiles, "--summary");
        compare_lines(&format!("{what}, report"), &own, &theirs(case, &["report"]), wrong);
    }
}

#[test]
fn every_program_has_the_outputs_of_llvm() {
    let mut wrong = Vec::new();
    for_each(|dir, release, program| {
        let Ran { program: path, raw, indexed } = ran(dir, release, program);
        let case = Case { release, raw: &[&raw], indexed: &indexed, programs: &[&path], ignore: None };
        compare(program.name, &case, &mut wrong);
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
