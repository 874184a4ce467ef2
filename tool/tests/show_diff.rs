//! `profrt show` and `profrt report diff`: numbers that are counted by hand, text for people, JSON for machines, and their exit status.

use needs_macros::needs;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common;
use crate::common::profiles::*;
use serde_json::{Value, json};

/// Runs a command; returns its exit status, standard output and standard error.
fn said(directory: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = run_in(directory, arguments);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn json_of(directory: &Path, arguments: &[&str]) -> Value {
    let (code, out, error) = said(directory, &[arguments, &["--json"]].concat());
    assert_eq!(code, 0, "{error}");
    serde_json::from_str(&out).unwrap()
}

const PROFILE: &str = "\
:ir
:entry_first
_ZN3app3runEv
11
3
10
600
0
2
0
2
2
_ZN3app4stepEv:70
a.c;helper:20
0
1
1
2
8:30
16:10

a.c;helper
12
1
290
_RNvC6_123foo3bar
13
2
100
0
never
14
2
0
0
";

#[test]
fn totals_and_hottest_functions() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.proftext"), PROFILE).unwrap();
    let shown = json_of(dir.path(), &["show", "a.proftext"]);
    let expected = json!({
        "functions": 4, "functions_that_ran": 3, "counters": 8, "counters_that_ran": 4, "counts": 1000,
        "largest_count": 600, "hot_count": 100, "hot_counters": 3, "hot_functions": 3, "binary_ids": [],
        "temporal_traces": 0,
    });
    assert_eq!(shown["summary"], expected);
    assert_eq!((&shown["schema"], &shown["kind"]), (&"profrt-show-1".into(), &"IR, entries first".into()));
    let functions: Vec<_> = shown["functions"].as_array().unwrap().iter().collect();
    let names: Vec<&Value> = functions.iter().map(|function| &function["name"]).collect();
    assert_eq!(names, ["app::run()", "a.c;helper", "123foo::bar"]);
    assert_eq!((&functions[0]["counts"], &functions[0]["share"]), (&610.into(), &61.0.into()));
    assert_eq!(functions[0]["symbol"], "_ZN3app3runEv");

    let (code, text, error) = said(dir.path(), &["show", "a.proftext", "--top", "1", "--targets", "--memory"]);
    assert_eq!((code, error.as_str()), (0, ""));
    for line in [
        "a.proftext: text; IR, entries first\n",
        "  functions                            4   3 ran (75.00 %)\n",
        "  hot from                           100   99 % of the counts are in 3 counters of 3 functions\n",
        "61.00 %                   610             600  app::run()\n",
        "  app::run(): call site 0: 90 times\n    77.77 %  0x",
        "    22.22 %  a.c;helper\n",
        "  app::run(): memory site 0: 40 times\n    75.00 %  8 bytes\n    25.00 %  16 bytes\n",
    ] {
        assert!(text.contains(line), "{line:?} is not in\n{text}");
    }
    assert!(!text.contains("123foo::bar") && !text.contains('\u{1b}'), "{text}");
}

#[test]
fn all_functions_are_those_that_never_ran_too() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.proftext"), PROFILE).unwrap();
    let shown = json_of(dir.path(), &["show", "a.proftext", "--all", "--memory"]);
    let names: Vec<&Value> = shown["functions"].as_array().unwrap().iter().map(|function| &function["name"]).collect();
    assert_eq!(names, ["app::run()", "a.c;helper", "123foo::bar", "never"]);
    let (_, all, _) = said(dir.path(), &["show", "a.proftext", "--all", "--targets"]);
    for line in [
        "share                counts         largest  all functions\n",
        "    0 %                     0               0  never\n",
    ] {
        assert!(all.contains(line), "{line:?} is not in\n{all}");
    }
    // A call that no run has made.
    assert!(all.contains("  app::run(): call site 1: 0 times\n"), "{all}");
    let (_, top, _) = said(dir.path(), &["show", "a.proftext", "--top", "9", "--targets"]);
    assert!(!top.contains("never") && !top.contains("site 1"), "{top}");
}

