//! `profrt merge` at its edges: bytes behind a profile, links, full disks, closed outputs, many threads, counts that overflow.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::common;
use crate::common::profiles::*;
use crate::common::*;
use profrt_format::{Encoding, RawVersion};

const MAX: u64 = u64::MAX - 2;

fn status(output: &Output) -> (i32, String) {
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn merged(directory: &Path, arguments: &[&str]) -> (i32, String) {
    status(&run_in(directory, &[&["merge"], arguments].concat()))
}

fn write(directory: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        fs::write(directory.join(name), text).unwrap();
    }
}

#[test]
fn profiles_behind_one_another_are_not_lost_silently() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("a.proftext", &text(&[("main", 5)])), ("b.proftext", &text(&[("main", 7)]))]);
    for (option, name) in [("--partial", "both.profpart"), ("--quiet", "both.profdata")] {
        let mut both = Vec::new();
        for input in ["a.proftext", "b.proftext"] {
            assert_eq!(merged(dir.path(), &[input, option, "-o", "one"]).0, 0);
            both.extend(fs::read(dir.path().join("one")).unwrap());
        }
        fs::write(dir.path().join(name), both).unwrap();
        let (report, error) = merge(dir.path(), &[name]);
        assert_eq!(report["status"], 1, "{error}");
        assert_eq!(input(&report, name)["outcome"], "salvaged", "{error}");
        assert!(error.contains(" bytes after the last"), "{error}");
        let (code, error) = status(&run_in(dir.path(), &["show", name]));
        assert_eq!(code, 1, "{error}");
    }
    let drop_in = run_in(dir.path(), &["llvm-profdata", "show", "both.profdata"]);
    assert!(drop_in.status.success(), "LLVM does not look behind the profile: {drop_in:?}");
}

#[test]
fn compat_takes_files_as_llvm_does() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("a.proftext", &text(&[("main", 5)]))]);
    fs::create_dir(dir.path().join("d")).unwrap();
    fs::copy(dir.path().join("a.proftext"), dir.path().join("d/a.proftext")).unwrap();
    fs::hard_link(dir.path().join("d/a.proftext"), dir.path().join("d/b.proftext")).unwrap();
    let compat = ["--compat", "--for", "clang-22", "-o", "out"];
    let count = |inputs: &[&str]| {
        let (code, error) = merged(dir.path(), &[inputs, &compat].concat());
        assert_eq!(code, 0, "{error}");
        counters(&dir.path().join("out"))[0].1[0]
    };
    assert_eq!(count(&["a.proftext", "a.proftext", "./a.proftext"]), 15);
    assert_eq!(count(&["d"]), 10);
    fs::write(dir.path().join("d/notes"), "no profile \u{0}\u{1}").unwrap();
    assert_eq!(merged(dir.path(), &[&["d"][..], &compat].concat()).0, 2, "LLVM fails too");
}

#[test]
fn a_report_replaces_nothing_and_comes_first() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("a.proftext", &text(&[("main", 5)]))]);
    let before = fs::read(dir.path().join("a.proftext")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("a.proftext", dir.path().join("link")).unwrap();
    fs::hard_link(dir.path().join("a.proftext"), dir.path().join("hard")).unwrap();
    let reports: &[&str] = if cfg!(unix) {
        &["out", "./out", "a.proftext", "hard", "link", "missing/report", "."]
    } else {
        &["out", "./out", "a.proftext", "missing/report", "."]
    };
    for report in reports {
        let (code, error) = merged(dir.path(), &["a.proftext", "-o", "out", "--json", report]);
        assert_eq!(code, 2, "{report}: {error}");
        assert!(!dir.path().join("out").exists(), "{report}");
        assert_eq!(fs::read(dir.path().join("a.proftext")).unwrap(), before);
    }
    let both = run_in(dir.path(), &["merge", "a.proftext", "-o", "-", "--json", "-"]);
    assert_eq!((both.status.code(), both.stdout.len()), (Some(2), 0));
    let one = run_in(dir.path(), &["merge", "a.proftext", "-o", "out", "--json", "-"]);
    assert!(one.status.success() && one.stdout.starts_with(b"{"));
}

