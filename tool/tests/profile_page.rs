//! `profrt report`: the numbers in the page are those of `profrt show`, `profrt report quality` and LLVM's summary. `tests/pages` looks at pages in a
//! browser.

use needs_macros::needs;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::common;
use crate::common::profiles::*;
use crate::common::program::{build, profile_of};
use crate::common::run;
use flate2::read::DeflateDecoder;
use regex::Regex;
use serde_json::{Value, json};

/// Returns what the page has as data: the index and the block, as the page's scripts read them.
fn data(page: &str) -> (Value, Value) {
    let between = |from: &str| page.split_once(from).unwrap().1.split_once("</script>").unwrap().0;
    let index = serde_json::from_str(between("id=\"index\">")).unwrap();
    let bits: String = between("class=\"block\">").chars().map(|c| format!("{:07b}", c as u32 & 127)).collect();
    let bytes =
        bits.as_bytes().chunks_exact(8).map(|byte| u8::from_str_radix(str::from_utf8(byte).unwrap(), 2).unwrap());
    let mut text = String::new();
    DeflateDecoder::new(&*bytes.collect::<Vec<u8>>()).read_to_string(&mut text).unwrap();
    (index, serde_json::from_str(&text).unwrap())
}

/// Runs `profrt report`; returns what the page has.
fn page(dir: &Path, arguments: &[&str]) -> (Value, Value) {
    run(common::profrt(dir).arg("report").args(arguments).args(["--html", "page.html"]));
    data(&fs::read_to_string(dir.join("page.html")).unwrap())
}

fn json_of(dir: &Path, arguments: &[&str]) -> Value {
    serde_json::from_slice(&run(common::profrt(dir).args(arguments).arg("--json"))).unwrap()
}

/// Returns those of the functions that have a value here, by name and hash.
fn of(data: &Value, is_wanted: impl Fn(&Value) -> bool) -> Vec<&Value> {
    data["functions"].as_array().unwrap().iter().filter(|function| is_wanted(function)).collect()
}

#[needs("clangs")]
fn numbers_are_those_of_show_and_quality() {
    for clang in common::compilers() {
        for flags in [&["-fprofile-generate"][..], &["-fprofile-instr-generate"]] {
            let what = format!("clang {} {flags:?}", clang.version);
            let dir = tempfile::tempdir().unwrap();
            let dir = dir.path();
            build(&clang, dir, "app", flags);
            build(&clang, dir, "changed", &[flags, &["-DCHANGED"]].concat());
            profile_of(dir, "app");
            let (index, data) = page(dir, &["app.profraw", "--object", "changed"]);
            let show = json_of(dir, &["show", "app.profraw", "--all", "--targets", "--memory"]);
            let quality = quality_report(dir, &["app.profraw", "--object", "changed"]);
            assert_eq!(index["sides"][0]["summary"], show["summary"], "{what}");
            assert_eq!((&data["targets"], &data["memory"]), (&show["targets"], &show["memory"]), "{what}");
            let recorded = of(&data, |function| function["sides"][0].is_array());
            let mine: BTreeSet<String> = recorded
                .iter()
                .map(|function| {
                    let counts = &function["sides"][0];
                    json!([function["name"], function["symbol"], function["hash"], counts[1], counts[2]]).to_string()
                })
                .collect();
            let theirs = show["functions"].as_array().unwrap().iter().map(|function| {
                let key = ["name", "symbol", "hash", "largest_count", "counts"].map(|key| &function[key]);
                json!(key).to_string()
            });
            assert_eq!(mine, theirs.collect(), "{what}");
            let hot = recorded.iter().filter(|function| function["sides"][0][3] == "hot").count();
            assert_eq!(show["summary"]["hot_functions"], hot, "{what}");
            let state = |name: &str| of(&data, |function| function["state"] == name);
            assert_eq!(state("stale").len(), quality["profile"]["stale_records"], "{what}");
            assert_eq!(state("not in the program").len(), quality["profile"]["records_not_in_program"], "{what}");
            assert_eq!(state("no record").len(), quality["functions"]["without_profile"], "{what}");
            let names: Vec<&Value> = state("no record").iter().map(|function| &function["name"]).collect();
            assert_eq!(names, ["added(int)"], "{what}");
            let helper = of(&data, |function| function["symbol"].as_str().unwrap().ends_with("_ZL6helperi"));
            let place = &helper[0]["place"];
            let path = data["paths"][place[0].as_u64().unwrap() as usize].as_str().unwrap();
            let source = fs::read_to_string(dir.join("p.cpp")).unwrap();
            let line = source.lines().position(|line| line.contains("static int helper")).unwrap() + 1;
            assert!(path.ends_with("/p.cpp") && place[1] == line, "{what}: {path} {place}");
        }
    }
}