/// Ordinary counts, and those of the second round, which have bit 60 in their hashes.
#[needs("clang-22")]
fn each_kind_of_counts_has_its_own_hot_ones() {
    let dir = tempfile::tempdir().unwrap();
    let context = "main\n1152921504606846983\n2\n4000\n6\nb\n1152921504606846983\n1\n2000\n";
    let both = format!(":csir\nmain\n7\n2\n900\n9\na\n7\n1\n100\nc\n7\n1\n1\n{context}");
    fs::write(dir.path().join("both.proftext"), both).unwrap();
    fs::write(dir.path().join("cs.proftext"), format!(":csir\n{context}")).unwrap();
    let context = json!({
        "functions": 2, "functions_that_ran": 2, "counters": 3, "counters_that_ran": 3, "counts": 6006, "largest_count": 4000,
        "hot_count": 2000, "hot_counters": 2, "hot_functions": 2,
    });
    let ordinary = ("100", "ordinary");
    for (input, expected, rows) in [
        ("both.proftext", json!([5, 7016, 100, 2, 2]), &[ordinary, ("2,000", "context-sensitive")][..]),
        ("cs.proftext", json!([2, 6006, 2000, 2, 2]), &[("2,000", "context-sensitive")]),
    ] {
        let shown = json_of(dir.path(), &["show", input]);
        let summary = &shown["summary"];
        let fields = ["functions", "counts", "hot_count", "hot_counters", "hot_functions"].map(|field| &summary[field]);
        assert_eq!((json!(fields), &summary["context_sensitive"]), (expected, &context), "{input}");
        assert_eq!(shown["functions"][0]["context_sensitive"], true);
        let (_, text, _) = said(dir.path(), &["show", input]);
        for (from, kind) in rows {
            let row = format!("{from:>30}   99 % of the {kind} counts are in 2 counters of 2 functions\n");
            assert!(text.contains(&format!("\n  hot from{row}")), "{row:?} is not in\n{text}");
        }
        let quality = json_of(dir.path(), &["quality", input]);
        let hot = &quality["hot"];
        assert_eq!((&hot["from"], &hot["context_sensitive_from"]), (&summary["hot_count"], &json!(2000)), "{input}");
    }
    // LLVM's tool says the same of each kind.
    for (option, line) in
        [("-showcs=0", "2 blocks (50.00%) with count >= 100 "), ("-showcs", "2 blocks (66.67%) with count >= 2000 ")]
    {
        let mut tool = Command::new("llvm-profdata-22");
        let output = tool.current_dir(dir.path()).args(["show", "-detailed-summary", option, "both.proftext"]).output();
        let output = output.unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(&format!("{line}account for 99% of the total counts.")), "{text}");
    }
}

/// Hashes of the front end use all bits: the same as LLVM's tool says.
#[test]
fn counts_of_the_front_end_are_of_one_kind() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.proftext"), "main\n1152921504606846983\n1\n900\n\na\n7\n1\n100\n\nb\n7\n1\n1\n")
        .unwrap();
    let summary = &json_of(dir.path(), &["show", "a.proftext"])["summary"];
    let fields = ["hot_count", "hot_counters", "hot_functions", "context_sensitive"].map(|field| &summary[field]);
    assert_eq!(json!(fields), json!([100, 2, 2, null]));
}

/// `a.c:f` up to LLVM 17 is `a.c;f` later.
#[test]
fn names_of_another_release_are_no_difference() {
    let dir = tempfile::tempdir().unwrap();
    let newer = text(&[("a.c;leaf", 600), ("main", 300), ("a.c;idle", 0), ("b.c;only", 100)]);
    fs::write(dir.path().join("newer.proftext"), &newer).unwrap();
    fs::write(dir.path().join("older.proftext"), newer.replace(';', ":")).unwrap();
    // A merge of both that keeps the names has the counts of a function twice.
    fs::write(dir.path().join("mixed.proftext"), format!("{newer}a.c:leaf\n7\n1\n0\n")).unwrap();
    for (before, after) in
        [("older", "newer"), ("newer", "older"), ("mixed", "older"), ("older", "mixed"), ("mixed", "mixed")]
    {
        let [before, after] = [before, after].map(|name| format!("{name}.proftext"));
        let difference = json_of(dir.path(), &["diff", &before, &after, "--fail-under-overlap", "100%"]);
        let numbers = ["/overlap", "/common", "/gained/number", "/lost/number", "/changed/number", "/hot/churn"];
        let numbers = numbers.map(|number| difference.pointer(number).unwrap());
        assert_eq!(json!(numbers), json!([100.0, 4, 0, 0, 0, 0.0]), "{before} {after}");
        assert!(difference["renamed"].as_u64().unwrap() > 0);
    }
    let (_, text, _) = said(dir.path(), &["diff", "older.proftext", "newer.proftext"]);
    assert!(text.contains("\n  renamed                              3   "), "{text}");
    let same = json_of(dir.path(), &["diff", "older.proftext", "older.proftext"]);
    assert_eq!(same["renamed"], 0);
}