#[test]
fn no_output_replaces_an_input() {
    let dir = tempfile::tempdir().unwrap();
    let raw = named(RawVersion::V10, Encoding::NATIVE).write().unwrap();
    let text = text(&[("one", 5)]);
    fs::create_dir(dir.path().join("d")).unwrap();
    for (name, bytes) in [("d/a.profraw", &raw[..]), ("b.proftext", text.as_bytes()), ("list", b"d\nb.proftext\n")] {
        fs::write(dir.path().join(name), bytes).unwrap();
    }
    run(std::process::Command::new("tar").current_dir(dir.path()).args(["-cf", "t.tar", "d"]));
    let files = ["d/a.profraw", "b.proftext", "list", "t.tar"];
    let before = files.map(|name| fs::read(dir.path().join(name)).unwrap());
    let absolute = dir.path().join("d/a.profraw");
    for arguments in [
        &["merge", "d", "-o", "out", "--json", "d/a.profraw"][..],
        &["merge", "-f", "list", "-o", "out", "--json", absolute.to_str().unwrap()],
        &["merge", "-f", "list", "-o", "out", "--json", "b.proftext"],
        &["merge", "t.tar", "-o", "out", "--json", "t.tar"],
        &["merge", "d", "-o", "d/a.profraw"],
        &["merge", "d", "-o", absolute.to_str().unwrap()],
        &["merge", "-f", "list", "-o", "list"],
        &["merge", "d", "--object", "b.proftext", "-o", "b.proftext"],
        &["convert", "d", "--to", "text", "-o", "d/a.profraw"],
        &["convert", "d", "--to", "text", "--object", "b.proftext", "-o", "b.proftext"],
        &["receive", "b.proftext", "--object", "b.proftext", "-o", "b.proftext"],
        &["receive", "b.proftext", "-o", "b.proftext"],
    ] {
        let (code, error) = status(&run_in(dir.path(), arguments));
        assert!(code > 0 && error.contains("would replace") || error.contains("object file"), "{arguments:?}: {error}");
        for (name, before) in files.iter().zip(&before) {
            assert_eq!(&fs::read(dir.path().join(name)).unwrap(), before, "{arguments:?}: {name}");
        }
        assert!(!dir.path().join("out").exists(), "{arguments:?}");
    }
    // The result of an earlier merge of the directory is no input.
    for _ in 0..2 {
        let (code, error) = merged(dir.path(), &["d", "-o", "d/out.profdata", "--json", "d/report.json"]);
        assert_eq!(code, 0, "{error}");
    }
}

#[cfg(unix)]
#[test]
fn what_a_link_leads_to_is_replaced_by_all_commands() {
    let dir = tempfile::tempdir().unwrap();
    let raw = named(RawVersion::V10, Encoding::NATIVE).write().unwrap();
    fs::write(dir.path().join("a.profraw"), raw).unwrap();
    std::os::unix::fs::symlink("target", dir.path().join("link")).unwrap();
    for arguments in
        [&["merge", "a.profraw", "-o", "link"][..], &["convert", "a.profraw", "--to", "text", "-o", "link"]]
    {
        for old in [None, Some("old")] {
            let _ = fs::remove_file(dir.path().join("target"));
            old.map_or(Ok(()), |old| fs::write(dir.path().join("target"), old)).unwrap();
            let (code, error) = status(&run_in(dir.path(), arguments));
            assert_eq!(code, 0, "{arguments:?}: {error}");
            assert!(dir.path().join("link").is_symlink(), "{arguments:?}");
            assert!(fs::metadata(dir.path().join("target")).unwrap().len() > 10, "{arguments:?}");
        }
    }
    // The remedy names no option that the command lacks.
    let (code, error) = status(&run_in(dir.path(), &["convert", "a.profraw", "--to", "text", "-o", "missing/out"]));
    assert!(code == 2 && error.contains("cannot be written") && !error.contains("--output"), "{error}");
}

#[test]
fn a_dash_is_standard_output_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let raw = named(RawVersion::V10, Encoding::NATIVE).write().unwrap();
    fs::write(dir.path().join("a.profraw"), raw).unwrap();
    fs::create_dir(dir.path().join("d")).unwrap();
    let mut refused = vec![&["receive", "a.profraw", "-o", "-"][..]];
    if cfg!(unix) {
        refused.push(&["watch", "d", "--once", "-o", "-"]);
        refused.push(&["watch", "d", "--once", "-o", "out", "--json", "-"]);
    }
    for arguments in refused {
        let (code, error) = status(&run_in(dir.path(), arguments));
        assert!(code > 0 && error.contains("needs a file"), "{arguments:?}: {error}");
    }
    for arguments in [
        &["merge", "a.profraw", "-o", "-"][..],
        &["merge", "a.profraw", "-o", "out", "--json", "-"],
        &["convert", "a.profraw", "--to", "text", "-o", "-"],
    ] {
        let output = run_in(dir.path(), arguments);
        assert!(output.status.success() && !output.stdout.is_empty(), "{arguments:?}");
    }
    let names = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().all(|name| ["a.profraw", "d", "out"].contains(&&name[..])));
}

