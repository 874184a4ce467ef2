//! Names that change, outputs that cannot be written, and what stands where a watcher wants to write.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::live::Live;
use super::*;

/// Puts files with counts of `main` whose sum is 210.
fn twenty(place: &Place, directory: &str) {
    (1..=20).for_each(|count| place.put(&format!("{directory}/{count}.proftext"), profile_of(count)));
}

/// The beginning of the name of a file that a watcher has taken away.
const CLAIM: &str = ".profrt-watch-";

#[test]
fn a_directory_that_is_renamed_does_not_count_twice() {
    let place = Place::new();
    twenty(&place, "sub");
    place.once_well(&["--remember", "5"]);
    for (from, to) in [("in/sub", "in/other"), ("in/other", "in/third")] {
        fs::rename(place.path(from), place.path(to)).unwrap();
        place.once_well(&["--remember", "5"]);
        assert_eq!(place.main(), 210);
    }
    // While it runs.
    let mut live = Live::start(&place, &["--remember", "5"]);
    place.put("a.proftext", profile_of(1000));
    live.until_main(&place, 1210);
    fs::rename(place.path("in/third"), place.path("in/fourth")).unwrap();
    place.put("b.proftext", profile_of(20_000));
    live.until("the last file is merged", || place.main() >= 21_210);
    assert_eq!(live.stop(Signal::TERM).code, 0);
    assert_eq!(place.main(), 21_210);
}

#[test]
fn a_watched_directory_that_is_moved_is_known() {
    let place = Place::new();
    place.put("pool.proftext", profile_of(5));
    place.once_well(&[]);
    place.put("pool.proftext", profile_of(8));
    fs::rename(place.path("in"), place.path("moved")).unwrap();
    let output = run_in(place.dir.path(), &["watch", "moved", "-o", "out.profdata", "--once", "--settle", "0"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && text.contains("changed after it was merged"), "{text}");
    assert_eq!(place.main(), 5);
}

#[test]
fn a_directory_that_is_empty_for_a_while_is_not_forgotten() {
    let place = Place::new();
    twenty(&place, ".");
    place.once_well(&["--remember", "5"]);
    // As when a file system is not mounted.
    fs::rename(place.path("in"), place.path("away")).unwrap();
    fs::create_dir(place.path("in")).unwrap();
    place.once_well(&["--remember", "5"]);
    fs::remove_dir(place.path("in")).unwrap();
    fs::rename(place.path("away"), place.path("in")).unwrap();
    place.once_well(&["--remember", "5"]);
    assert_eq!(place.main(), 210);
}

#[test]
fn what_is_not_mounted_is_not_forgotten() {
    let (place, other) = (Place::new(), Place::in_memory());
    let device = |place: &Place| std::os::unix::fs::MetadataExt::dev(&fs::metadata(place.path("in")).unwrap());
    if device(&place) == device(&other) {
        eprintln!("there is one file system only: this test is left out");
        return;
    }
    place.put("pool.proftext", profile_of(5));
    place.once_well(&["--remember", "0"]);
    fs::rename(place.path("in"), place.path("away")).unwrap();
    symlink(other.path("in"), place.path("in")).unwrap();
    (0..2).for_each(|_| place.once_well(&["--remember", "0"]));
    fs::remove_file(place.path("in")).unwrap();
    fs::rename(place.path("away"), place.path("in")).unwrap();
    place.put("pool.proftext", profile_of(8));
    let Said { code, text } = place.once(&["--remember", "0"]);
    assert!(code == 1 && text.contains("changed after it was merged"), "{code}: {text}");
    assert_eq!(place.main(), 5);
}

#[test]
fn the_state_is_bounded_while_files_come_all_the_time() {
    let place = Place::new();
    let options = ["--delete", "--interval", "0.1", "--remember", "10"];
    let mut live = Live::of(
        profrt(place.dir.path())
            .args(["watch", "in", "-o", "out.profdata", "--settle", "0.05", "--rescan", "0.2"])
            .args(options),
    );
    let mut number = 0;
    let start = Instant::now();
    let mut put_until = |is_so: &dyn Fn(u64) -> bool| {
        while !is_so(number) {
            number += 1;
            place.put(&format!("{number}.proftext"), profile_of(number));
            std::thread::sleep(Duration::from_millis(5));
            assert!(start.elapsed() < Duration::from_secs(60), "{number} files");
        }
    };
    put_until(&|number| number >= 300);
    let size = || fs::metadata(place.path("out.profdata.watch")).unwrap().len();
    put_until(&|number| size() < number * 33 / 2);
    let sum = number * (number + 1) / 2;
    live.until("all files are merged", || place.main() == sum);
    assert_eq!(live.stop(Signal::TERM).code, 0);
}

#[test]
fn files_that_another_watcher_took_are_reported_and_adopted_when_asked() {
    let place = Place::new();
    let orphan = format!("{CLAIM}0123456789abcdef-0123456789abcdef-a.proftext");
    place.put(&orphan, profile_of(1));
    place.put("b.proftext", profile_of(20));
    for arguments in [&["--delete"][..], &["-q"]] {
        let Said { code, text } = place.once(arguments);
        assert!(code == 1 && text.contains("1 file") && text.contains("--adopt"), "{code}: {text}");
        assert_eq!(place.main(), 20);
        assert!(place.names("in").contains(&orphan));
    }
    place.once_well(&["--delete", "--adopt"]);
    assert_eq!((place.main(), place.names("in").len()), (21, 0));
}

/// A watcher that can write no byte to any file.
fn with_a_full_disk(place: &Place, arguments: &[&str]) -> Command {
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_profrt"), "watch", "in", "-o", "out.profdata", "--delete"]);
    command.args(arguments).current_dir(place.dir.path());
    command
}

#[test]
fn files_have_their_names_again_when_no_result_can_be_written() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    place.once_well(&["--delete"]);
    place.put("b.proftext", profile_of(20));
    let output = ended(&mut with_a_full_disk(&place, &["--once", "--settle", "0"]));
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(place.names("in"), BTreeSet::from(["b.proftext".to_owned()]));
    // Nothing more is taken away while that lasts.
    let live = Live::of(&mut with_a_full_disk(&place, &["--settle", "0.05", "--interval", "0.1"]));
    let is_taken = || place.names("in").iter().any(|name| name.starts_with(CLAIM));
    let start = Instant::now();
    while !is_taken() && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(500));
    place.put("c.proftext", profile_of(300));
    std::thread::sleep(Duration::from_millis(500));
    assert!(is_taken() && place.path("in/c.proftext").exists(), "{:?}", place.names("in"));
    let Said { code, text } = live.stop(Signal::TERM);
    assert!(code == 2 && !text.contains("are where they were"), "{code}: {text}");
    assert_eq!(place.names("in"), ["b.proftext", "c.proftext"].map(String::from).into());
    place.once_well(&["--delete"]);
    assert_eq!((place.main(), place.names("in").len()), (321, 0));
}