#[needs("clangs")]
fn hot_functions_have_their_lines_with_the_counts_of_cov() {
    let clang = common::newest();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    build(&clang, dir, "app", &["-fprofile-instr-generate", "-fcoverage-mapping"]);
    profile_of(dir, "app");
    let (_, data) = page(dir, &["app.profraw", "--object", "app"]);
    let cov = run(common::profrt(dir).args(["cov", "app.profraw", "--object", "app", "--json", "-"]));
    let cov: Value = serde_json::from_slice(&cov).unwrap();
    let counts: BTreeMap<u64, &Value> =
        cov["files"][0]["lines"].as_array().unwrap().iter().map(|line| (line[0].as_u64().unwrap(), &line[1])).collect();
    let text = fs::read_to_string(dir.join("p.cpp")).unwrap();
    let mut shown = 0;
    for function in of(&data, |_| true) {
        assert_eq!(function["source"].is_object(), function["sides"][0][3] == "hot", "{function}");
        let lines = function["source"]["lines"].as_array().into_iter().flatten();
        for (number, line) in (function["source"]["first"].as_u64().unwrap_or(0)..).zip(lines) {
            assert_eq!(line[0], *text.lines().nth(number as usize - 1).unwrap());
            assert_eq!(line[1], *counts.get(&number).copied().unwrap_or(&Value::Null), "line {number}");
            shown += 1;
        }
    }
    assert!(shown > 3, "{shown}");
    // One that has changed since, and none at all.
    let none = || {
        let (_, data) = page(dir, &["app.profraw", "--object", "app"]);
        assert!(of(&data, |function| function["source"].is_object()).is_empty());
    };
    let later = SystemTime::now() + Duration::from_secs(60);
    fs::File::options().write(true).open(dir.join("p.cpp")).unwrap().set_modified(later).unwrap();
    none();
    fs::remove_file(dir.join("p.cpp")).unwrap();
    none();
}

#[needs("clangs")]
fn limits_are_those_of_llvm() {
    let cutoffs = profdata::summary::CUTOFFS.map(|cutoff| cutoff.to_string()).join(",");
    let cutoffs = format!("--detailed-summary-cutoffs={cutoffs}");
    let row = Regex::new(r"^(\d+) blocks (?:\(.*\) )?with count >= (\d+) account for ([\d.]+)").unwrap();
    for clang in common::compilers() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        build(&clang, dir, "app", &["-fprofile-generate"]);
        profile_of(dir, "app");
        run(Command::new(&clang.profdata).current_dir(dir).args(["merge", "app.profraw", "-o", "app.profdata"]));
        let show = run(Command::new(&clang.profdata).current_dir(dir).args([
            "show",
            "--detailed-summary",
            &cutoffs,
            "app.profdata",
        ]));
        let show = String::from_utf8(show).unwrap();
        let theirs: BTreeMap<u64, [u64; 2]> = show
            .lines()
            .filter_map(|line| row.captures(line))
            .map(|found| {
                let share: f64 = found[3].parse().unwrap();
                ((share * 10_000.0).round() as u64, [&found[2], &found[1]].map(|number| number.parse().unwrap()))
            })
            .collect();
        let (index, data) = page(dir, &["app.profdata", "--object", "app"]);
        let limits = &index["sides"][0]["limits"];
        let rows = limits["cutoffs"].as_array().unwrap();
        let mine = rows.iter().map(|row| (row[0].as_u64().unwrap(), [1, 2].map(|at: usize| row[at].as_u64().unwrap())));
        assert_eq!(mine.collect::<BTreeMap<_, _>>(), theirs, "clang {}", clang.version);
        let (hot, cold) = (theirs[&990_000][0], theirs[&999_999][0]);
        assert_eq!((&limits["hot"], &limits["cold"]), (&hot.into(), &cold.into()));
        for function in data["functions"].as_array().unwrap() {
            let largest = function["sides"][0][1].as_u64().unwrap();
            let class = if largest == 0 {
                "never-ran"
            } else if largest >= hot {
                "hot"
            } else if largest > cold {
                "warm"
            } else {
                "cold"
            };
            assert_eq!(function["sides"][0][3], class, "{function}");
        }
        let curve = index["sides"][0]["curve"].as_array().unwrap();
        let at_99 = curve.iter().find(|point| point[1].as_f64().unwrap() >= 99.0).unwrap();
        assert_eq!(at_99[0], theirs[&990_000][1]);
    }
}