#[cfg(target_os = "linux")]
#[test]
fn full_disks_and_closed_outputs_are_no_panic() {
    use std::process::Stdio;

    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("a.proftext", &text(&[("main", 5)]))]);
    let full = || Stdio::from(fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    for arguments in [
        &["merge", "a.proftext", "-o", "out"][..],
        &["merge", "missing", "-o", "never"],
        &["show", "missing"],
        &["diff", "missing", "missing"],
        &["llvm-profdata", "merge", "missing", "-o", "never"],
        &["llvm-profdata", "merge", "-function=x", "a.proftext", "-o", "never"],
        &["check", "missing"],
        &["quality", "missing", "--object", "missing"],
        &["convert", "missing", "--to", "text", "-o", "never"],
        &["watch", "missing", "-o", "never", "--once"],
        &["rebuild", "missing", "missing", "-o", "never"],
    ] {
        let output = ended(profrt(dir.path()).args(arguments).stderr(full()));
        assert!(output.status.code().is_some_and(|code| code <= 2), "{arguments:?}: {:?}", output.status);
    }
    fs::remove_file(dir.path().join("out")).unwrap();
    for more in [&["-o", "/dev/full"][..], &["-o", "/dev/full", "--text"], &["-o", "out", "--json", "/dev/full"]] {
        let (code, error) = merged(dir.path(), &[&["a.proftext"], more].concat());
        assert_eq!(code, 2, "{error}");
        assert!(error.contains("no space left; make room"), "{error}");
        assert!(!dir.path().join("out").exists());
    }
}

#[test]
fn overflow_is_a_loss() {
    let dir = tempfile::tempdir().unwrap();
    let large = text(&[("main", MAX - 10)]);
    write(dir.path(), &[("a.proftext", &large), ("b.proftext", &text(&[("main", 30)]))]);
    let (report, error) = merge(dir.path(), &["a.proftext", "b.proftext"]);
    assert_eq!((&report["status"], &report["totals"]["counts_lost"]), (&1.into(), &20.into()), "{error}");
    assert!(error.contains("99.99 % kept"), "{error}");
    let allowed = ["--fail-under-counts", "99%"];
    assert_eq!(merge(dir.path(), &[&["a.proftext", "b.proftext"][..], &allowed].concat()).0["status"], 0);
    // Totals do not stop where counters do.
    write(dir.path(), &[("c.proftext", &text(&[("other", MAX)]))]);
    let (report, _) = merge(dir.path(), &["a.proftext", "c.proftext"]);
    assert_eq!((&report["status"], &report["totals"]["counts_lost"]), (&0.into(), &0.into()));
    let (code, error) =
        merged(dir.path(), &["a.proftext", "b.proftext", "--normalize", "--weight", "b*=2", "-o", "never"]);
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("smaller weights") && !dir.path().join("never").exists(), "{error}");
}

#[test]
fn sums_of_large_counts_are_exact() {
    let dir = tempfile::tempdir().unwrap();
    let (large, third) = (u64::MAX / 2, u64::MAX / 8);
    write(
        dir.path(),
        &[
            ("a.proftext", &text(&[("f", large), ("g", large), ("h", large)])),
            ("b.proftext", &text(&[("f", third), ("g", third), ("x", third)])),
        ],
    );
    let diff = String::from_utf8(run_in(dir.path(), &["diff", "a.proftext", "b.proftext"]).stdout).unwrap();
    assert!(diff.contains("66.67 %"), "{diff}");
    let show = String::from_utf8(run_in(dir.path(), &["show", "a.proftext"]).stdout).unwrap();
    assert!(show.contains("27,670,116,110,564,327,421"), "{show}");
    assert!(show.contains("33.33 %"), "{show}");
}

