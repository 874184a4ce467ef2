//! Profiles for the tests of merges, and their reports.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Output;

use profdata::Profile;
use profdata::name::name_hash;
use profdata::read;
use profdata::read::ReadOptions;
use profrt_format::{Encoding, RawVersion, RecordShape};
use serde_json::Value;

use super::{ended, profile, profrt};

/// The functions of [`named`], with their counters.
pub const FUNCTIONS: [(&str, &[u64]); 3] = [("one", &[5, 0]), ("two", &[7]), ("three", &[1 << 40, 0, 1, 3])];

/// The sum of their counters.
pub const COUNTS: u64 = 5 + 7 + (1 << 40) + 4;

/// [`profile`] with functions that have their names and hashes of their own.
pub fn named(version: RawVersion, encoding: Encoding) -> super::Profile {
    let mut made = profile(version, encoding);
    let shape = RecordShape::of(version, encoding.word);
    for ((name, _), record) in FUNCTIONS.iter().zip(made.sections.data.bytes.chunks_mut(shape.size as usize)) {
        record[shape.name_ref..][..8].copy_from_slice(&encoding.u64_bytes(name_hash(name.as_bytes())));
        record[shape.func_hash..][..8].copy_from_slice(&encoding.u64_bytes(1000 + name.len() as u64));
    }
    made
}

/// A text profile of IR instrumentation: functions with one counter each.
pub fn text(functions: &[(&str, u64)]) -> String {
    let record = |(name, count): &(&str, u64)| format!("{name}\n7\n1\n{count}\n");
    format!(":ir\n{}", functions.iter().map(record).collect::<String>())
}

/// Runs `profrt` with arguments in a directory.
pub fn run_in(directory: &Path, arguments: &[&str]) -> Output {
    ended(profrt(directory).args(arguments))
}

/// Runs `profrt merge` with a report; returns the report, and standard error.
pub fn merge(directory: &Path, arguments: &[&str]) -> (Value, String) {
    let output =
        ended(profrt(directory).args(["merge", "--json", "report.json", "-o", "out.profdata"]).args(arguments));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() < Some(2), "{arguments:?}: {error}");
    let report = std::fs::read(directory.join("report.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["status"], output.status.code().unwrap(), "{error}");
    (report, error)
}

/// The input of a report with this name.
pub fn input<'a>(report: &'a Value, name: &str) -> &'a Value {
    let inputs = report["inputs"].as_array().unwrap();
    inputs.iter().find(|input| input["name"] == name).unwrap_or_else(|| panic!("no {name} in {report:#}"))
}

/// Runs `profrt report quality`; returns exit status, standard output and standard error.
pub fn quality(directory: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = run_in(directory, &[&["quality"], arguments].concat());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The report of `profrt report quality`; its exit status must be that of the command.
pub fn quality_report(directory: &Path, arguments: &[&str]) -> Value {
    let (code, out, error) = quality(directory, &[arguments, &["--json"]].concat());
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{arguments:?}: {error}"));
    assert_eq!((&report["status"], &report["schema"]), (&code.into(), &"profrt-quality-1".into()), "{error}");
    report
}

/// Name, counters and targets of a function with a call site.
pub type FunctionWithSite<'a> = (&'a str, &'a str, &'a [(String, u64)]);

/// A text profile of functions with a call site each.
pub fn sites(functions: &[FunctionWithSite<'_>]) -> String {
    let mut text = String::from(":ir\n");
    for (name, counters, targets) in functions {
        let numbers: Vec<&str> = counters.split(' ').collect();
        writeln!(text, "{name}\n7\n{}\n{}\n1\n0\n1\n{}", numbers.len(), numbers.join("\n"), targets.len()).unwrap();
        targets.iter().for_each(|(target, count)| writeln!(text, "{target}:{count}").unwrap());
        text.push('\n');
    }
    text
}

/// The profile in a file.
pub fn load(path: &Path) -> Profile {
    let mut profile = Profile::new();
    read(&std::fs::read(path).unwrap(), &ReadOptions::default(), &mut profile).unwrap();
    profile.sort();
    profile
}

/// The functions of a profile with their counters.
pub fn counters(path: &Path) -> Vec<(String, Vec<u64>)> {
    let name = |bytes: Option<&[u8]>| String::from_utf8(bytes.unwrap_or(b"?").to_vec()).unwrap();
    load(path).records().map(|record| (name(record.name.bytes), record.counters.to_vec())).collect()
}
