//! `profrt merge`: the same bytes in any order, its exit status, kinds, shares, and its output.

use needs_macros::needs;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::common;
use crate::common::profiles::*;
use crate::common::*;
use profdata::read::indexed::Header;

/// A random profile as text: some of 40 functions, now and then one with another number of counters; values, more than a site keeps.
fn random(seed: u64) -> String {
    let mut numbers = fastrand::Rng::with_seed(seed);
    let mut text = String::from(":ir\n");
    for function in (0..40).filter(|function| !(function + seed).is_multiple_of(3)) {
        let counters = 2 + u64::from(numbers.u64(..25) == 0);
        write!(text, "f{function}\n77\n{counters}\n").unwrap();
        (0..counters).for_each(|_| writeln!(text, "{}", numbers.u64(..1 << 40)).unwrap());
        let values = if function == 7 { 200 } else { numbers.u64(..4) };
        write!(text, "1\n1\n1\n{values}\n").unwrap();
        let first = numbers.u64(..300);
        (0..values).for_each(|value| writeln!(text, "{}:{}", first + value, 1 + numbers.u64(..50)).unwrap());
    }
    text
}

fn write_all(directory: &Path, files: &[(&str, String)]) {
    for (name, text) in files {
        fs::write(directory.join(name), text).unwrap();
    }
}

fn status(directory: &Path, arguments: &[&str]) -> (i32, String) {
    let output = run_in(directory, &[&["merge"], arguments].concat());
    assert!(output.stdout.is_empty());
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn any_order_grouping_and_thread_count_gives_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..9).map(|seed| format!("{seed}.proftext")).collect();
    for (seed, name) in (0..).zip(&names) {
        fs::write(dir.path().join(name), random(seed)).unwrap();
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let merged = |arguments: &[&str]| {
        let (code, error) = status(dir.path(), &[arguments, &["-o", "out.profdata"]].concat());
        // Functions with another number of counters are lost.
        assert_eq!(code, 1, "{error}");
        assert!(error.contains("the least frequent values") || error.contains("least frequent"), "{error}");
        fs::read(dir.path().join("out.profdata")).unwrap()
    };
    let expected = merged(&names);
    let (mut reversed, mut rotated) = (names.clone(), names.clone());
    reversed.reverse();
    rotated.rotate_left(4);
    for order in [&names, &reversed, &rotated] {
        for threads in ["1", "2", "3", "8"] {
            assert!(merged(&[&order[..], &["-j", threads]].concat()) == expected, "{order:?}, {threads} threads");
        }
    }
    // Groups on different machines, and groups of groups.
    for split in [1, 4, 8] {
        for (group, name) in [(&names[..split], "a.profpart"), (&names[split..], "b.profpart")] {
            status(dir.path(), &[group, &["--partial", "-o", name]].concat());
        }
        assert!(merged(&["a.profpart", "b.profpart"]) == expected, "{split}");
        assert!(merged(&["b.profpart", "a.profpart", "-j", "2"]) == expected, "{split}");
        status(dir.path(), &["b.profpart", "--partial", "-o", "c.profpart"]);
        assert!(merged(&["a.profpart", "c.profpart"]) == expected, "{split}");
    }
}