#[test]
fn two_profiles_are_one_table() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let hot = 1_000_000;
    fs::write(dir.join("a"), text(&[("stays", hot), ("cools", hot), ("gone", 5), ("x.c;local", 7)])).unwrap();
    let after = text(&[("stays", 2 * hot), ("cools", 1), ("new", 3), ("x.c:local", 9)]);
    fs::write(dir.join("b"), after + "changed\n8\n1\n4\n").unwrap();
    fs::write(dir.join("a"), fs::read_to_string(dir.join("a")).unwrap() + "changed\n7\n1\n4\n").unwrap();
    let (index, data) = page(dir, &["a", "b"]);
    let names: Vec<&Value> = index["sides"].as_array().unwrap().iter().map(|side| &side["input"]).collect();
    assert_eq!(names, ["a", "b"]);
    let found: BTreeSet<String> = of(&data, |_| true)
        .iter()
        .map(|function| format!("{} {} {}", function["symbol"], function["hash"], function["sides"]))
        .collect();
    let row = |name: &str, hash: &str, before: Value, after: Value| {
        format!("\"{name}\" \"{hash}\" {}", json!([before, after]))
    };
    let of = |count: u64, class: &str| json!([count, count, count, class]);
    let wanted = [
        row("stays", "0x7", of(hot, "hot"), of(2 * hot, "hot")),
        row("cools", "0x7", of(hot, "hot"), of(1, "cold")),
        row("gone", "0x7", of(5, "warm"), Value::Null),
        row("new", "0x7", Value::Null, of(3, "cold")),
        row("x.c:local", "0x7", of(7, "warm"), of(9, "warm")),
        row("changed", "0x7", of(4, "cold"), Value::Null),
        row("changed", "0x8", Value::Null, of(4, "warm")),
    ];
    assert_eq!(found, BTreeSet::from(wanted));
}

#[test]
fn what_cannot_be_told_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("a"), text(&[("</script><script>f()", u64::MAX - 9)])).unwrap();
    let (index, data) = page(dir, &["a"]);
    assert!(index["notes"][0].as_str().unwrap().contains("no program is named with --object"), "{index:#}");
    assert_eq!(data["functions"][0]["sides"][0][2], u64::MAX - 9);
    let html = fs::read_to_string(dir.join("page.html")).unwrap();
    assert!(
        html.matches("</script>").count() == 3 && !html.contains("<script>f()"),
        "the script, the index, the block"
    );
    let output = run(common::profrt(dir).args(["report", "a", "--html", "-"]));
    assert_eq!(String::from_utf8(output).unwrap(), html);

    let refused = |arguments: &[&str], why: &str| {
        let output = run_in(dir, &[&["report"], arguments].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && error.contains(why), "{error}");
    };
    refused(&["a"], "--html");
    refused(&["a", "--html", "a"], "would replace the input a");
    fs::write(dir.join("empty"), ":ir\n").unwrap();
    refused(&["a", "empty", "--html", "x"], "empty: the profile has no functions");
    refused(&["a", "--object", "a", "--html", "x"], "a cannot be used");
    fs::write(dir.join("front"), "f\n7\n1\n4\n").unwrap();
    refused(&["a", "front", "--html", "x"], "IR");
    assert!(!dir.join("x").exists());
}
