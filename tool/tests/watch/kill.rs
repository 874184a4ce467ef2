//! A kill at each system call, and an error of each: the next watcher ends with exactly the counts of the inputs.

use nix::errno::Errno;

use super::tracer::{Act, End, run};
use super::*;

/// What is watched, and what must come out.
struct Case {
    arguments: &'static [&'static str],
    /// Lets files appear, or what came before.
    begin: fn(&Place),
    main: u64,
}

/// Whole, equal, in a subdirectory; damaged, of another kind, and no profile.
fn files(place: &Place) {
    place.put("a.proftext", profile_of(1));
    place.put("b/c/b.proftext", profile_of(20));
    place.put("copy.proftext", profile_of(1));
    place.put("damaged.proftext", damaged(300));
    place.put("front-end.proftext", FRONT_END);
    place.put("notes.txt", "no profile");
}

/// The same after a watcher that removes nothing, of whose files one was renamed, and one is gone.
fn later(place: &Place) {
    for (name, count) in [("x.proftext", 4000), ("y.proftext", 50_000), ("z.proftext", 600_000)] {
        place.put(name, profile_of(count));
    }
    place.once_well(&[]);
    fs::rename(place.path("in/x.proftext"), place.path("in/renamed.proftext")).unwrap();
    fs::remove_file(place.path("in/y.proftext")).unwrap();
    files(place);
}

const CASES: [Case; 3] = [
    Case { arguments: &["--delete"], begin: files, main: 22 },
    Case { arguments: &[], begin: later, main: 654_022 },
    Case { arguments: &["--delete"], begin: later, main: 654_022 },
];

impl Case {
    /// Lets something happen at system call `number` of a watcher, and then another one watch. Returns whether there are so many system calls.
    fn check(&self, number: usize, act: Act<'_>) -> bool {
        let place = Place::in_memory();
        (self.begin)(&place);
        let before = place.names("in");
        let mut program = profrt(place.dir.path());
        program.args(["watch", "in", "-o", OUT, "--once", "--interval", "0"]).args(self.arguments);
        let end = run(&program, number, act);
        if place.path(OUT).exists() {
            place.main();
        }
        let Said { code, text } = place.once(self.arguments);
        let context = format!("{:?} at system call {number}: {act:?}, {end:?}; then {code}: {text}", self.arguments);
        assert_eq!((code, place.main()), (1, self.main), "{context}");
        let stay = set_of(["damaged.proftext", "front-end.proftext", "notes.txt"]);
        assert_eq!(place.names("in"), if self.arguments.is_empty() { before } else { stay }, "{context}");
        let names: Vec<String> = place.names(".").into_iter().filter(|name| !name.starts_with("in/")).collect();
        assert_eq!(names, [".out.profpart.lock", OUT], "{context}");
        // Nothing is left to do for a third.
        place.once(self.arguments);
        assert_eq!(place.main(), self.main, "{context}");
        !matches!(end, End::Before(_))
    }

    fn check_all(&self, act: Act<'_>) {
        let number = system_calls().take_while(|number| self.check(*number, act)).count();
        eprintln!("{:?}: {number} system calls", self.arguments);
    }
}

#[test]
fn a_kill_at_any_system_call_loses_and_repeats_nothing() {
    CASES[0].check_all(Act::Kill);
}

#[test]
fn a_kill_at_any_system_call_of_a_later_watcher() {
    CASES[1].check_all(Act::Kill);
}

#[test]
fn a_kill_at_any_system_call_of_a_later_watcher_that_deletes() {
    CASES[2].check_all(Act::Kill);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn an_error_of_any_system_call_loses_and_repeats_nothing() {
    CASES[2].check_all(Act::Fail(Errno::ENOSPC));
}