#[test]
fn the_exit_status_is_what_was_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    write_all(dir.path(), &[("a.proftext", text(&[("main", 90)])), ("b.proftext", text(&[("main", 5)]))]);
    fs::write(dir.path().join("c.profraw"), "").unwrap();
    let cut = format!("{}cut\n7\n3\n1\n", text(&[("main", 3)]));
    write_all(dir.path(), &[("d.proftext", cut), ("other.proftext", ":ir\nmain\n7\n2\n4\n1\n".into())]);
    for (arguments, code) in [
        (&["a.proftext", "b.proftext"][..], 0),
        (&["a.proftext", "b.proftext", "c.profraw"], 1),
        (&["a.proftext", "b.proftext", "c.profraw", "--fail-under-inputs", "66.6%"], 0),
        (&["a.proftext", "b.proftext", "c.profraw", "--fail-under-inputs", "67%"], 1),
        (&["a.proftext", "d.proftext"], 1),
        (&["a.proftext", "d.proftext", "--fail-under-inputs", "50%"], 0),
        // 5 of 100 counts.
        (&["a.proftext", "b.proftext", "other.proftext"], 1),
        (&["a.proftext", "b.proftext", "other.proftext", "--fail-under-counts", "95%"], 0),
        (&["a.proftext", "b.proftext", "other.proftext", "--fail-under-counts", "95.1%"], 1),
        (&["c.profraw"], 2),
        (&["a.proftext", "--for", "gcc-13"], 2),
        (&["a.proftext", "--fail-under-inputs", "95"], 2),
        (&["a.proftext", "--weight", "main=0"], 2),
        (&["a.proftext", "-o", "absent/out"], 2),
        (&[], 2),
    ] {
        let _ = fs::remove_file(dir.path().join("out"));
        let output: &[&str] = if arguments.contains(&"-o") { &[] } else { &["-o", "out"] };
        let (found, error) = status(dir.path(), &[arguments, output].concat());
        assert_eq!(found, code, "{arguments:?}: {error}");
        assert_eq!(dir.path().join("out").exists(), code < 2, "{arguments:?}");
        assert_eq!(error.contains("asks for"), code == 1, "{arguments:?}: {error}");
    }
}

#[test]
fn the_old_file_stays_when_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    write_all(dir.path(), &[("a.proftext", text(&[("main", 1)])), ("out", "old".into())]);
    fs::write(dir.path().join("empty.profraw"), "").unwrap();
    assert_eq!(status(dir.path(), &["empty.profraw", "-o", "out"]).0, 2);
    assert_eq!(fs::read(dir.path().join("out")).unwrap(), b"old");
    assert_eq!(status(dir.path(), &["a.proftext", "-o", "out"]).0, 0);
    let out = fs::read(dir.path().join("out")).unwrap();
    assert_eq!(Header::parse(&out).unwrap().version, 13);
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
    let output = run_in(dir.path(), &["merge", "a.proftext", "-o", "-"]);
    assert!(output.status.success() && output.stdout == out);
    let (report, _) = merge(dir.path(), &["a.proftext", "--text"]);
    assert_eq!(report["output"]["format"], "text");
    assert!(fs::read_to_string(dir.path().join("out.profdata")).unwrap().contains("\nmain\n# Func Hash:\n7\n"));
}

#[needs("clang")]
fn kinds_that_have_no_meaning_together_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let made = |kind: &str| format!("{kind}main\n7\n1\n5\n");
    write_all(
        dir.path(),
        &[
            ("ir.proftext", made(":ir\n")),
            ("ir2.proftext", made(":ir\n# another\n")),
            ("fe.proftext", made(":fe\n")),
            ("coverage.proftext", made(":ir\n:single_byte_coverage\n")),
        ],
    );
    for other in ["fe.proftext", "coverage.proftext"] {
        for threads in ["1", "2"] {
            let arguments = ["ir.proftext", other, "ir2.proftext", "-j", threads, "-o", "out"];
            let (code, error) = status(dir.path(), &arguments);
            assert_eq!(code, 2);
            for word in ["incompatible kinds", "cause:", "remedy: merge each kind by itself"] {
                assert!(error.contains(word), "{error}");
            }
            assert!(!dir.path().join("out").exists());
        }
        let (code, _) = status(dir.path(), &["ir.proftext", other, "--mix-kinds", "-o", "mixed"]);
        assert_eq!(code, 0);
    }
}

