//! The loss account of `profrt merge`: what was read is what was written and what is lost.

use std::fs;
use std::path::Path;

use crate::common::profiles::*;
use serde_json::Value;

const LARGE: u64 = (1 << 63) - 1;

/// One function with three large counters.
fn large() -> String {
    format!(":ir\nlarge\n7\n3\n{LARGE}\n{LARGE}\n{LARGE}\n")
}

/// The number of a field in a part of a report. JSON values of this crate do not hold numbers above 2^64.
fn number(report: &Path, part: &str, field: &str) -> u128 {
    let text = fs::read_to_string(report).unwrap();
    let (_, part) = text.split_once(&format!("\"{part}\": ")).unwrap();
    let (_, number) = part.split_once(&format!("\"{field}\": ")).unwrap();
    number.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

fn sum(profile: &Path) -> u128 {
    load(profile).records().flat_map(|record| record.counters.to_vec()).map(u128::from).sum()
}

/// Merges, and checks that counts are what was written and what is lost. Returns the exit status, counts and lost ones.
fn account(directory: &Path, arguments: &[&str]) -> (u64, u128, u128) {
    let (report, error) = merge(directory, arguments);
    let json = directory.join("report.json");
    let (counts, lost) = (number(&json, "totals", "counts"), number(&json, "totals", "counts_lost"));
    assert_eq!(counts, sum(&directory.join("out.profdata")) + lost, "{arguments:?}: {error}");
    let shown = counts.to_string();
    assert!(error.replace(',', "").contains(&shown), "{error}");
    (report["status"].as_u64().unwrap(), counts, lost)
}

#[test]
fn counts_above_64_bits_are_exact() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    fs::write(path.join("large.proftext"), large()).unwrap();
    fs::write(path.join("small.proftext"), text(&[("one", 500), ("two", 250)])).unwrap();
    fs::write(path.join("other.proftext"), text(&[("large", 9)])).unwrap();
    let all = 3 * u128::from(LARGE);
    assert_eq!(account(path, &["large.proftext"]), (0, all, 0));
    assert_eq!(number(&path.join("report.json"), "inputs", "counts"), all);

    let weight = ["--weight", "*=1000000000000000000", "--fail-under-counts", "99%"];
    let kept = 2 * u128::from(u64::MAX - 2);
    let weighted = 750 * 10_u128.pow(18);
    assert_eq!(account(path, &[&["small.proftext"][..], &weight].concat()), (1, weighted, weighted - kept));
    let compat = [&["small.proftext", "--compat", "--for", "clang-19"][..], &weight].concat();
    let (status, counts, _) = account(path, &compat);
    assert_eq!((status, counts), (1, weighted));

    // Through partial results, also of partial results.
    let (status, ..) = account(path, &["large.proftext", "small.proftext", "other.proftext"]);
    assert_eq!(status, 1, "the sizes of `large` do not fit");
    assert_eq!(number(&path.join("report.json"), "totals", "counts_lost"), 9);
    for (inputs, output) in [(&["large.proftext"][..], "1.profpart"), (&["1.profpart", "small.proftext"], "2.profpart")]
    {
        run_in(path, &[&["merge", "--partial", "-o", output], inputs].concat());
    }
    assert_eq!(account(path, &["2.profpart", "other.proftext"]), (1, all + 759, 9));
    assert_eq!(account(path, &["2.profpart", "--weight", "2*=3"]).1, 3 * (all + 750));
}

#[test]
#[cfg(unix)]
fn a_watcher_counts_above_64_bits() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("in")).unwrap();
    for name in ["a", "b"] {
        fs::write(dir.path().join(format!("in/{name}.proftext")), large().replace("large", name)).unwrap();
    }
    let arguments = ["watch", "in", "-o", "out", "--once", "--interval", "0", "--json", "watch.json"];
    for _ in 0..2 {
        let output = run_in(dir.path(), &arguments);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(number(&dir.path().join("watch.json"), "totals", "counts"), 6 * u128::from(LARGE));
    }
}

#[test]
fn the_number_of_functions_is_that_of_the_output() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("in")).unwrap();
    // Of a name with a live record, all records stay.
    let records = text(&[("live", 5), ("dead", 0), ("both", 0)]) + "both\n8\n1\n3\n";
    fs::write(dir.path().join("in/a.proftext"), records).unwrap();
    for more in [&[][..], &["--text"], &["--for", "clang-14"]] {
        let (report, error) = merge(dir.path(), &[&["in/a.proftext", "--sparse"], more].concat());
        assert_eq!(report["output"]["functions"], 3, "{error}");
        assert_eq!(load(&dir.path().join("out.profdata")).len(), 3);
        let row = error.lines().find(|line| line.trim_start().starts_with("functions")).unwrap();
        assert_eq!(row.split_whitespace().nth(1), Some("3"), "{error}");
    }
    assert_eq!(merge(dir.path(), &["in/a.proftext"]).0["output"]["functions"], 4);
}

