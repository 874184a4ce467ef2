//! Outputs that cannot be written, what stands where a watcher wants to write, and what is no input.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use super::*;

#[test]
fn links_pipes_and_hidden_files_do_not_count() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    fs::write(place.path("outside.proftext"), profile_of(20)).unwrap();
    symlink(place.path("outside.proftext"), place.path("in/link.proftext")).unwrap();
    symlink(place.path("in"), place.path("in/again")).unwrap();
    symlink("nowhere", place.path("in/broken.proftext")).unwrap();
    run(Command::new("mkfifo").arg(place.path("in/pipe.profraw")));
    place.put(".a.proftext.XyZ123", profile_of(300));
    place.put(".partial/b.proftext", profile_of(4000));
    place.put("a.proftext.corrupt-77", profile_of(50_000));
    let before = place.names("in").len();
    place.once_well(&["--delete"]);
    assert_eq!((place.main(), place.names("in").len()), (1, before - 1));
    assert!(place.path("outside.proftext").exists());
}

#[test]
fn the_output_and_the_report_may_be_in_the_directory() {
    let place = Place::new();
    for (number, sum) in [(1, 11), (2, 23), (3, 36)] {
        place.put("a.proftext", profile_of(10 + number));
        place.once_well(&["-o", "in/out.profpart", "--delete", "--json", "in/report.proftext"]);
        assert_eq!(place.main_of("in/out.profpart"), sum);
    }
}

#[test]
fn the_output_of_another_watcher_is_no_input() {
    let place = Place::new();
    place.put("x.proftext", profile_of(12));
    place.once_well(&["-o", "in/a.profpart"]);
    place.once_badly(&["-o", "in/b.profpart"], &["a.profpart: it is the output of a profrt watch"]);
    place.once_badly(&["-o", "in/a.profpart"], &["b.profpart: it is the output of a profrt watch"]);
    assert_eq!((place.main_of("in/a.profpart"), place.main_of("in/b.profpart")), (12, 12));
    // Nor for a merge of the directory, but where it is named.
    let merged = place.merged(&["in"]);
    assert!(merged == place.merged(&["in/x.proftext"]) && merged == place.merged(&["in/a.profpart"]));
}

#[test]
fn files_that_another_watcher_took_are_reported() {
    let place = Place::new();
    let orphan = format!("{CLAIM}0123456789abcdef-0123456789abcdef-a.proftext");
    place.put(&orphan, profile_of(1));
    place.put("b.proftext", profile_of(20));
    for arguments in [&["--delete"][..], &["-q"]] {
        place.once_badly(arguments, &[&orphan, "another watcher", "give the file its name again"]);
        assert_eq!((place.main(), place.names("in")), (20, set_of([&orphan])));
    }
}

/// A watcher with --delete takes over from one without; the next run begins a new pool at once.
#[test]
fn the_next_pool_counts_when_a_known_one_is_taken_away() {
    use super::tracer::{Act, End, run};
    let mut is_seen = false;
    for number in system_calls() {
        let place = Place::in_memory();
        place.put("pool.proftext", profile_of(5));
        place.once_well(&[]);
        let is_put = std::cell::Cell::new(false);
        let put = || {
            if !place.path("in/pool.proftext").exists() {
                place.put("pool.proftext", profile_of(70));
                is_put.set(true);
            }
        };
        let mut program = profrt(place.dir.path());
        program.args(["watch", "in", "-o", OUT, "--once", "--interval", "0", "--delete"]);
        let end = run(&program, number, Act::Do(&put));
        place.once_well(&["--delete"]);
        let expected = if is_put.get() { 75 } else { 5 };
        assert_eq!((place.main(), place.names("in").len()), (expected, 0), "{number}");
        is_seen |= is_put.get();
        if matches!(end, End::Before(_)) {
            break;
        }
    }
    assert!(is_seen);
}

/// The name is in use again when a file that was taken away is refused.
#[test]
fn a_refused_file_does_not_replace_the_next_one() {
    use super::tracer::{Act, run};
    let mut is_seen = false;
    for number in system_calls() {
        let place = Place::in_memory();
        place.put("a.proftext", damaged(5));
        let put = || {
            if !place.path("in/a.proftext").exists() {
                place.put("a.proftext", profile_of(20));
            }
        };
        let mut program = profrt(place.dir.path());
        program.args(["watch", "in", "-o", OUT, "--once", "--interval", "0", "--delete"]);
        let end = run(&program, number, Act::Do(&put));
        place.once(&["--delete"]);
        let names = place.names("in");
        is_seen |= place.main() == 20;
        let bad: Vec<_> = names.iter().filter(|name| name.ends_with("a.proftext")).collect();
        assert!(names.len() == 1 && bad.len() == 1, "{number}: {names:?}");
        assert_eq!(fs::read_to_string(place.path("in").join(bad[0])).unwrap(), damaged(5), "{number}");
        if matches!(end, super::tracer::End::Before(_)) {
            break;
        }
    }
    assert!(is_seen);
}

