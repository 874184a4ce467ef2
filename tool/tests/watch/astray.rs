//! Other users who can write in the directory lead the watcher nowhere.

use std::os::unix::fs::symlink;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::tracer::{Act, End, run};
use super::*;

/// Exchanges a subdirectory for a link at each system call of a watcher: no file behind the link is read, renamed or removed.
#[test]
fn a_directory_that_is_exchanged_for_a_link_leads_nowhere() {
    for number in 0.. {
        let place = Place::in_memory();
        place.put("sub/x.proftext", profile_of(1));
        fs::create_dir(place.path("private")).unwrap();
        fs::write(place.path("private/x.proftext"), profile_of(1000)).unwrap();
        symlink("../private", place.path("in/link")).unwrap();
        let (sub, link) = (place.path("in/sub"), place.path("in/link"));
        let exchange = || renameat_with(CWD, &sub, CWD, &link, RenameFlags::EXCHANGE).unwrap();
        let mut program = profrt(place.dir.path());
        program.args(["watch", "in", "-o", OUT, "--once", "--interval", "0", "--delete"]);
        let Some(end) = run(&program, number, Act::Do(&exchange)) else { return };
        assert_eq!(place.names("private"), set_of(["x.proftext"]), "{number}: {end:?}");
        assert!(!place.path(OUT).exists() || place.main() < 1000, "{number}: {end:?}");
        if matches!(end, End::Before(_)) {
            eprintln!("{number} system calls");
            break;
        }
    }
}
