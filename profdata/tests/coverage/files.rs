//! What files have, as `llvm-cov export` prints it.

use needs_macros::needs;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use profdata::File;
use profdata::coverage::{
    Counts, Covered, DecisionCoverage, FileCoverage, Lines, Mapping, Rules, Segment, Summary, lines,
};
use serde_json::{Value, json};

use crate::coverage::functions::{self, decision_value, export, region_value, sorted};
use crate::coverage::objects::rustc;
use crate::coverage::programs::{Ran, for_each, profiled, ran, run};

fn segment(segment: &Segment) -> Value {
    let Segment { start, count, is_entry, is_gap, .. } = segment;
    let number = count.unwrap_or(0).min(i64::MAX as u64);
    json!([start.line, start.column, number, count.is_some(), is_entry, is_gap])
}

/// Returns sums with the names that JSON has.
fn summary(sum: &Summary, release: u32) -> Value {
    let part = |part: Covered| json!([part.count, part.covered]);
    let mut all = json!({
        "branches": part(sum.branches), "functions": part(sum.functions), "instantiations": part(sum.instantiations),
        "lines": part(sum.lines), "regions": part(sum.regions),
    });
    if release >= 19 {
        all["mcdc"] = part(sum.mcdc);
    }
    all
}

/// Returns the same of a summary in JSON.
fn their_summary(all: &Value) -> Value {
    let all = all.as_object().unwrap();
    all.iter().map(|(key, value)| (key.clone(), json!([value["count"], value["covered"]]))).collect()
}

/// Returns the lines of all files that `llvm-cov` prints as lcov.
fn their_lines(release: u32, object: &Path, profile: &Path) -> BTreeMap<String, Vec<(u32, u64)>> {
    let mut tool = Command::new(format!("llvm-cov-{release}"));
    tool.args(["export", "-format=lcov", "-instr-profile"]).arg(profile).arg(object);
    let text = String::from_utf8(run(&mut tool)).unwrap();
    let (mut all, mut file) = (BTreeMap::new(), "");
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("SF:") {
            file = name;
        } else if let Some((line, count)) = line.strip_prefix("DA:").and_then(|line| line.split_once(',')) {
            let line = (line.parse().unwrap(), count.parse().unwrap());
            all.entry(file.to_owned()).or_insert_with(Vec::new).push(line);
        }
    }
    all
}

/// Asserts that a part of a file is what LLVM has.
fn assert_part(what: &str, ours: &[Value], theirs: &[Value]) {
    let at = ours.iter().zip(theirs).position(|(ours, theirs)| ours != theirs).unwrap_or(ours.len().min(theirs.len()));
    let from = at.saturating_sub(4);
    let near = |all: &[Value]| json!(all.iter().skip(from).take(10).collect::<Vec<_>>());
    assert!(ours == theirs, "{what}:\n{}\n{}", near(ours), near(theirs));
}

/// Asserts that each file has what LLVM has.
fn check(release: u32, what: &str, Ran { program: path, indexed, .. }: &Ran) {
    let bytes = std::fs::read(path).unwrap();
    let mut mapping = Mapping::new();
    mapping.add(&bytes).unwrap();
    let all = export(release, &[path], indexed);
    let their_lines = their_lines(release, path, indexed);
    let profile = std::fs::read(indexed).unwrap();
    let file = File::parse(&profile).unwrap();
    let profile = file.to_profile().unwrap();
    let counts = Counts::of(&profile, file.format());
    let mut total = Summary::default();
    for file in all["files"].as_array().unwrap() {
        let name = file["filename"].as_str().unwrap();
        let number = (0..mapping.paths()).find(|number| mapping.path(*number) == name.as_bytes()).unwrap();
        let ours = mapping.file(number, &counts, Rules::Llvm(release));
        let FileCoverage { segments, branches, decisions, summary: sum, left_out, .. } = ours;
        assert_eq!(left_out, []);
        let what = format!("{name}, {what} of {release}");
        let ours: Vec<Value> = segments.iter().map(segment).collect();
        assert_part(&what, &ours, file["segments"].as_array().unwrap());
        let each = |run: Lines| (run.first..=run.last).map(move |line| json!([line, run.count]));
        let ours: Vec<Value> = lines(&segments, Rules::Llvm(release)).flat_map(each).collect();
        assert_part(&what, &ours, &their_lines[name].iter().map(|line| json!(line)).collect::<Vec<_>>());
        assert_part(&what, &[summary(&sum, release)], &[their_summary(&file["summary"])]);
        let ours = branches.iter().map(|(region, counts)| region_value(region, counts)).collect();
        assert_part(&what, &sorted(ours), &sorted(file["branches"].as_array().unwrap().clone()));
        if release >= 19 {
            let value = |decision: &DecisionCoverage| decision_value(release, &decision.region, &decision.vectors);
            let ours = decisions.iter().map(value).collect();
            assert_part(&what, &sorted(ours), &sorted(file["mcdc_records"].as_array().unwrap().clone()));
        }
        total.add(&sum);
    }
    assert_part("totals", &[summary(&total, release)], &[their_summary(&all["totals"])]);
}

/// Of the older releases, `cov_compat` of the tool has the same programs.
#[needs("clangs")]
fn every_program_has_what_llvm_has() {
    for_each(|dir, release, program| {
        let ran = ran(dir, release, program);
        functions::check(release, program.name, &ran);
        check(release, program.name, &ran);
    });
}

#[needs("clangs")]
fn a_program_of_rustc_has_what_llvm_has() {
    let dir = tempfile::tempdir().unwrap();
    rustc(dir.path(), &["-o", "rust"]);
    let ran = profiled(dir.path().join("rust"), 22, &[]);
    functions::check(22, "rustc", &ran);
    check(22, "rustc", &ran);
}
