//! Signals that whoever starts a command has ignored, and the limit of the size of files.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common;
use crate::common::profiles::text;
use rustix::process::{Pid, Signal, kill_process};

/// `profrt`, started by a shell after this setting.
fn after(setting: &str, directory: &Path, arguments: &[&str]) -> Command {
    let mut command = common::with_signals("sh");
    command.args(["-c", &format!("{setting}; exec \"$0\" \"$@\"")]).arg(env!("CARGO_BIN_EXE_profrt"));
    command.args(arguments).current_dir(directory).stderr(Stdio::piped());
    command
}

/// The names in a directory, sorted.
fn names(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// A profile whose result has more than 100,000 bytes.
fn large() -> String {
    let names: Vec<String> = (0..5000).map(|number| format!("f{number}")).collect();
    let mut counts = fastrand::Rng::with_seed(1);
    text(&names.iter().map(|name| (name.as_str(), counts.u64(..1 << 40))).collect::<Vec<_>>())
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
    std::thread::sleep(Duration::from_millis(300));
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what} takes too long");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The exit status, and what it said.
fn end(child: Child) -> (Option<i32>, String) {
    let output = common::end(child, "the end of the command");
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_result_larger_than_the_limit_is_an_error_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("large.proftext"), large()).unwrap();
    for arguments in [
        &["merge", "large.proftext", "-o", "o.profdata"][..],
        &["llvm-profdata", "merge", "large.proftext", "-o", "o.profdata"],
    ] {
        let (code, said) = end(after("ulimit -f 10", dir.path(), arguments).spawn().unwrap());
        assert!(code.is_some_and(|code| code != 0) && said.contains("File too large"), "{code:?}: {said}");
        assert!(arguments[0] != "merge" || said.contains("raise the limit"), "{said}");
        assert_eq!(names(dir.path()), ["large.proftext"], "{said}");
    }
}

#[test]
fn a_watcher_whose_result_is_larger_than_the_limit_removes_no_input() {
    let dir = tempfile::tempdir().unwrap();
    let directory = dir.path().join("in");
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join("large.proftext"), large()).unwrap();
    let arguments = ["watch", "in", "-o", "o.profpart", "--once", "--interval", "0", "--delete"];
    let (code, said) = end(after("ulimit -f 10", dir.path(), &arguments).spawn().unwrap());
    assert!(code == Some(2) && said.contains("File too large"), "{code:?}: {said}");
    assert!(names(&directory).len() == 1 && names(&directory)[0].ends_with("large.proftext"), "{said}");
    assert_eq!(names(dir.path()), [".o.profpart.lock", "in", "o.profpart"], "{said}");
    let (code, said) = end(after(":", dir.path(), &arguments).spawn().unwrap());
    assert!(code == Some(0) && names(&directory).is_empty(), "{code:?}: {said}");
    assert!(fs::metadata(dir.path().join("o.profpart")).unwrap().len() > 10_000);
}

#[test]
fn a_watcher_ignores_the_signals_that_were_ignored_when_it_started() {
    for (ignored, ends) in [(Signal::HUP, Signal::TERM), (Signal::INT, Signal::HUP), (Signal::TERM, Signal::INT)] {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("in")).unwrap();
        let arguments = ["watch", "in", "-o", "o.profpart", "--interval", "0"];
        let setting = format!("trap '' {}", ignored.as_raw());
        let mut child = after(&setting, dir.path(), &arguments).spawn().unwrap();
        until("a result", || dir.path().join("o.profpart").exists());
        signal(&child, ignored);
        signal(&child, ignored);
        assert_eq!(child.try_wait().unwrap(), None, "{ignored:?} has ended it");
        signal(&child, ends);
        let (code, said) = end(child);
        assert_eq!(code, Some(0), "{ends:?}: {said}");
    }
}

/// A merge that has its output under a temporary name, and waits for a reader of its report. It gets an interrupt meanwhile.
fn merge_that_waits(setting: &str) -> (Option<i32>, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.proftext"), text(&[("main", 1)])).unwrap();
    common::run(Command::new("mkfifo").arg(dir.path().join("report")));
    let arguments = ["merge", "a.proftext", "-o", "o.profdata", "--json", "report"];
    let child = after(setting, dir.path(), &arguments).spawn().unwrap();
    until("a temporary file", || names(dir.path()).iter().any(|name| name.ends_with(".tmp")));
    signal(&child, Signal::INT);
    let report = dir.path().join("report");
    // A merge that has ended has no use for a reader, which would wait.
    if setting != ":" {
        std::thread::spawn(move || fs::read(report));
    }
    let (code, _) = end(child);
    (code, names(dir.path()))
}

#[test]
fn a_merge_ignores_an_interrupt_that_was_ignored_when_it_started() {
    assert_eq!(
        merge_that_waits("trap '' INT"),
        (Some(0), ["a.proftext", "o.profdata", "report"].map(String::from).into())
    );
    assert_eq!(merge_that_waits(":"), (Some(130), ["a.proftext", "report"].map(String::from).into()));
}