/// A look may miss the files of a directory that is renamed meanwhile.
#[test]
fn a_directory_that_is_renamed_at_any_system_call_counts_once() {
    use super::tracer::{Act, End, run};
    for number in system_calls() {
        let place = Place::in_memory();
        (1..=3).for_each(|count| place.put(&format!("b/{count}.proftext"), profile_of(count)));
        place.once_well(&[]);
        let rename = || fs::rename(place.path("in/b"), place.path(&format!("in/{}", ["a", "c"][number % 2]))).unwrap();
        let mut program = profrt(place.dir.path());
        program.args(["watch", "in", "-o", OUT, "--once", "--interval", "0"]);
        let end = run(&program, number, Act::Do(&rename));
        (0..2).for_each(|_| _ = place.once(&[]));
        assert_eq!(place.main(), 6, "{number}");
        if matches!(end, End::Before(_)) {
            break;
        }
    }
}

#[test]
fn a_report_replaces_nothing_but_a_report() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    (0..2).for_each(|_| place.once_well(&["--json", "report.json"]));
    fs::write(place.path("notes"), "somebody's").unwrap();
    symlink("in/a.proftext", place.path("link")).unwrap();
    fs::hard_link(place.path(OUT), place.path("hard")).unwrap();
    for report in [OUT, ".out.profpart.lock", "link", "hard", "notes", "in/a.proftext"] {
        let before = fs::read(place.path(report)).unwrap();
        let Said { code, text } = place.once(&["--json", report]);
        assert!(code == 2 && text.contains("--json"), "{report}: {code}: {text}");
        assert_eq!(fs::read(place.path(report)).unwrap(), before, "{report}");
    }
}

#[test]
fn a_pipe_in_the_place_of_a_file_does_not_hang_it() {
    for name in [OUT, ".out.profpart.lock", "report.json"] {
        let place = Place::new();
        run(Command::new("mkfifo").arg(place.path(name)));
        let Said { code, text } = place.once(&["--json", "report.json"]);
        assert!(code == 2 && text.contains("no file"), "{name}: {code}: {text}");
    }
}

#[test]
fn what_a_link_leads_to_is_replaced_and_keeps_its_mode() {
    let place = Place::new();
    fs::create_dir(place.path("real")).unwrap();
    symlink("real/result", place.path(OUT)).unwrap();
    for (count, sum) in [(1, 1), (20, 21)] {
        place.put("a.proftext", profile_of(count));
        place.once_well(&["--delete"]);
        assert!(fs::symlink_metadata(place.path(OUT)).unwrap().is_symlink());
        assert_eq!(place.main_of("real/result"), sum);
        let mode = || fs::metadata(place.path("real/result")).unwrap().permissions().mode() & 0o7777;
        assert!(count == 1 || mode() == 0o604, "{:o}", mode());
        fs::set_permissions(place.path("real/result"), fs::Permissions::from_mode(0o604)).unwrap();
    }
}

/// A watcher that can write no byte to any file: it goes on when it can.
#[test]
fn a_full_disk_delays_the_result() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    place.once_well(&["--delete"]);
    place.put("b.proftext", profile_of(20));
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" watch in -o out.profpart --interval 0 --once --delete";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_profrt")]).current_dir(place.dir.path());
    let output = ended(&mut command);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && text.contains("cannot be written"), "{text}");
    assert_eq!((place.main(), place.names("in").len()), (1, 1), "{text}");
    place.once_well(&["--delete"]);
    assert_eq!((place.main(), place.names("in").len()), (21, 0));
}

#[test]
fn the_output_does_not_grow_with_the_number_of_inputs() {
    let place = Place::new();
    let mut sizes = Vec::new();
    for round in 0..4 {
        (0..50).for_each(|number| place.put(&format!("{number}.proftext"), profile_of(1000 + round * 100 + number)));
        place.once_well(&["--delete"]);
        sizes.push(place.output().len());
    }
    // Numbers get longer.
    assert!(sizes[3] < sizes[1] + 100, "{sizes:?}");
}
