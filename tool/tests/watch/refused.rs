//! What is refused and not damaged stays where it is: another kind, another hash era, another program, no profile at all.

use rustix::process::Signal;

use super::live::Live;
use super::*;
use profrt_format::{Encoding, RawVersion};

const C: &str = "int main(void) { return 0; }\n";

/// A raw profile whose records are in its program.
fn correlated() -> Vec<u8> {
    let whole = named(RawVersion::V10, Encoding::NATIVE);
    let (data, names) = (Default::default(), Default::default());
    Profile { data, names, values: Vec::new(), ..whole }.write().unwrap()
}

/// An indexed profile of IR instrumentation, so that the kind of the sum is known.
fn begin(place: &Place) {
    place.put("first.proftext", profile_of(4000));
    place.once_well(&["--delete"]);
    assert_eq!(place.names("in").len(), 0);
}

/// Files that no watcher of IR profiles can merge, none of which is damaged.
fn others() -> [(&'static str, Vec<u8>); 5] {
    let mem_prof = [&b"\x81rforpm\xff"[..], &[0; 64]].concat();
    [
        ("fe.proftext", b":fe\nmain\n7\n1\n50000\n".to_vec()),
        ("memprof.profraw", mem_prof),
        ("main.profraw", C.as_bytes().to_vec()),
        ("sub/correlated.profraw", correlated()),
        ("sample.proftext", b"main:184019:0\n 4: 534\n 4.2: 534\n".to_vec()),
    ]
}

/// A tar archive with these members.
fn tar_of(members: &[(&str, &str)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, content) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, content.as_bytes()).unwrap();
    }
    tar.into_inner().unwrap()
}

#[test]
fn what_is_refused_stays_and_is_told_once() {
    for options in [&[][..], &["--delete"], &["--delete", "--delete-damaged"]] {
        let place = Place::new();
        begin(&place);
        for (name, content) in others() {
            place.put(name, content);
        }
        place.put("more.proftext", profile_of(300));
        place.put("damaged.proftext", damaged(20));
        let Said { code, text } = place.once(options);
        assert_eq!((code, place.main()), (1, 4320), "{options:?}: {text}");
        for (name, content) in others() {
            assert_eq!(fs::read(place.path("in").join(name)).ok(), Some(content), "{options:?}: {name}: {text}");
            assert_eq!(text.matches(&format!("{name}: refused")).count(), 1, "{options:?}: {name}: {text}");
        }
        let expected = others().len() + [2, 1, 0][options.len()];
        assert_eq!(place.names("in").len(), expected, "{options:?}: {:?}", place.names("in"));
        // The next watcher knows them.
        let Said { text, .. } = place.once(options);
        assert!(!text.contains("refused") && place.main() == 4320, "{options:?}: {text}");
        assert_eq!(place.names("in").len(), expected, "{options:?}: {:?}", place.names("in"));
    }
}

#[test]
fn a_program_of_another_hash_era_stays() {
    const LONG: u64 = 0xc647_5a94_6d5a_5ab7;
    let place = Place::new();
    let front_end = |hash: u64| format!(":fe\nmain\n{hash}\n1\n5\n");
    place.put("old.proftext", front_end(LONG));
    let options = ["--delete", "--delete-damaged", "--for", "clang-22"];
    let Said { code, text } = place.once(&options);
    assert!(code == 1 && text.contains("old.proftext: refused") && text.contains("clang 22"), "{code}: {text}");
    assert_eq!(fs::read_to_string(place.path("in/old.proftext")).ok(), Some(front_end(LONG)));
}

#[test]
fn what_follows_a_refused_file_under_its_name_counts() {
    for options in [&[][..], &["--delete"]] {
        let place = Place::new();
        begin(&place);
        place.put("a.proftext", C);
        assert_eq!(place.once(options).code, 1);
        place.put("a.proftext", profile_of(300));
        place.once_well(options);
        assert_eq!(place.main(), 4300);
    }
}

#[test]
fn an_archive_with_a_refused_member_stays_and_counts_once() {
    let place = Place::new();
    begin(&place);
    place.put("night.tar", tar_of(&[("a.proftext", &profile_of(300)), ("m.profraw", C)]));
    let options = ["--delete", "--delete-damaged", "--remember", "0"];
    for (code, main) in [(1, 4300), (0, 4300), (0, 4300)] {
        let said = place.once(&options);
        assert_eq!((said.code, place.main()), (code, main), "{}", said.text);
        assert_eq!(place.names("in"), BTreeSet::from(["night.tar".to_owned()]), "{}", said.text);
    }
}

#[test]
fn an_archive_with_a_member_that_is_in_no_result_stays() {
    let options = ["--delete", "--delete-damaged"];
    // The member was refused before, or is refused in the same batch.
    for (is_before, other) in [(true, ":fe\nmain\n7\n1\n50000\n"), (true, C), (false, C)] {
        let all = [("a.proftext", other), ("b.proftext", &profile_of(300))];
        for members in [&all[..1], &all] {
            let place = Place::new();
            begin(&place);
            place.put("a.proftext", other);
            if is_before {
                assert_eq!(place.once(&options).code, 1);
                fs::remove_file(place.path("in/a.proftext")).unwrap();
            }
            let tar = tar_of(members);
            place.put("night.tar", &tar);
            let Said { code, text } = place.once(&options);
            assert!(code == 1 && text.contains("night.tar: refused: "), "{code}: {text}");
            assert_eq!(fs::read(place.path("in/night.tar")).ok().as_ref(), Some(&tar), "{text}");
            assert_eq!(place.main(), [4000, 4300][members.len() - 1]);
            place.once_well(&options);
            assert!(place.path("in/night.tar").exists());
            // Another archive of that name counts, as if this one had been removed.
            place.put("night.tar", tar_of(&[("c.proftext", &profile_of(50_000))]));
            place.once_well(&options);
            assert_eq!((place.main() / 50_000, place.path("in/night.tar").exists()), (1, false));
        }
    }
}

