//! `--once`: the bytes of `profrt merge`, what is removed and what stays, and what does not start.

use std::os::unix::fs::symlink;

use serde_json::Value;

use super::*;
use profrt_format::{Encoding, Endian, RawVersion, WordSize};

const LITTLE: Encoding = Encoding { word: WordSize::W64, endian: Endian::Little };

/// Files of all kinds, of one program.
fn all_kinds(place: &Place) {
    let raw = named(RawVersion::V10, LITTLE).write().unwrap();
    place.put("a.profraw", &raw);
    place.put("sub/old.profraw", named(RawVersion::V8, LITTLE).write().unwrap());
    place.put("b.proftext", text(&[("one", 3), ("other", 9)]));
    place.put("cut.profraw", &raw[..raw.len() - 20]);
    // Named like nothing, and known by its first bytes.
    place.put("no-name", named(RawVersion::V9, LITTLE).write().unwrap());
    place.put("notes.txt", "no profile");
    let mut tar = tar::Builder::new(Vec::new());
    for (name, content) in [("x.proftext", text(&[("two", 8)])), ("again.proftext", text(&[("one", 3), ("other", 9)]))]
    {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, content.as_bytes()).unwrap();
    }
    place.put("c.tar", tar.into_inner().unwrap());
    fs::write(place.path("part.proftext"), text(&[("one", 70)])).unwrap();
    run(profrt(place.dir.path()).args(["merge", "part.proftext", "--partial", "-o", "in/d.profpart"]));
}

#[test]
fn the_result_is_that_of_merge() {
    for arguments in [&[][..], &["--for", "clang-14"], &["--sparse", "-j", "3"], &["--keep-duplicates"]] {
        let place = Place::new();
        all_kinds(&place);
        let options: Vec<&str> =
            arguments.iter().copied().filter(|argument| !matches!(*argument, "-j" | "3")).collect();
        let once: &[&str] = if arguments.contains(&"--keep-duplicates") { &[] } else { &["--drop-equal"] };
        let options: Vec<&str> = options.into_iter().filter(|option| *option != "--keep-duplicates").collect();
        let expected = merged(place.dir.path(), &[&["in"], &options[..], once].concat());
        let Said { code, text } = place.once(arguments);
        assert_eq!(code, 1, "the cut file: {text}");
        assert!(place.output() == expected, "{arguments:?}: {text}");
        // A part today, a part tomorrow.
        let other = Place::new();
        all_kinds(&other);
        for name in ["a.profraw", "c.tar", "d.profpart"] {
            fs::rename(other.path("in").join(name), other.path(name)).unwrap();
        }
        other.once(&[&["--delete"], arguments].concat());
        for name in ["a.profraw", "c.tar", "d.profpart"] {
            fs::rename(other.path(name), other.path("in").join(name)).unwrap();
            other.once(&[&["--delete"], arguments].concat());
        }
        assert!(other.output() == expected, "{arguments:?}");
        let names: Vec<String> = other.names("in").into_iter().collect();
        assert!(
            names.len() == 2 && names[0].starts_with("cut.profraw.corrupt-") && names[1] == "notes.txt",
            "{names:?}"
        );
    }
}

#[test]
fn what_was_merged_counts_once_and_a_copy_too() {
    let place = Place::new();
    place.put("a.proftext", profile_of(5));
    (0..3).for_each(|_| place.once_well(&[]));
    assert_eq!(place.main(), 5);
    // Under other names, and moved.
    fs::rename(place.path("in/a.proftext"), place.path("in/b.proftext")).unwrap();
    place.put("sub/c.proftext", profile_of(5));
    place.once_well(&[]);
    assert_eq!(place.main(), 5);
    // Removed by somebody, and uploaded again.
    fs::remove_dir_all(place.path("in")).unwrap();
    fs::create_dir(place.path("in")).unwrap();
    place.once_well(&[]);
    place.put("a.proftext", profile_of(5));
    place.once_well(&["--delete"]);
    place.put("a.proftext", profile_of(5));
    place.once_well(&["--delete"]);
    assert_eq!((place.main(), place.names("in").len()), (5, 0));
    place.put("a.proftext", profile_of(6));
    place.once_well(&["--delete"]);
    assert_eq!(place.main(), 11);
}

#[test]
fn equal_contents_count_each_when_asked() {
    let place = Place::new();
    place.put("a.proftext", profile_of(5));
    place.put("b.proftext", profile_of(5));
    (0..2).for_each(|_| place.once_well(&["--keep-duplicates"]));
    assert_eq!(place.main(), 10);
    fs::rename(place.path("in/a.proftext"), place.path("in/c.proftext")).unwrap();
    fs::hard_link(place.path("in/c.proftext"), place.path("in/d.proftext")).unwrap();
    place.once_well(&["--keep-duplicates"]);
    assert_eq!(place.main(), 10, "a new name is no new file");
    place.put("e.proftext", profile_of(5));
    place.once_well(&["--keep-duplicates", "--delete"]);
    assert_eq!((place.main(), place.names("in").len()), (15, 0));
}