#[test]
fn a_report_replaces_nothing_but_a_report() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    place.put("empty.profraw", "");
    place.once(&["--report", "report.json"]);
    place.once(&["--report", "report.json"]);
    fs::write(place.path("notes"), "somebody's").unwrap();
    symlink("in/a.proftext", place.path("link")).unwrap();
    fs::hard_link(place.path("out.profdata"), place.path("hard")).unwrap();
    let mine = ["out.profdata", "out.profdata.watch", "out.profdata.watch.lock", "link", "hard", "notes"];
    for report in mine.into_iter().chain(["in/a.proftext", "in/empty.profraw"]) {
        let before = fs::read(place.path(report)).unwrap();
        let Said { code, text } = place.once(&["--report", report]);
        assert!(code == 2 && text.contains("--report"), "{report}: {code}: {text}");
        assert_eq!(fs::read(place.path(report)).unwrap(), before, "{report}");
    }
}

#[test]
fn the_output_of_another_watcher_is_no_input() {
    let place = Place::new();
    place.put("x.proftext", profile_of(12));
    let watch = |arguments: &[&str]| {
        let usual = ["watch", "in", "--once", "--settle", "0"];
        let output = run_in(place.dir.path(), &[&usual[..], arguments].concat());
        assert!(output.status.success(), "{output:?}");
    };
    watch(&["-o", "in/a.profdata"]);
    watch(&["-o", "in/b.profdata", "--delete"]);
    watch(&["-o", "in/a.profdata"]);
    for output in ["in/a.profdata", "in/b.profdata"] {
        assert_eq!(counters(&place.path(output)), [("main".to_owned(), vec![12])], "{output}");
    }
    place.put("y.proftext", profile_of(300));
    merged(place.dir.path(), &["in"]);
    assert_eq!(counters(&place.path("merged.profdata")), [("main".to_owned(), vec![300])]);
    // Anybody may put a file with such a name there.
    place.put("y.proftext.watch", "");
    watch(&["-o", "in/b.profdata", "--delete"]);
    assert_eq!(counters(&place.path("in/b.profdata")), [("main".to_owned(), vec![312])]);
}

