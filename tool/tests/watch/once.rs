//! `--once`: what is merged, what is removed and what stays, and what does not start.

use serde_json::Value;

use super::*;
use profrt_format::{Encoding, Endian, RawVersion, WordSize};

const LITTLE: Encoding = Encoding { word: WordSize::W64, endian: Endian::Little };

/// Files of all kinds, of one program.
fn all_kinds(place: &Place) {
    place.put("a.profraw", named(RawVersion::V10, LITTLE).write().unwrap());
    place.put("sub/old.profraw", named(RawVersion::V8, LITTLE).write().unwrap());
    place.put("b.proftext", text(&[("one", 3), ("other", 9)]));
    place.put("copy.proftext", text(&[("one", 3), ("other", 9)]));
    // Named like nothing, and known by its first bytes.
    place.put("no-name", named(RawVersion::V9, LITTLE).write().unwrap());
    place.put("notes.txt", "no profile");
    place.put("c.tar", tar_of(&[("x.proftext", &text(&[("two", 8)])), ("y.proftext", &text(&[("one", 3)]))]));
    fs::write(place.path("part.proftext"), text(&[("one", 70)])).unwrap();
    run(profrt(place.dir.path()).args(["merge", "part.proftext", "--partial", "-o", "in/d.profpart"]));
}

#[test]
fn the_result_is_that_of_merge() {
    let place = Place::new();
    all_kinds(&place);
    let expected = place.merged(&["in"]);
    place.once_well(&[]);
    assert!(place.merged(&[OUT]) == expected);
    // A part today, a part tomorrow.
    let other = Place::new();
    all_kinds(&other);
    let later = ["a.profraw", "c.tar", "d.profpart"];
    later.iter().for_each(|name| fs::rename(other.path("in").join(name), other.path(name)).unwrap());
    other.once_well(&["--delete"]);
    for name in later {
        fs::rename(other.path(name), other.path("in").join(name)).unwrap();
        other.once_well(&["--delete"]);
    }
    assert!(other.merged(&[OUT]) == expected);
    assert_eq!(other.names("in"), set_of(["notes.txt"]));
}

#[test]
fn what_was_merged_counts_once_also_under_another_name() {
    let place = Place::new();
    (1..=20).for_each(|count| place.put(&format!("sub/{count}.proftext"), profile_of(count)));
    (0..3).for_each(|_| place.once_well(&[]));
    for (from, to) in [("in/sub", "in/other"), ("in/other/1.proftext", "in/one.proftext")] {
        fs::rename(place.path(from), place.path(to)).unwrap();
        (0..2).for_each(|_| place.once_well(&[]));
        assert_eq!(place.main(), 210);
    }
    // Written again with the same content, and a second name.
    place.put("one.proftext", profile_of(1));
    fs::hard_link(place.path("in/one.proftext"), place.path("in/two.proftext")).unwrap();
    place.once_well(&[]);
    assert_eq!(place.main(), 210);
    fs::remove_file(place.path("in/one.proftext")).unwrap();
    place.once_well(&[]);
    assert_eq!(place.main(), 210);
    // The rest of its life with --delete.
    place.once_well(&["--delete"]);
    assert_eq!((place.main(), place.names("in").len()), (210, 0));
    place.put("one.proftext", profile_of(1));
    place.once_well(&["--delete"]);
    assert_eq!((place.main(), place.names("in").len()), (211, 0));
}

#[test]
fn a_directory_that_was_not_mounted_counts_once() {
    let place = Place::new();
    (1..=3).for_each(|count| place.put(&format!("{count}.proftext"), profile_of(count)));
    place.once_well(&[]);
    fs::rename(place.path("in"), place.path("away")).unwrap();
    fs::create_dir(place.path("in")).unwrap();
    (0..2).for_each(|_| place.once_well(&[]));
    fs::remove_dir(place.path("in")).unwrap();
    fs::rename(place.path("away"), place.path("in")).unwrap();
    (0..2).for_each(|_| place.once_well(&[]));
    assert_eq!(place.main(), 6);
    // Back is back: a file that changes now is not merged twice.
    place.put("1.proftext", profile_of(10));
    place.once_badly(&[], &["1.proftext: it changed after it was merged"]);
    // All were removed, and another run has written one of the names.
    (1..=3).for_each(|count| fs::remove_file(place.path(&format!("in/{count}.proftext"))).unwrap());
    place.once_well(&[]);
    place.put("1.proftext", profile_of(100));
    (0..2).for_each(|_| place.once_well(&[]));
    assert_eq!(place.main(), 106);
    // With another file there, those that are missed are forgotten, and count again.
    fs::rename(place.path("in/1.proftext"), place.path("1.proftext")).unwrap();
    place.put("4.proftext", profile_of(1000));
    (0..2).for_each(|_| place.once_well(&[]));
    fs::rename(place.path("1.proftext"), place.path("in/1.proftext")).unwrap();
    place.once_well(&[]);
    assert_eq!(place.main(), 1206);
}