#[test]
fn damaged_files_count_once_and_stay() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    place.put("bad.proftext", damaged(20));
    place.put("text.profraw", "this is no profile");
    place.put("empty.profraw", "");
    let Said { code, text } = place.once(&["--report", "report.json"]);
    assert_eq!((code, place.main()), (1, 21), "{text}");
    for word in ["bad.proftext: salvaged", "text.profraw: refused", "empty.profraw: empty"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let report: Value = serde_json::from_slice(&fs::read(place.path("report.json")).unwrap()).unwrap();
    assert_eq!(report["schema"], "profrt-watch-1");
    let totals = |name: &str| report["totals"][name].as_u64().unwrap();
    assert_eq!(["inputs", "whole", "salvaged", "refused", "counts"].map(totals), [3, 1, 1, 1, 21], "{report:#}");
    assert_eq!(report["problems"].as_array().unwrap().len(), 3, "{report:#}");
    // They are known: nothing is said or done a second time, but of the empty one, which is still there.
    let Said { text, .. } = place.once(&[]);
    assert!(!text.contains("bad.proftext") && !text.contains("text.profraw"), "{text}");
    // With --delete they are put aside, and what they had is not counted again. What is no profile stays.
    place.once(&["--delete"]);
    let names: Vec<String> = place.names("in").into_iter().collect();
    assert!(
        names.len() == 3 && names[0].starts_with("bad.proftext.corrupt-") && names[2] == "text.profraw",
        "{names:?}"
    );
    assert_eq!(place.main(), 21);
    place.put("worse.proftext", damaged(300));
    place.once(&["--delete", "--delete-damaged"]);
    assert_eq!((place.main(), place.names("in").len()), (321, 3));
}

#[test]
fn inputs_that_do_not_fit_are_refused_one_by_one() {
    let place = Place::new();
    place.put("0.proftext", profile_of(1));
    place.once_well(&[]);
    (1..20).for_each(|number| place.put(&format!("{number}.proftext"), profile_of(100 + number)));
    place.put("front-end.proftext", ":fe\nmain\n7\n1\n50000\n");
    let Said { code, text } = place.once(&["--delete"]);
    assert_eq!((code, place.main()), (1, 1 + 1900 + 190), "{text}");
    assert!(text.contains("front-end.proftext: refused"), "{text}");
    assert_eq!(place.names("in"), BTreeSet::from(["front-end.proftext".to_owned()]));
}

#[test]
fn a_file_that_grows_does_not_count_twice() {
    let place = Place::new();
    place.put("pool.proftext", profile_of(5));
    place.once_well(&[]);
    for count in [8, 9] {
        place.put("pool.proftext", profile_of(count));
        let Said { code, text } = place.once(&[]);
        assert_eq!((code, place.main()), (1, 5), "{text}");
        assert!(text.contains("changed after it was merged") && text.contains("--delete"), "{text}");
    }
    // The last content is known.
    place.once_well(&[]);
    // With --delete it still does not count, for it has the counts that were merged; and stays.
    place.put("pool.proftext", profile_of(10));
    let Said { text, .. } = place.once(&["--delete"]);
    assert_eq!(place.main(), 5, "{text}");
    assert!(place.names("in").iter().all(|name| name.starts_with("pool.proftext.corrupt-")), "{text}");
    // The next pool begins with nothing, and each time again.
    for (count, sum) in [(2, 7), (30, 37), (2, 37)] {
        place.put("pool.proftext", profile_of(count));
        place.once_well(&["--delete"]);
        assert_eq!(place.main(), sum);
    }
}

#[test]
fn a_file_that_a_writer_has_locked_waits() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    let file = fs::File::options().write(true).open(place.path("in/a.proftext")).unwrap();
    rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap();
    for arguments in [&[][..], &["--delete"], &["--quiet"]] {
        let Said { code, text } = place.once(arguments);
        assert!(code == 1 && text.contains("1 file is left for the next time"), "{code}: {text}");
        assert_eq!(place.names("in"), BTreeSet::from(["a.proftext".into()]));
        assert!(!place.path("out.profdata").exists());
    }
    drop(file);
    place.once_well(&["--delete"]);
    assert_eq!((place.main(), place.names("in").len()), (1, 0));
}

#[test]
fn a_name_that_is_used_again_counts_when_asked() {
    let place = Place::new();
    for (count, sum) in [(5, 5), (8, 13), (8, 13), (1, 14)] {
        place.put("default.proftext", profile_of(count));
        place.once_well(&["--changed", "add"]);
        assert_eq!(place.main(), sum);
    }
    // One that is gone in between is another one anyway.
    fs::remove_file(place.path("in/default.proftext")).unwrap();
    place.once_well(&[]);
    place.put("default.proftext", profile_of(100));
    place.once_well(&[]);
    assert_eq!(place.main(), 114);
}

