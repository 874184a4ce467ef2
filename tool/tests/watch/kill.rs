//! A kill at each system call, and an error of each: the next watcher ends with exactly the counts of the inputs.

use std::collections::BTreeSet;
use std::fs;

use nix::errno::Errno;

use super::tracer::{Act, End, run};
use super::*;

/// What is watched, and what must come out.
struct Case {
    arguments: &'static [&'static str],
    /// Lets files appear, or what came before.
    begin: fn(&Place),
    main: u64,
    /// The names of the files that stay, without numbers of processes.
    stay: &'static [&'static str],
}

/// Whole, damaged, equal, in a subdirectory.
fn files(place: &Place) {
    place.put("a.proftext", profile_of(1));
    place.put("b/c/b.proftext", profile_of(20));
    place.put("copy.proftext", profile_of(1));
    place.put("damaged.proftext", damaged(300));
}

/// The same after another watcher, whose state and output are there.
fn again(place: &Place) {
    place.put("first.proftext", profile_of(4000));
    place.once_well(&["--delete"]);
    files(place);
}

/// Whole, damaged, and refused, which stays.
fn refused(place: &Place) {
    again(place);
    place.put("front-end.proftext", ":fe\nmain\n7\n1\n50000\n");
    place.put("text.profraw", "no profile");
}

const CASES: [Case; 4] = [
    Case {
        arguments: &[],
        begin: files,
        main: 321,
        stay: &["a.proftext", "b/c/b.proftext", "copy.proftext", "damaged.proftext"],
    },
    Case { arguments: &["--delete"], begin: files, main: 321, stay: &["damaged.proftext.corrupt-"] },
    Case { arguments: &["--delete", "--delete-damaged"], begin: again, main: 4321, stay: &[] },
    Case {
        arguments: &["--delete", "--delete-damaged"],
        begin: refused,
        main: 4321,
        stay: &["front-end.proftext", "text.profraw"],
    },
];

impl Case {
    /// Lets something happen at system call `number` of a watcher, and then another one watch. Returns whether there are so many system calls.
    fn check(&self, number: usize, act: Act) -> bool {
        let place = Place::in_memory();
        (self.begin)(&place);
        let mut program = profrt(place.dir.path());
        program.args(["watch", "in", "-o", "out.profdata", "--once", "--settle", "0", "-j", "1"]).args(self.arguments);
        let Some(end) = run(&program, number, act) else { return false };
        if let Ok(output) = fs::read(place.path("out.profdata")) {
            // What is published is whole at any moment.
            assert!(output.is_empty() || profdata::read::indexed::Header::parse(&output).is_ok(), "{number}");
        }
        let Said { code, text } = place.once(self.arguments);
        let context = format!("{:?} at system call {number}: {act:?}, {end:?}; then {code}: {text}", self.arguments);
        assert!(code < 2, "{context}");
        assert_eq!(place.main(), self.main, "{context}");
        let without_numbers = |name: String| name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        let names: BTreeSet<String> = place.names("in").into_iter().map(without_numbers).collect();
        assert_eq!(names, self.stay.iter().map(|name| (*name).to_owned()).collect(), "{context}");
        let names: Vec<String> = place.names(".").into_iter().filter(|name| !name.starts_with("in/")).collect();
        assert_eq!(names, ["out.profdata", "out.profdata.watch", "out.profdata.watch.lock"], "{context}");
        // Nothing is left to do for a third.
        let before = place.output();
        place.once(self.arguments);
        assert_eq!(place.output(), before, "{context}");
        !matches!(end, End::Before(_))
    }

    fn check_all(&self, act: Act) {
        let number = (0..).take_while(|number| self.check(*number, act)).count();
        eprintln!("{:?}: {number} system calls", self.arguments);
    }
}

#[test]
fn a_kill_at_any_system_call_loses_and_repeats_nothing() {
    CASES[0].check_all(Act::Kill);
}

#[test]
fn a_kill_at_any_system_call_with_delete() {
    CASES[1].check_all(Act::Kill);
}

#[test]
fn a_kill_at_any_system_call_of_a_later_watcher() {
    CASES[2].check_all(Act::Kill);
}

#[test]
fn a_kill_at_any_system_call_with_files_that_are_refused() {
    CASES[3].check_all(Act::Kill);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn an_error_of_any_system_call_loses_and_repeats_nothing() {
    CASES[1].check_all(Act::Fail(Errno::ENOSPC));
}