/// Two names that differ only in bytes that are not UTF-8.
#[test]
fn names_that_differ_stay_different() {
    let dir = tempfile::tempdir().unwrap();
    let profile = |counts: [&str; 2]| {
        [&b":ir\nf\xff\n7\n1\n"[..], counts[0].as_bytes(), b"\nf\xfe\n7\n1\n", counts[1].as_bytes(), b"\n"].concat()
    };
    fs::write(dir.path().join("a.proftext"), profile(["900", "100"])).unwrap();
    fs::write(dir.path().join("b.proftext"), profile(["100", "900"])).unwrap();
    for (command, list) in
        [(&["show", "a.proftext"][..], "functions"), (&["diff", "a.proftext", "b.proftext"], "moved")]
    {
        let shown = json_of(dir.path(), command);
        for field in ["name", "symbol"] {
            let mut names: Vec<&str> = (0..2).map(|place| shown[list][place][field].as_str().unwrap()).collect();
            names.sort_unstable();
            assert_eq!(names, ["f\\xfe", "f\\xff"], "{command:?}");
        }
    }
    let one = json_of(dir.path(), &["show", "a.proftext", "-f", "f\\xfe"]);
    assert_eq!(one["functions"][0]["counts"], 100);
    // The report of a merge: the function has another number of counters.
    fs::write(dir.path().join("c.proftext"), b":ir\nf\xff\n7\n2\n1\n2\n").unwrap();
    let (report, error) = merge(dir.path(), &["a.proftext", "c.proftext"]);
    assert_eq!(report["findings"][0]["function"]["name"], "f\\xff", "{error}");
}

/// `profrt show --all | head -1`
#[cfg(unix)]
#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let dir = tempfile::tempdir().unwrap();
    let many: Vec<(String, u64)> = (0..20_000).map(|number| (format!("function_{number}"), number)).collect();
    let many: Vec<(&str, u64)> = many.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    fs::write(dir.path().join("a.proftext"), text(&many)).unwrap();
    for arguments in [&["show", "a.proftext", "--all"][..], &["diff", "a.proftext", "a.proftext", "--json", "--all"]] {
        let mut command = common::profrt(dir.path());
        command.args(arguments).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let output = common::end(child, "a command without a reader");
        assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
    }
}

#[test]
fn one_function() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.proftext"), PROFILE).unwrap();
    for name in ["_ZN3app3runEv", "app::run()", "app::"] {
        let (code, text, _) = said(dir.path(), &["show", "a.proftext", "-f", name]);
        assert_eq!(code, 0);
        for line in [
            "app::run()\n  symbol    _ZN3app3runEv\n  hash      0xb\n  counts    610 (61.00 % of all)\n  counters  10 600 0\n",
            "  call site 0: 90 times\n",
            "  call site 1: 0 times\n",
            "  memory site 0: 40 times\n",
        ] {
            assert!(text.contains(line), "{line:?} is not in\n{text}");
        }
        assert!(!text.contains("helper\n  hash"), "{text}");
    }
    let shown = json_of(dir.path(), &["show", "a.proftext", "-f", "helper"]);
    assert_eq!(shown["functions"].as_array().unwrap().len(), 1);
    assert_eq!(shown["functions"][0]["details"]["counters"], json!([290]));
    let (code, out, error) = said(dir.path(), &["show", "a.proftext", "-f", "absent"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(error.contains("no function of a.proftext is called absent"), "{error}");
}

/// The names of vtables come with a merge.
#[test]
fn vtables_have_names() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.proftext"), ":ir\nmain\n7\n1\n5\n1\n2\n1\n1\n_ZTV1A:9\n").unwrap();
    merge(dir.path(), &["a.proftext"]);
    let shown = json_of(dir.path(), &["show", "out.profdata", "--targets"]);
    let values = json!([{"value": "{vtable(A)}", "count": 9}]);
    assert_eq!((&shown["targets"][0]["kind"], &shown["targets"][0]["values"]), (&"vtable".into(), &values));
}