#[test]
fn any_number_of_threads_will_do() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("a.proftext", &text(&[("main", 5)]))]);
    for more in [&[][..], &["--normalize"]] {
        let (code, error) = merged(dir.path(), &[&["a.proftext", "-j", "100000", "-o", "out"], more].concat());
        assert_eq!(code, 0, "{error}");
    }
}

#[test]
fn a_weight_that_another_overrules_matches() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("ir-1.proftext", &text(&[("main", 5)]))]);
    let (report, error) = merge(dir.path(), &["ir-1.proftext", "--weight", "ir-*=3", "--weight", "*=2"]);
    assert!(report["unused_weights"].as_array().unwrap().is_empty(), "{error}");
    assert_eq!(report["totals"]["counts"], 10);
}

#[cfg(unix)]
#[test]
fn links_are_followed() {
    use std::os::unix::fs::symlink;

    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("a.proftext", &text(&[("main", 5)]))]);
    fs::create_dir(dir.path().join("d")).unwrap();
    for arguments in [&["merge"][..], &["llvm-profdata", "merge"]] {
        symlink("d/target", dir.path().join("link")).unwrap();
        for _ in 0..2 {
            let output = run_in(dir.path(), &[arguments, &["a.proftext", "-o", "link"]].concat());
            assert!(output.status.success(), "{output:?}");
            assert_eq!(fs::read_link(dir.path().join("link")).unwrap(), Path::new("d/target"));
            assert_eq!(counters(&dir.path().join("d/target"))[0].1, [5]);
        }
        fs::remove_file(dir.path().join("d/target")).unwrap();
        fs::remove_file(dir.path().join("link")).unwrap();
    }
}

#[test]
fn a_refused_input_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("a.proftext", &text(&[("main", 5)])), ("empty.proftext", ":ir\n")]);
    let made = named(profrt_format::RawVersion::V10, encodings()[0]).write().unwrap();
    // The header and the binary id are whole, and no record.
    fs::write(dir.path().join("torn.profraw"), &made[..160]).unwrap();
    let (report, error) = merge(dir.path(), &["a.proftext", "torn.profraw"]);
    assert_eq!(input(&report, "torn.profraw")["outcome"], "refused", "{error}");
    assert!(load(&dir.path().join("out.profdata")).binary_ids().is_empty());
    // The inputs of a group of which nothing can be used stay in the account.
    assert_eq!(merged(dir.path(), &["torn.profraw", "--partial", "-o", "g.profpart"]).0, 1);
    let (report, _) = merge(dir.path(), &["a.proftext", "g.profpart"]);
    assert_eq!((&report["status"], &report["totals"]["refused"]), (&1.into(), &1.into()));
    let show = String::from_utf8(run_in(dir.path(), &["show", "empty.proftext"]).stdout).unwrap();
    assert!(show.contains("no functions") && !show.contains("front end"), "{show}");
}

#[test]
fn a_sparse_merge_has_the_same_functions_as_text_and_indexed() {
    let dir = tempfile::tempdir().unwrap();
    // Both orders: that of the input and that of the names.
    write(dir.path(), &[("a.proftext", &text(&[("z", 5), ("b", 0), ("y", 6), ("c", 7), ("a", 0)]))]);
    for form in ["--text", "--quiet"] {
        let (status, error) = merged(dir.path(), &["a.proftext", "--sparse", form, "-o", "out"]);
        assert_eq!(status, 0, "{error}");
        let expected = [("c", 7), ("y", 6), ("z", 5)].map(|(name, count)| (name.to_owned(), vec![count]));
        assert_eq!(counters(&dir.path().join("out")), expected, "{form}");
    }
}

/// The output is written and the report is not: its pipe has no reader.
#[cfg(unix)]
#[test]
fn a_signal_leaves_no_temporary_file() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("a.proftext", &text(&[("main", 5)]))]);
    run(std::process::Command::new("mkfifo").arg(dir.path().join("pipe")));
    let mut command = profrt(dir.path());
    let mut child = command.args(["merge", "a.proftext", "-o", "out", "--json", "pipe"]).spawn().unwrap();
    let temporary = || {
        let names = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with(".profrt-")).count()
    };
    let limit = common::limit("a temporary file");
    while temporary() == 0 {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::yield_now();
    }
    run(std::process::Command::new("kill").arg("-TERM").arg(child.id().to_string()));
    drop(limit);
    assert_eq!(common::end(child, "the merge after a signal").status.code(), Some(130));
    assert_eq!((temporary(), dir.path().join("out").exists()), (0, false));
}