#[test]
fn without_a_name_the_compiler_of_the_inputs_reads_the_output() {
    let dir = tempfile::tempdir().unwrap();
    for (version, indexed) in [("8", 7), ("9", 11), ("10", 12), ("11", 14)] {
        let version = profrt_format::RawVersion::from_number(version.parse().unwrap()).unwrap();
        let mut made = named(version, encodings()[0]);
        made.build_ids.clear();
        fs::write(dir.path().join("a.profraw"), made.write().unwrap()).unwrap();
        let (report, error) = merge(dir.path(), &["a.profraw"]);
        assert_eq!(report["output"]["version"], indexed, "{error}");
    }
    // A mix of versions of one program.
    for (name, version) in
        [("old.profraw", profrt_format::RawVersion::V8), ("new.profraw", profrt_format::RawVersion::V10)]
    {
        fs::write(dir.path().join(name), named(version, encodings()[0]).write().unwrap()).unwrap();
    }
    let (report, _) = merge(dir.path(), &["old.profraw", "new.profraw"]);
    assert_eq!((&report["output"]["version"], &report["totals"]["counts"]), (&12.into(), &(2 * COUNTS).into()));
}

/// One program, built by an older and a newer compiler: a local function is one function, and the compiler finds it.
#[needs("clang")]
fn local_functions_have_the_names_of_the_compiler() {
    let dir = tempfile::tempdir().unwrap();
    let made = |delimiter: char, count: u64| {
        let calls = format!("1\n0\n1\n1\na.c{delimiter}f:{count}\n");
        format!(":ir\na.c{delimiter}f\n7\n1\n{count}\nmain\n8\n1\n1\n{calls}-[A b:]\n7\n1\n1\n")
    };
    write_all(dir.path(), &[("old.proftext", made(':', 10)), ("new.proftext", made(';', 5))]);
    let both = ["old.proftext", "new.proftext"];
    for (inputs, more, expected) in [
        (&both[..], &["--for", "clang-16"][..], &[("a.c:f", 15)][..]),
        (&both[..], &["--for", "clang-19"], &[("a.c;f", 15)]),
        (&both[..], &["--for", "clang-19", "--keep-names"], &[("a.c:f", 10), ("a.c;f", 5)]),
        (&both[1..], &["--for", "clang-16"], &[("a.c:f", 5)]),
        // Newer compilers find older names.
        (&both[..1], &["--for", "clang-19"], &[("a.c:f", 10)]),
        (&both[..1], &["--for", "clang-16"], &[("a.c:f", 10)]),
        (&both[1..], &["--for", "clang-16", "--compat"], &[("a.c;f", 5)]),
    ] {
        let (report, error) = merge(dir.path(), &[inputs, more].concat());
        assert_eq!((&report["status"], &report["totals"]["counts_lost"]), (&0.into(), &0.into()), "{error}");
        let mut all = vec![("-[A b:]".to_owned(), inputs.len() as u64)];
        all.extend(expected.iter().map(|(name, count)| ((*name).to_owned(), *count)));
        all.push(("main".into(), inputs.len() as u64));
        let out = dir.path().join("out.profdata");
        let found: Vec<(String, u64)> =
            counters(&out).into_iter().map(|(name, counters)| (name, counters[0])).collect();
        assert_eq!(found, all, "{inputs:?} {more:?}");
        // Calls go to the same name.
        let out = load(&out);
        let main = out.records().last().unwrap();
        let hash = |name: &str| profdata::name::name_hash(name.as_bytes());
        let mut calls: Vec<_> =
            main.values.unwrap().kinds[0].values().iter().map(|value| (value.value, value.count)).collect();
        calls.sort_unstable();
        let mut targets: Vec<_> = expected.iter().map(|(name, count)| (hash(name), *count)).collect();
        targets.sort_unstable();
        assert_eq!(calls, targets, "{inputs:?} {more:?}");
    }
    // Front-end profiles have one delimiter.
    write_all(dir.path(), &[("fe.proftext", made(':', 1).replace(":ir", ":fe"))]);
    merge(dir.path(), &["fe.proftext", "--for", "clang-19"]);
    assert_eq!(counters(&dir.path().join("out.profdata"))[1].0, "a.c:f");
}