#[test]
fn damage_is_said_and_the_rest_shown() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.proftext"), PROFILE).unwrap();
    fs::write(dir.path().join("b.proftext"), format!("{}cut\n1\n5\n1\n", text(&[("more", 50)]))).unwrap();
    fs::write(dir.path().join("c.profraw"), "").unwrap();
    let (code, out, error) = said(dir.path(), &["show", "a.proftext", "b.proftext", "c.profraw"]);
    assert_eq!(code, 1);
    assert!(out.contains("  counts                           1,050\n"), "{out}");
    assert!(
        error.contains("damaged: b.proftext") && error.contains("damaged: c.profraw: input: the input is empty"),
        "{error}"
    );
    let (code, out, error) = said(dir.path(), &["show", "c.profraw"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(error.contains("no profile can be read from c.profraw"), "{error}");
}

/// The same totals as LLVM's tool.
#[needs("clang-22")]
fn totals_are_those_of_llvm_profdata() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.proftext"), PROFILE).unwrap();
    merge(dir.path(), &["a.proftext"]);
    let mut tool = Command::new("llvm-profdata-22");
    let output = tool.current_dir(dir.path()).args(["show", "-detailed-summary", "out.profdata"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let shown = json_of(dir.path(), &["show", "out.profdata"]);
    let number = |field: &str| shown["summary"][field].as_u64().unwrap();
    for line in [
        format!("Total functions: {}\n", number("functions")),
        format!("Total number of blocks: {}\n", number("counters")),
        format!("Total count: {}\n", number("counts")),
        format!(
            "{} blocks (37.50%) with count >= {} account for 99% of the total counts.",
            number("hot_counters"),
            number("hot_count")
        ),
    ] {
        assert!(text.contains(&line), "{line:?} is not in\n{text}");
    }
}

const BEFORE: [(&str, u64); 5] = [("gone", 100), ("main", 100), ("same", 600), ("slower", 200), ("stale", 0)];

fn pair(directory: &Path) {
    let records = |functions: &[(&str, u64, u64)]| {
        let record = |(name, hash, count): &(&str, u64, u64)| format!("{name}\n{hash}\n1\n{count}\n");
        format!(":ir\n{}", functions.iter().map(record).collect::<String>())
    };
    let before: Vec<_> = BEFORE.iter().map(|(name, count)| (*name, 7, *count)).collect();
    fs::write(directory.join("a.proftext"), records(&before)).unwrap();
    // Twice as long, and slower has become hotter.
    let after =
        [("main", 7, 200), ("new", 7, 200), ("same", 7, 1200), ("slower", 7, 400), ("stale", 8, 0), ("x", 7, 0)];
    fs::write(directory.join("b.proftext"), records(&after)).unwrap();
}

#[test]
fn what_is_different_is_counted_by_shares() {
    let dir = tempfile::tempdir().unwrap();
    pair(dir.path());
    let difference = json_of(dir.path(), &["diff", "a.proftext", "b.proftext"]);
    let names = |list: &Value| -> Vec<String> {
        let name = |function: &Value| function["name"].as_str().unwrap_or_default().to_owned();
        list["functions"].as_array().unwrap().iter().map(name).collect()
    };
    assert_eq!(difference["schema"], "profrt-diff-1");
    assert_eq!((&difference["overlap"], &difference["common"]), (&90.0.into(), &3.into()));
    assert_eq!(names(&difference["gained"]), ["new", "x"]);
    assert_eq!(names(&difference["lost"]), ["gone"]);
    assert_eq!(names(&difference["changed"]), ["stale"]);
    assert_eq!((&difference["gained"]["share"], &difference["lost"]["share"]), (&10.0.into(), &10.0.into()));
    let hot = json!({"before": 4, "after": 4, "stayed": 3, "entered": ["new"], "left": ["gone"], "churn": 40.0});
    assert_eq!(difference["hot"], hot);
    // A run of twice the time has no function with another share.
    assert_eq!(difference["moved"], json!([]));

    let (code, text, error) = said(dir.path(), &["diff", "a.proftext", "b.proftext", "--top", "1"]);
    assert_eq!((code, error.as_str()), (0, ""));
    for line in [
        "A a.proftext: 5 functions, counts of 1,000\n",
        "  overlap                        90.00 %   of all counts\n",
        "  changed                              1   0.00 % of the counts of A are stale: the hash is another one\n",
        "  hot functions                        3   of 4 stayed; 40.00 % churn\n",
        "\ngained\n   10.00 %  new\n          and 1 more\n",
        "\nhot only in A\n  gone\n",
    ] {
        assert!(text.contains(line), "{line:?} is not in\n{text}");
    }
}

#[test]
fn sums_add_up_where_functions_have_several_hashes() {
    let dir = tempfile::tempdir().unwrap();
    let record = |(name, hash, count): &(&str, u64, u64)| format!("{name}\n{hash}\n1\n{count}\n");
    let write = |name: &str, records: &[(&str, u64, u64)]| {
        fs::write(dir.path().join(name), format!(":ir\n{}", records.iter().map(record).collect::<String>())).unwrap();
    };
    let long = format!("f{}", "x".repeat(200));
    write("a.proftext", &[("f", 7, 100), ("f", 8, 50), ("g", 7, 30), (&long, 7, 20)]);
    write("b.proftext", &[("f", 7, 100), ("g", 9, 50)]);
    let (_, text, _) = said(dir.path(), &["diff", "a.proftext", "b.proftext"]);
    assert!(
        text.contains("A a.proftext: 3 functions") && text.contains("15.00 % of the counts of A are stale"),
        "{text}"
    );
    // Of A, as the sum is.
    assert!(text.contains("\nchanged\n   15.00 %  g\n"), "{text}");
    assert!(text.contains('…') && !text.contains(&long), "{text}");
    let full = said(dir.path(), &["diff", "a.proftext", "b.proftext", "--full-names"]).1;
    assert!(full.contains(&long), "{full}");
    assert_eq!(json_of(dir.path(), &["diff", "a.proftext", "b.proftext"])["lost"]["functions"][0]["name"], long);
    let shown = |more: &[&str]| said(dir.path(), &[&["show", "a.proftext"], more].concat()).1;
    assert!(!shown(&[]).contains(&long) && shown(&["--full-names"]).contains(&long));
}

#[test]
fn shares_that_move_are_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.proftext"), text(&[("a", 900), ("b", 90), ("c", 10), ("d", 0), ("e", 0)])).unwrap();
    fs::write(dir.path().join("b.proftext"), text(&[("a", 100), ("b", 800), ("c", 0), ("d", 100), ("e", 0)])).unwrap();
    let difference = json_of(dir.path(), &["diff", "a.proftext", "b.proftext"]);
    assert_eq!(difference["overlap"], 10.0 + 9.0);
    let moved: Vec<&Value> = difference["moved"].as_array().unwrap().iter().map(|function| &function["name"]).collect();
    assert_eq!(moved, ["a", "b", "d", "c"]);
}

#[test]
fn the_status_of_a_difference() {
    let dir = tempfile::tempdir().unwrap();
    pair(dir.path());
    fs::write(dir.path().join("fe.proftext"), ":fe\nmain\n7\n1\n5\n").unwrap();
    fs::write(dir.path().join("torn.proftext"), ":ir\nmain\n7\n1\n5\ncut\n1\n5\n1\n").unwrap();
    for (arguments, code, words) in [
        (&["a.proftext", "a.proftext", "--fail-under-overlap", "100%"][..], 0, ""),
        (&["a.proftext", "b.proftext", "--fail-under-overlap", "90%"], 0, ""),
        (&["a.proftext", "b.proftext", "--fail-under-overlap", "90.1%"], 1, "the overlap is 90.00 %"),
        (&["a.proftext", "torn.proftext"], 1, "torn.proftext"),
        (&["a.proftext", "fe.proftext"], 2, "only one of the profiles has IR instrumentation"),
        (&["a.proftext", "absent"], 2, "no profile can be read from absent"),
    ] {
        let (found, _, error) = said(dir.path(), &[&["diff"], arguments].concat());
        assert_eq!(found, code, "{arguments:?}: {error}");
        assert!(error.contains(words), "{error}");
    }
}