#[test]
fn an_archive_whose_members_are_known_is_removed() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    place.once_well(&["--delete"]);
    place.put("b.proftext", profile_of(20));
    place.put("night.tar", tar_of(&[("a.proftext", &profile_of(1)), ("b.proftext", &profile_of(20))]));
    place.once_well(&["--delete"]);
    assert_eq!((place.main(), place.names("in").len()), (21, 0));
}

#[test]
fn an_archive_with_a_damaged_member_that_is_known_is_put_aside() {
    for is_before in [true, false] {
        let place = Place::new();
        place.put("a.proftext", damaged(5));
        if is_before {
            assert_eq!(place.once(&["--delete", "--delete-damaged"]).code, 1);
            assert_eq!(place.names("in").len(), 0);
        }
        place.put("night.tar", tar_of(&[("a.proftext", &damaged(5))]));
        let Said { code, text } = place.once(&["--delete"]);
        let names = place.names("in");
        assert!(
            code == 1 && names.iter().any(|name| name.starts_with("night.tar.corrupt-")),
            "{code}: {text}: {names:?}"
        );
        assert_eq!((place.main(), names.len()), (5, if is_before { 1 } else { 2 }), "{names:?}");
    }
}

#[test]
fn an_archive_with_a_damaged_and_a_refused_member_stays() {
    let place = Place::new();
    begin(&place);
    place.put("night.tar", tar_of(&[("a.proftext", &damaged(300)), ("m.profraw", C)]));
    let Said { code, text } = place.once(&["--delete", "--delete-damaged"]);
    assert_eq!((code, place.main(), place.names("in")), (1, 4300, ["night.tar".to_owned()].into()), "{text}");
}

#[test]
fn a_member_that_counts_does_not_stay_with_one_that_was_refused() {
    let place = Place::new();
    begin(&place);
    place.put("night.tar", tar_of(&[("a.proftext", &profile_of(300)), ("m.profraw", C)]));
    assert_eq!(place.once(&["--delete"]).code, 1);
    place.put("a.proftext", profile_of(300));
    place.once_well(&["--delete"]);
    assert_eq!((place.main(), place.names("in")), (4300, ["night.tar".to_owned()].into()));
}

#[test]
fn an_archive_with_members_that_are_no_profiles_stays() {
    let (notes, profile) = (("notes.txt", "of that night"), ("a.proftext", &*profile_of(300)));
    for members in [&[notes][..], &[notes, profile]] {
        let place = Place::new();
        begin(&place);
        place.put("night.tar", tar_of(members));
        for _ in 0..2 {
            place.once_well(&["--delete", "--delete-damaged"]);
            assert_eq!(place.main(), [4000, 4300][members.len() - 1]);
            assert_eq!(place.names("in"), ["night.tar".to_owned()].into());
        }
    }
}

#[test]
fn an_archive_that_was_torn_and_is_whole_later_does_not_count_twice() {
    let place = Place::new();
    begin(&place);
    let profile = text(&[("main", 300), ("other", 50_000)]);
    let tar = tar_of(&[("notes.txt", "of that night"), ("a.proftext", &profile)]);
    place.put("night.tar", &tar[..1536 + profile.len() - 10]);
    let main = || place.counts().into_iter().find(|(name, _)| name == "main").unwrap().1;
    let Said { code, text } = place.once(&["--delete"]);
    assert_eq!((code, main(), place.path("in/night.tar").exists()), (1, 4300, true), "{text}");
    place.put("night.tar", &tar);
    let Said { text, .. } = place.once(&["--delete"]);
    assert_eq!(main(), 4300, "{text}");
}

#[test]
fn changed_content_is_never_deleted() {
    let place = Place::new();
    place.put("pool.proftext", profile_of(5));
    place.once_well(&[]);
    place.put("pool.proftext", profile_of(8));
    place.once(&["--delete", "--delete-damaged"]);
    let names: Vec<String> = place.names("in").into_iter().collect();
    assert!(names.len() == 1 && names[0].starts_with("pool.proftext"), "{names:?}");
    assert_eq!((fs::read_to_string(place.path("in").join(&names[0])).unwrap(), place.main()), (profile_of(8), 5));
}

#[test]
fn a_refused_file_is_not_read_again_and_again() {
    let place = Place::new();
    begin(&place);
    place.put("main.profraw", C);
    let often = ["--settle", "0.05", "--interval", "0", "--rescan", "0.05", "--delete"];
    let mut live = Live::of(profrt(place.dir.path()).args(["watch", "in", "-o", "out.profdata"]).args(often));
    let changed = || {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(place.path("in/main.profraw")).ok().map(|found| (found.ctime(), found.ctime_nsec()))
    };
    let first = changed();
    live.until("the file is refused", || changed().is_some_and(|now| Some(now) != first));
    let refused = changed();
    place.put("more.proftext", profile_of(300));
    live.until_main(&place, 4300);
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(changed(), refused);
    let Said { text, .. } = live.stop(Signal::TERM);
    assert_eq!((text.matches("main.profraw: refused").count(), changed()), (1, refused), "{text}");
}