#[test]
fn a_file_with_several_names_is_not_taken_away() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    fs::hard_link(place.path("in/a.proftext"), place.path("in/b.proftext")).unwrap();
    place.once_badly(&["--delete"], &["a.proftext: cannot be taken away", "hard links"]);
    assert_eq!((place.main(), place.names("in").len()), (0, 2));
    fs::remove_file(place.path("in/b.proftext")).unwrap();
    place.once_well(&["--delete"]);
    assert_eq!((place.main(), place.names("in").len()), (1, 0));
}

#[test]
fn what_is_not_whole_is_in_no_result_and_stays() {
    for arguments in [&[][..], &["--delete"]] {
        let place = Place::new();
        place.put("first.proftext", profile_of(4000));
        place.once_well(&["--delete"]);
        let raw = named(RawVersion::V10, LITTLE).write().unwrap();
        let cut = &raw[..raw.len() - 20];
        let files: [(&str, &[u8]); 6] = [
            ("bad.proftext", damaged(20).as_bytes()),
            ("cut.profraw", cut),
            ("empty.profraw", b""),
            ("front-end.proftext", FRONT_END.as_bytes()),
            ("main.profraw", b"int main(void) { return 0; }\n"),
            ("memprof.profraw", b"\x81rforpm\xff0000000000000000"),
        ]
        .map(|(name, content)| (name, Vec::leak(content.to_vec()) as &[u8]));
        files.iter().for_each(|(name, content)| place.put(name, content));
        place.put("good.proftext", profile_of(300));
        for round in 0..2 {
            let words = files.map(|(name, _)| name);
            place.once_badly(&[arguments, &["--json", "report.json"]].concat(), &words);
            assert_eq!(place.main(), 4300, "{arguments:?} {round}");
            for (name, content) in &files {
                assert_eq!(fs::read(place.path("in").join(name)).unwrap(), *content, "{name}");
            }
        }
        let report: Value = serde_json::from_slice(&fs::read(place.path("report.json")).unwrap()).unwrap();
        assert_eq!((&report["schema"], &report["totals"]["inputs"]), (&"profrt-watch-2".into(), &2.into()));
        assert_eq!((&report["totals"]["counts"], &report["waiting"]), (&4300.into(), &0.into()));
        let problems = report["problems"].as_array().unwrap();
        assert_eq!(problems.len(), files.len(), "{report:#}");
        assert!(problems.iter().all(|problem| problem["input"].as_str().unwrap().starts_with("in/")), "{report:#}");
        // When one is whole, it counts.
        place.put("bad.proftext", profile_of(20));
        place.once(arguments);
        assert_eq!(place.main(), 4320);
    }
}

#[test]
fn a_file_that_grows_does_not_count_twice() {
    let place = Place::new();
    place.put("pool.proftext", profile_of(5));
    place.once_well(&[]);
    for count in [8, 9] {
        place.put("pool.proftext", profile_of(count));
        place.once_badly(&[], &["changed after it was merged", "--delete"]);
        assert_eq!(place.main(), 5);
    }
    // With --delete it still does not count, for it has the counts that were merged.
    place.once_badly(&["--delete"], &["changed after it was merged"]);
    assert_eq!((place.main(), place.names("in")), (5, set_of(["pool.proftext"])));
    // The next pool begins with nothing, and each time again.
    fs::remove_file(place.path("in/pool.proftext")).unwrap();
    place.once_well(&["--delete"]);
    for (count, sum) in [(2, 7), (30, 37), (2, 39)] {
        place.put("pool.proftext", profile_of(count));
        place.once_well(&["--delete"]);
        assert_eq!((place.main(), place.names("in").len()), (sum, 0));
    }
}