#[test]
fn a_slow_writer_from_before_the_start_is_waited_for() {
    let place = Place::new();
    let mut slow = fs::File::create(place.path("in/slow.proftext")).unwrap();
    std::io::Write::write_all(&mut slow, b":ir\nmain\n7\n1\n").unwrap();
    place.put("a.proftext", profile_of(1));
    let mut live = Live::start(&place, &["--delete", "--settle", "0.2"]);
    live.until_main(&place, 1);
    std::thread::sleep(Duration::from_millis(600));
    std::io::Write::write_all(&mut slow, b"4000\n").unwrap();
    drop(slow);
    live.until_main(&place, 4001);
    let Said { code, text } = live.stop(Signal::TERM);
    assert_eq!((code, place.names("in").len()), (0, 0), "{text}");
}

#[test]
fn a_torn_file_from_the_future_waits_and_not_for_ever() {
    let place = Place::new();
    let write = |content: &[u8]| {
        let mut file = fs::OpenOptions::new().append(true).create(true).open(place.path("in/slow.proftext")).unwrap();
        std::io::Write::write_all(&mut file, content).unwrap();
        file.set_modified(std::time::SystemTime::now() + Duration::from_secs(3600)).unwrap();
    };
    write(b":ir\nmain\n7\n1\n");
    place.put("a.proftext", profile_of(1));
    let mut live = Live::start(&place, &["--settle", "0.2"]);
    live.until_main(&place, 1);
    std::thread::sleep(Duration::from_millis(600));
    write(b"4000\n");
    live.until_main(&place, 4001);
    let start = Instant::now();
    fs::write(place.path("torn"), &damaged(50_000)[..]).unwrap();
    let torn = fs::File::options().write(true).open(place.path("torn")).unwrap();
    torn.set_modified(std::time::SystemTime::now() + Duration::from_secs(3600)).unwrap();
    fs::rename(place.path("torn"), place.path("in/torn.proftext")).unwrap();
    live.until_main(&place, 54_001);
    assert!(start.elapsed() >= Duration::from_secs(3), "{:?}", start.elapsed());
    assert_eq!(live.stop(Signal::TERM).code, 0);
}

#[test]
fn a_pipe_in_the_place_of_a_file_does_not_hang_it() {
    for name in ["out.profdata.watch", "out.profdata.watch.lock", "report.json"] {
        let place = Place::new();
        place.put("a.proftext", profile_of(1));
        run(Command::new("mkfifo").arg(place.path(name)));
        let mut live = Live::start(&place, &["--once", "--report", "report.json"]);
        let start = Instant::now();
        while live.child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < Duration::from_secs(20), "{name}");
            std::thread::sleep(Duration::from_millis(5));
        }
        let Said { code, text } = live.end();
        assert!(code == 2 && text.contains("no file"), "{name}: {code}: {text}");
    }
}

#[test]
fn a_signal_does_not_wait_for_a_long_settle() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    let mut live = Live::start(&place, &["--delete", "--settle", "5"]);
    live.until("the file is taken away", || !place.path("in/a.proftext").exists());
    let start = Instant::now();
    let Said { code, text } = live.stop(Signal::TERM);
    assert!(code == 0 && start.elapsed() < Duration::from_secs(4), "{:?}: {code}: {text}", start.elapsed());
    assert_eq!(place.names("in"), BTreeSet::from(["a.proftext".to_owned()]), "{text}");
    place.once_well(&["--delete"]);
    assert_eq!((place.main(), place.names("in").len()), (1, 0));
}

#[test]
fn what_a_link_leads_to_is_replaced_and_keeps_its_mode() {
    let place = Place::new();
    fs::create_dir(place.path("real")).unwrap();
    symlink("real/result", place.path("out.profdata")).unwrap();
    for (count, sum) in [(1, 1), (20, 21)] {
        place.put("a.proftext", profile_of(count));
        place.once_well(&["--delete"]);
        assert!(fs::symlink_metadata(place.path("out.profdata")).unwrap().is_symlink());
        assert_eq!(counters(&place.path("real/result")), [("main".to_owned(), vec![sum])]);
        let mode = || fs::metadata(place.path("real/result")).unwrap().permissions().mode() & 0o7777;
        assert!(count == 1 || mode() == 0o604, "{:o}", mode());
        fs::set_permissions(place.path("real/result"), fs::Permissions::from_mode(0o604)).unwrap();
    }
}
