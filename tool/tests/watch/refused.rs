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
    let mut tar = tar::Builder::new(Vec::new());
    for (name, content) in [("a.proftext", profile_of(300).into_bytes()), ("m.profraw", C.into())] {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, &content[..]).unwrap();
    }
    place.put("night.tar", tar.into_inner().unwrap());
    let options = ["--delete", "--delete-damaged", "--remember", "0"];
    for (code, main) in [(1, 4300), (0, 4300), (0, 4300)] {
        let said = place.once(&options);
        assert_eq!((said.code, place.main()), (code, main), "{}", said.text);
        assert_eq!(place.names("in"), BTreeSet::from(["night.tar".to_owned()]), "{}", said.text);
    }
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