/// A directory with three inputs, of which one is refused and one has another number of counters, and `p.profpart` of them.
fn with_partial() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("w")).unwrap();
    let files = [
        ("w/web-1.proftext", text(&[("main", 750), ("other", 3), ("odd", 9)])),
        ("w/web-2.proftext", ":ir\nodd\n7\n2\n10\n20\n".to_owned()),
        ("w/web-3.profraw", "no profile".to_owned()),
        ("db-1.proftext", text(&[("main", 5)])),
    ];
    for (name, text) in files {
        fs::write(dir.path().join(name), text).unwrap();
    }
    let output = run_in(dir.path(), &["merge", "w", "--partial", "-o", "p.profpart"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    dir
}

fn unused(report: &Value) -> Vec<&str> {
    report["unused_weights"].as_array().unwrap().iter().map(|glob| glob.as_str().unwrap()).collect()
}

#[test]
fn weights_go_by_the_file_that_is_given() {
    let dir = with_partial();
    let merged = |weight: &str| {
        let (report, error) = merge(dir.path(), &["p.profpart", "db-1.proftext", "--weight", weight]);
        (report, error, sum(&dir.path().join("out.profdata")))
    };
    let plain = merged("db-*=1").2;
    // Names in a partial result have their weights already.
    let (report, error, all) = merged("web-*=3");
    assert_eq!((all, unused(&report)), (plain, vec!["web-*"]));
    let web = input(&report, "w/web-1.proftext");
    assert_eq!((&web["weight"], &web["counts"]), (&1.into(), &762.into()));
    assert!(error.contains("--weight web-*=… matches no input that is given"), "{error}");
    // The last part of the name of the file decides, and no name in it.
    let (report, error, all) = merged("p.prof*=3");
    assert_eq!((all, unused(&report)), (plain + 2 * (plain - 5), vec![]), "{error}");
    let web = input(&report, "w/web-1.proftext");
    assert_eq!((&web["weight"], &web["counts"]), (&3.into(), &2286.into()));
    assert_eq!(input(&report, "db-1.proftext")["weight"], 1);
    assert!(!error.contains("matches"), "{error}");
    let (report, error, _) = merged("nothing*=3");
    assert_eq!(unused(&report), ["nothing*"]);
    assert!(error.contains("--weight nothing*=… matches no input"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.proftext"), text(&[("main", 5)])).unwrap();
    let mode = |name: &str| fs::metadata(dir.path().join(name)).unwrap().permissions().mode() & 0o7777;
    let old = |name: &str, mode| {
        fs::write(dir.path().join(name), "").unwrap();
        fs::set_permissions(dir.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    std::os::unix::fs::symlink("out", dir.path().join("link")).unwrap();
    for (given, name) in [("out", "out"), ("link", "out")] {
        for private in [0o600, 0o640, 0o444] {
            for command in [&["merge"][..], &["merge", "--text"], &["convert", "--to", "text"]] {
                old(name, private);
                old("report.json", private);
                let report: &[&str] = if command[0] == "merge" { &["--json", "report.json"] } else { &[] };
                let output = run_in(dir.path(), &[command, &["a.proftext", "-o", given], report].concat());
                assert!(output.status.success(), "{output:?}");
                assert!(fs::metadata(dir.path().join(name)).unwrap().len() > 0);
                assert_eq!([mode(name), mode("report.json")], [private; 2], "{command:?}");
                fs::remove_file(dir.path().join(name)).unwrap();
                fs::remove_file(dir.path().join("report.json")).unwrap();
            }
        }
    }
    // A new file has the mode that any program gives one.
    fs::write(dir.path().join("usual"), "").unwrap();
    assert!(run_in(dir.path(), &["merge", "a.proftext", "-o", "new"]).status.success());
    assert_eq!(mode("new"), mode("usual"));
}

#[test]
fn what_the_text_form_leaves_out_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    fs::write(path.join("a.proftext"), text(&[("big", 99_998), ("small", 2)])).unwrap();
    run_in(path, &["merge", "a.proftext", "-o", "a.profdata"]);
    // No text can have the name, which an assembler's label may be.
    let mut profile = profdata::Profile::new();
    for record in load(&path.join("a.profdata")).records() {
        let bytes = if record.counters[0] == 2 { b"small" } else { &b"#big"[..] };
        profile.push(profdata::sink::RecordRef { name: profdata::sink::Name::of(bytes), ..record }).unwrap();
    }
    profile.set_flags(profdata::sink::Flags::IR);
    let target = profdata::Target::of_name("llvm-19").unwrap();
    let mut bytes = Vec::new();
    profdata::write::indexed::write(&profile, target, &Default::default(), &mut bytes).unwrap();
    fs::write(path.join("a.profdata"), bytes).unwrap();
    assert_eq!(account(path, &["a.profdata"]), (0, 100_000, 0));
    assert_eq!(account(path, &["a.profdata", "--text", "--fail-under-counts", "50%"]), (1, 100_000, 99_998));
    assert_eq!(account(path, &["a.profdata", "--text", "--fail-under-counts", "0.002%"]), (0, 100_000, 99_998));
}

#[test]
fn pseudo_counts_are_no_counts() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.proftext"), ":ir\nf\n1\n2\n500\n7\n").unwrap();
    fs::write(dir.path().join("b.proftext"), format!(":ir\nf\n1\n2\n{0}\n{0}\n", u64::MAX)).unwrap();
    assert_eq!(account(dir.path(), &["a.proftext", "b.proftext"]), (1, 507, 0));
}
