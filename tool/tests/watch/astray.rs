//! Other users who can write in the directory lead the watcher nowhere.

use std::os::unix::fs::symlink;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::tracer::{Act, End, run};
use super::*;

/// Runs a watcher while something happens with a subdirectory and a link: what is behind the link is not read, renamed or removed. `act` gets what exchanges the two.
fn check(number: usize, act: impl FnOnce(&dyn Fn(), &dyn Fn(Act<'_>) -> End) -> End) -> End {
    let place = Place::in_memory();
    place.put("sub/x.proftext", profile_of(1));
    fs::create_dir(place.path("private")).unwrap();
    fs::write(place.path("private/x.proftext"), profile_of(1000)).unwrap();
    symlink("../private", place.path("in/link")).unwrap();
    let (sub, link) = (place.path("in/sub"), place.path("in/link"));
    let exchange = || renameat_with(CWD, &sub, CWD, &link, RenameFlags::EXCHANGE).unwrap();
    let mut program = profrt(place.dir.path());
    program.args(["watch", "in", "-o", OUT, "--once", "--interval", "0", "--delete"]);
    let end = act(&exchange, &|act| run(&program, number, act));
    assert_eq!(place.names("private"), set_of(["x.proftext"]), "{number}: {end:?}");
    assert!(!place.path(OUT).exists() || place.main() < 1000, "{number}: {end:?}");
    end
}

#[test]
fn a_directory_that_is_exchanged_for_a_link_leads_nowhere() {
    let is_more = |number| matches!(check(number, |exchange, run| run(Act::Do(exchange))), End::After(_));
    system_calls().take_while(|number| is_more(*number)).for_each(drop);
}

/// The directory is one when it is looked at, and a link when it is opened, each time.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_directory_that_is_a_link_when_it_is_opened_leads_nowhere() {
    let is_link = std::cell::Cell::new(false);
    check(0, |exchange, run| {
        run(Act::Often(&|is_open| {
            if is_link.replace(is_open) != is_open {
                exchange();
            }
        }))
    });
}