/// A late writer, which has opened the file before it was taken away.
#[test]
fn what_is_added_to_a_file_that_is_merged_is_never_removed() {
    use super::tracer::{Act, End, run};
    let mut is_seen = false;
    for number in 0.. {
        let place = Place::in_memory();
        place.put("pool.proftext", profile_of(5));
        let mut late = fs::File::options().write(true).open(place.path("in/pool.proftext")).unwrap();
        let write = || std::io::Write::write_all(&mut &late, profile_of(70).as_bytes()).unwrap();
        let mut program = profrt(place.dir.path());
        program.args(["watch", "in", "-o", OUT, "--once", "--interval", "0", "--delete"]);
        if let End::Before(_) = run(&program, number, Act::Do(&write)) {
            break;
        }
        for _ in 0..2 {
            place.once(&["--delete"]);
            let (main, names) = (place.main(), place.names("in"));
            // It is in the sum as it was at first, and stays as it is now; or it was read late; or it was changed at the end of all.
            assert!(main == 5 && names.len() < 2 || main == 70 && names.is_empty(), "{number}: {main}: {names:?}");
            is_seen |= main == 5 && names.len() == 1;
        }
        std::io::Seek::rewind(&mut late).unwrap();
    }
    assert!(is_seen);
}

#[test]
fn an_inode_that_is_used_again_is_another_file() {
    let place = Place::new();
    let id = |path: &Path| std::os::unix::fs::MetadataExt::ino(&fs::metadata(path).unwrap());
    let path = place.path("in/a.proftext");
    place.put("a.proftext", profile_of(5));
    let (inode, time) = (id(&path), fs::metadata(&path).unwrap().modified().unwrap());
    // The output still has the file that is gone.
    place.once_well(&["--delete"]);
    for number in 0..100 {
        place.put("a.proftext", profile_of(7));
        if id(&path) == inode {
            break;
        }
        fs::rename(&path, place.path(&format!("other-{number}"))).unwrap();
    }
    place.put("a.proftext", profile_of(7));
    if id(&path) != inode {
        eprintln!("the file system does not use inodes again");
    }
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    place.once_well(&["--delete"]);
    assert_eq!((place.main(), place.names("in").len()), (12, 0));
    // The same where nothing is removed by the watcher.
    place.put("b.proftext", profile_of(100));
    place.once_well(&[]);
    fs::remove_file(place.path("in/b.proftext")).unwrap();
    place.put("c.proftext", profile_of(300));
    place.once_well(&[]);
    assert_eq!(place.main(), 412);
}

#[test]
fn a_file_that_a_writer_has_locked_waits() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    let file = fs::File::options().write(true).open(place.path("in/a.proftext")).unwrap();
    rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap();
    for arguments in [&[][..], &["--delete"], &["--quiet"]] {
        place.once_badly(arguments, &["1 file left for the next time"]);
        assert_eq!((place.main(), place.names("in")), (0, set_of(["a.proftext"])));
    }
    drop(file);
    place.once_well(&["--delete"]);
    assert_eq!((place.main(), place.names("in").len()), (1, 0));
}

#[test]
fn what_must_not_be_overwritten_is_not() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    let refused = |arguments: &[&str], words: &[&str]| {
        let Said { code, text } = place.once(arguments);
        assert_eq!(code, 2, "{arguments:?}: {text}");
        words.iter().for_each(|word| assert!(text.contains(word), "{word}: {text}"));
    };
    fs::write(place.path(OUT), "somebody's").unwrap();
    refused(&[], &["was not written by a watcher"]);
    run(profrt(place.dir.path()).args(["merge", "in/a.proftext", "--partial", "-o", OUT]));
    refused(&[], &["was not written by a watcher"]);
    fs::remove_file(place.path(OUT)).unwrap();
    place.once_well(&[]);
    // An output with any byte changed, or cut.
    let output = place.output();
    for at in (0..output.len()).step_by(7) {
        let mut bad = output.clone();
        bad[at] ^= 1;
        fs::write(place.path(OUT), &bad).unwrap();
        refused(&["--delete"], &["remedy: "]);
    }
    fs::write(place.path(OUT), &output[..output.len() / 2]).unwrap();
    refused(&["--delete"], &["is damaged"]);
    assert_eq!(place.names("in").len(), 1);
    fs::write(place.path(OUT), &output).unwrap();
    place.once_well(&["--delete"]);
    assert_eq!(place.main(), 1);
    refused(&["-o", "app.profdata"], &["profrt merge app.profpart -o app.profdata"]);
    for arguments in [&["--interval", "-1"][..], &["-o", "absent/out"], &["-o", "in"]] {
        refused(arguments, &[]);
    }
    assert_eq!(run_in(place.dir.path(), &["watch", "absent", "-o", "x", "--once"]).status.code(), Some(2));
}
