//! `profrt merge` of inputs that could count wrongly without a word.

mod common;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use common::profiles::*;
use common::*;
use serde_json::json;

fn write_all(directory: &Path, files: &[(&str, String)]) {
    files.iter().for_each(|(name, content)| fs::write(directory.join(name), content).unwrap());
}

fn output(directory: &Path) -> Vec<u8> {
    fs::read(directory.join("out.profdata")).unwrap()
}

/// A function with these counters.
fn function(name: &str, counters: &[u64]) -> String {
    let lines: String = counters.iter().map(|count| format!("{count}\n")).collect();
    format!(":ir\n{name}\n7\n{}\n{lines}", counters.len())
}

#[test]
fn inputs_with_both_names_of_a_function_vote_one_by_one() {
    let dir = tempfile::tempdir().unwrap();
    let old = ["o1.proftext", "o2.proftext", "o3.proftext"];
    old.iter().for_each(|name| write_all(dir.path(), &[(name, function("a.c:f", &[10, 2]))]));
    // Another size, under the other name, in one input.
    write_all(dir.path(), &[("n.proftext", function("a.c;f", &[1, 1, 1]))]);
    for (target, name) in [(&["--for", "clang-22"][..], "a.c;f"), (&["--for", "clang-16"], "a.c:f"), (&[], "a.c;f")] {
        let (report, error) = merge(dir.path(), &[&old[..], &["n.proftext"], target].concat());
        let found = counters(&dir.path().join("out.profdata"));
        assert_eq!(found, [(name.to_owned(), vec![30, 6])], "{target:?} {error}");
        assert_eq!((&report["totals"]["counts_lost"], &report["renamed"]), (&json!(3), &json!(1)), "{error}");
        let finding = &report["findings"][0];
        assert_eq!(
            (&finding["input"], &finding["kind"], &finding["function"]["name"]),
            (&json!("n.proftext"), &json!("counter-mismatch"), &json!(name))
        );
        let expected = output(dir.path());
        // Groups of any size, which have names as they are.
        for split in 1..4 {
            let all = [&old[..], &["n.proftext"]].concat();
            let (first, second) = all.split_at(split);
            for (group, inputs) in [("1.profpart", first), ("2.profpart", second)] {
                let arguments = [&["merge", "--partial", "-q", "-o", group], inputs].concat();
                run(profrt(dir.path()).args(arguments));
            }
            merge(dir.path(), &[&["2.profpart", "1.profpart"], target].concat());
            assert!(output(dir.path()) == expected, "{target:?} {split}");
        }
        run(profrt(dir.path()).args(["convert", "-q", "1.profpart", "--to", "clang-22", "-o", "c.profdata"]));
    }
}

#[test]
fn values_of_both_names_are_added_before_sites_are_cut() {
    let dir = tempfile::tempdir().unwrap();
    let with = |delimiter: char, own: std::ops::Range<u64>| {
        let mut text = format!(":ir\na.c{delimiter}f\n7\n1\n10\n1\n1\n1\n{}\n", own.clone().count() + 1);
        own.for_each(|value| writeln!(text, "{value}:100").unwrap());
        writeln!(text, "9999:99").unwrap();
        text
    };
    write_all(dir.path(), &[("v1.proftext", with(':', 0..255)), ("v2.proftext", with(';', 1000..1255))]);
    merge(dir.path(), &["v1.proftext", "v2.proftext", "--for", "clang-22"]);
    let out = load(&dir.path().join("out.profdata"));
    let values = out.records().next().unwrap().values.unwrap().kinds[1].values().to_vec();
    assert_eq!((values.len(), values[0].value, values[0].count), (255, 9999, 198));
}

#[test]
fn equal_inputs_with_two_weights_count_once_with_the_larger() {
    let dir = tempfile::tempdir().unwrap();
    write_all(dir.path(), &[("a.proftext", text(&[("main", 151)])), ("b.proftext", text(&[("main", 151)]))]);
    let mut outputs = Vec::new();
    for order in [["a.proftext", "b.proftext"], ["b.proftext", "a.proftext"]] {
        for more in [&[][..], &["-j", "3"], &["--normalize"]] {
            let (report, error) =
                merge(dir.path(), &[&order[..], &["--drop-equal", "--weight", "b*=100"], more].concat());
            let duplicates = json!([{"input": "a.proftext", "same_as": "b.proftext", "by": "content"}]);
            assert_eq!((&report["duplicates"], &report["totals"]["inputs"]), (&duplicates, &json!(1)), "{error}");
            assert_eq!(counters(&dir.path().join("out.profdata"))[0].1, [15_100]);
            outputs.push(output(dir.path()));
        }
    }
    assert!(outputs.windows(2).all(|pair| pair[0] == pair[1]));
    let (report, _) = merge(dir.path(), &["a.proftext", "b.proftext", "--weight", "b*=100"]);
    assert_eq!(report["equal"], json!([{"input": "b.proftext", "same_as": "a.proftext", "by": "content"}]));
}

#[cfg(unix)]
#[test]
fn a_pipe_that_is_given_twice_counts_once() {
    use std::time::{Duration, Instant};
    let dir = tempfile::tempdir().unwrap();
    run(std::process::Command::new("mkfifo").arg(dir.path().join("pipe")));
    let arguments = ["merge", "pipe", "./pipe", "--report", "report.json", "-o", "out.profdata"];
    let mut child = profrt(dir.path()).args(arguments).spawn().unwrap();
    fs::write(dir.path().join("pipe"), text(&[("main", 5)])).unwrap();
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("it waits for the pipe once more");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(status.success());
    let report: serde_json::Value = serde_json::from_slice(&fs::read(dir.path().join("report.json")).unwrap()).unwrap();
    assert_eq!(report["duplicates"], json!([{"input": "./pipe", "same_as": "pipe", "by": "file"}]));
}