#[test]
fn links_pipes_and_hidden_files_do_not_count() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    fs::write(place.path("outside.proftext"), profile_of(20)).unwrap();
    symlink(place.path("outside.proftext"), place.path("in/link.proftext")).unwrap();
    symlink(place.path("in"), place.path("in/again")).unwrap();
    symlink("nowhere", place.path("in/broken.proftext")).unwrap();
    run(std::process::Command::new("mkfifo").arg(place.path("in/pipe.profraw")));
    place.put(".a.proftext.XyZ123", profile_of(300));
    place.put(".partial/b.proftext", profile_of(4000));
    place.put("a.proftext.corrupt-77", profile_of(50_000));
    place.put("a.profraw.corrupt-77-1", named(RawVersion::V10, LITTLE).write().unwrap());
    let before = place.names("in").len();
    place.once_well(&["--delete"]);
    assert_eq!((place.main(), place.names("in").len()), (1, before - 1));
    assert!(place.path("outside.proftext").exists());
}

#[test]
fn the_output_may_be_in_the_directory() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    for count in [1, 2, 3] {
        place.put("a.proftext", profile_of(10 + count));
        let output = run_in(
            place.dir.path(),
            &[
                "watch",
                "in",
                "-o",
                "in/out.profdata",
                "--once",
                "--settle",
                "0",
                "--delete",
                "--report",
                "in/r.profdata",
            ],
        );
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(counters(&place.path("in/out.profdata")), [("main".into(), vec![11 + 12 + 13])]);
}

#[test]
fn what_must_not_be_overwritten_is_not() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    fs::write(place.path("out.profdata"), "somebody's").unwrap();
    let Said { code, text } = place.once(&[]);
    assert!(code == 2 && text.contains("was not written by a watcher"), "{text}");
    assert_eq!(place.output(), b"somebody's");
    fs::remove_file(place.path("out.profdata")).unwrap();
    place.once_well(&[]);
    // A state with any byte changed, or cut.
    let state = fs::read(place.path("out.profdata.watch")).unwrap();
    for at in (0..state.len()).step_by(7) {
        let mut bad = state.clone();
        bad[at] ^= 1;
        fs::write(place.path("out.profdata.watch"), &bad).unwrap();
        let Said { code, text } = place.once(&["--delete"]);
        assert!(code == 2 && text.contains("is damaged") && text.contains("remedy:"), "{at}: {text}");
    }
    fs::write(place.path("out.profdata.watch"), &state[..state.len() / 2]).unwrap();
    assert_eq!(place.once(&["--delete"]).code, 2);
    assert_eq!(place.names("in").len(), 1);
    fs::write(place.path("out.profdata.watch"), &state).unwrap();
    place.once_well(&["--delete"]);
    for arguments in
        [&["--for", "gcc-13"][..], &["--settle", "-1"], &["--delete-damaged"], &["-o", "absent/out"], &["-o", "in"]]
    {
        let usual: &[&str] =
            if arguments.contains(&"-o") { &["watch", "in", "--once"] } else { &["watch", "in", "--once", "-o", "x"] };
        assert_eq!(run_in(place.dir.path(), &[usual, arguments].concat()).status.code(), Some(2), "{arguments:?}");
    }
    assert_eq!(run_in(place.dir.path(), &["watch", "absent", "-o", "x", "--once"]).status.code(), Some(2));
}

#[test]
fn an_output_that_is_gone_or_old_is_written_anew() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    place.once_well(&["--delete"]);
    let first = place.output();
    for content in [None, Some("old")] {
        match content {
            None => fs::remove_file(place.path("out.profdata")).unwrap(),
            Some(content) => fs::write(place.path("out.profdata"), content).unwrap(),
        }
        place.once_well(&["--delete"]);
        assert_eq!(place.output(), first);
    }
    // For another compiler.
    place.once_well(&["--for", "indexed-8"]);
    assert_eq!(profdata::read::indexed::Header::parse(&place.output()).unwrap().version, 8);
}

#[test]
fn the_state_does_not_grow_with_the_number_of_inputs() {
    let place = Place::new();
    let mut sizes = Vec::new();
    for round in 0..6 {
        for number in 0..100 {
            place.put(&format!("{number}.proftext"), profile_of(1 + round * 100 + number));
        }
        place.once_well(&["--delete", "--remember", "50"]);
        sizes.push(fs::metadata(place.path("out.profdata.watch")).unwrap().len());
    }
    assert_eq!(place.main(), (1..=600).sum::<u64>());
    // The first list is trimmed when the second one is made; numbers get longer.
    assert!(sizes[5] < sizes[1] + 20, "{sizes:?}");
    // Without --delete, files that are there are never forgotten.
    for number in 0..100 {
        place.put(&format!("{number}.proftext"), profile_of(10_000 + number));
    }
    (0..3).for_each(|_| place.once_well(&["--remember", "0"]));
    assert_eq!(place.main(), (1..=600).sum::<u64>() + (10_000..10_100).sum::<u64>());
}