fn first_counters(directory: &Path) -> Vec<u64> {
    counters(&directory.join("out.profdata")).into_iter().map(|(_, counters)| counters[0]).collect()
}

#[test]
fn weights_and_shares() {
    let dir = tempfile::tempdir().unwrap();
    let long = [("db", 1000), ("main", 1000)];
    write_all(
        dir.path(),
        &[
            ("db-1.proftext", text(&long)),
            ("web-1.proftext", text(&[("main", 5), ("web", 5)])),
            ("web-2.proftext", text(&[("main", 0), ("web", 30)])),
        ],
    );
    let all = ["db-1.proftext", "web-1.proftext", "web-2.proftext"];
    let merged = |more: &[&str]| {
        let (report, error) = merge(dir.path(), &[&all[..], more].concat());
        assert_eq!(report["status"], 0, "{error}");
        (first_counters(dir.path()), error)
    };
    assert_eq!(merged(&[]).0, [1000, 1005, 35]);
    let (weighted, error) = merged(&["--weight", "web-*=10", "--weight", "nothing=2"]);
    assert_eq!(weighted, [1000, 1050, 350]);
    assert!(error.contains("--weight nothing=… matches no input"), "{error}");
    // Each input has 2000 counts, as the largest.
    assert_eq!(merged(&["--normalize"]).0, [1000, 1000 + 1000, 1000 + 2000]);
    // The two of web have 2000 together, times 3.
    assert_eq!(merged(&["--normalize", "--weight", "web-*=3"]).0, [1000, 1000 + 750, 5250]);
    assert_eq!(merged(&["--normalize", "--weight", "web-*=3", "-j", "3"]).0, [1000, 1750, 5250]);
    let output = run_in(dir.path(), &["merge", "-", "--normalize", "-o", "out"]);
    assert_eq!(output.status.code(), Some(2));
}

/// Waits for the bar, then lets the merge end: nothing here depends on how long it takes.
#[cfg(unix)]
#[test]
fn progress_and_colors_are_for_terminals() {
    use std::io::{Read, Write};
    use std::os::fd::OwnedFd;

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let dir = tempfile::tempdir().unwrap();
    let control = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&control).unwrap();
    unlockpt(&control).unwrap();
    let name = ptsname(&control, Vec::new()).unwrap();
    let terminal = fs::OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let mut command = profrt(dir.path());
    command.args(["merge", "-", "-o", "out"]).env_remove("NO_COLOR").env("TERM", "xterm");
    command.stdin(Stdio::piped()).stderr(Stdio::from(OwnedFd::from(terminal)));
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(text(&[("main", 5)]).as_bytes()).unwrap();
    let mut screen = fs::File::from(control);
    let (mut seen, mut buffer) = (String::new(), [0; 1024]);
    let _limit = common::limit("the progress of profrt merge");
    while !seen.contains("0 inputs") {
        let read = screen.read(&mut buffer).unwrap();
        seen += &String::from_utf8_lossy(&buffer[..read]);
    }
    drop(stdin);
    // The terminal is gone when the program has ended.
    while let Ok(read @ 1..) = screen.read(&mut buffer) {
        seen += &String::from_utf8_lossy(&buffer[..read]);
    }
    assert!(child.wait().unwrap().success());
    assert!(seen.contains("\u{1b}[1mout"), "{seen:?}");

    write_all(dir.path(), &[("a.proftext", text(&[("main", 5)]))]);
    let (_, error) = status(dir.path(), &["a.proftext", "-o", "out"]);
    assert!(!error.contains('\u{1b}') && error.starts_with("out: indexed version 13"), "{error:?}");
    assert_eq!(status(dir.path(), &["a.proftext", "-o", "out", "--quiet"]), (0, String::new()));
}
