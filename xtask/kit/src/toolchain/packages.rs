//! What has to be installed, and installing it on Debian and Ubuntu, where `--install` asks for that.
//!
//! Quick and silent when everything is there. Where something is missing and we may not install it (no `--install`, not root, another
//! system, no network), a message says what and the command that installs it. The tests go on without what is optional; one clang and
//! what it needs to link are enough.

use std::fs;
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Result, bail};

use super::{Clang, TESTED, clangs};
use crate::{paths, run};

/// What a command of ours is about to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// One clang, the newest that can be had, with its tools.
    OneClang,
    /// Everything that the tests use.
    Tests,
}

/// Programs that any compiler needs to link, and the package that brings each.
static PROGRAMS: [(&str, &str); 3] = [("gcc", "gcc"), ("g++", "g++"), ("ld.bfd", "binutils")];

/// Programs that some tests use, which are left out without: among them a linker that newer systems package separately, or no more, and
/// another C library.
static OPTIONAL: [(&str, &str); 9] = [
    ("make", "make"),
    ("cmake", "cmake"),
    ("pkg-config", "pkg-config"),
    ("strace", "strace"),
    ("valgrind", "valgrind"),
    ("ld.gold", "binutils-gold"),
    ("musl-gcc", "musl-tools"),
    ("genhtml", "lcov"),
    ("xmllint", "libxml2-utils"),
];

/// Whether missing packages may be installed.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Packages {
    /// Install what is missing, as root on Debian or Ubuntu; without it, only print the command that does
    #[arg(long)]
    pub install: bool,
}

impl Packages {
    /// Makes sure that what is needed is installed; returns the clangs.
    pub fn ensure(self, need: Need) -> Result<Vec<Clang>> {
        let present = clangs();
        let missing = missing(need, &present);
        if missing.is_empty() {
            return Ok(present);
        }
        let installed =
            self.available(&missing).and_then(|wanted| if wanted.is_empty() { Ok(()) } else { self.install(&wanted) });
        let now = clangs();
        let absent: Vec<&str> = PROGRAMS.iter().map(|(program, _)| *program).filter(|name| !is_there(name)).collect();
        match installed {
            Err(error) if now.is_empty() || !absent.is_empty() => return Err(error),
            Err(error) => eprintln!("{error:#}\nGoing on without; what needs them is left out."),
            Ok(()) => {}
        }
        if now.is_empty() {
            bail!(
                "no clang could be installed; install clang, llvm, lld and libclang-rt-dev of any release from 14 on, then try again"
            );
        }
        if !absent.is_empty() {
            bail!("these programs are needed, and no package brought them: {}", absent.join(", "));
        }
        for version in TESTED {
            if need == Need::Tests && now.iter().all(|clang| clang.version != version) {
                eprintln!(
                    "clang {version} is not installed, or not all of it; going on without it (https://apt.llvm.org has every release)"
                );
            }
        }
        Ok(now)
    }

    /// The packages to install: for each thing the first group that the system has.
    fn available(self, things: &[Vec<Vec<String>>]) -> Result<Vec<String>> {
        if paths::find_program("apt-get").is_none() {
            let first = things.iter().filter_map(|ways| ways.first()).flatten().cloned().collect::<Vec<_>>();
            bail!(
                "these are missing and this is not Debian or Ubuntu, so install their like yourself: {}",
                first.join(" ")
            );
        }
        let known = || -> Vec<String> {
            let found = things.iter().filter_map(|ways| ways.iter().find_map(|group| candidates(group)));
            found.flatten().collect()
        };
        let mut packages = known();
        // The package lists may be absent, as in container images, or old: fetched when even what every release has is unknown, and
        // before anything is installed.
        let no_lists = candidates(&["binutils".to_owned()]).is_none();
        if no_lists && !self.install {
            bail!(
                "something is missing, and there are no package lists to find it in; run `apt-get update` and try again, or add --install"
            );
        }
        if (no_lists || !packages.is_empty()) && self.install && is_root() {
            run::quiet(Command::new("apt-get").args(["update", "-qq"]))?;
            packages = known();
        }
        packages.sort();
        packages.dedup();
        Ok(packages)
    }

    /// Installs what a step of the tests can do without, where that may be done.
    ///
    /// # Errors
    /// The command that would, where it may not be, or failed.
    pub fn offer(self, packages: &[&str]) -> Result<(), String> {
        let command = format!("apt-get update && apt-get install --no-install-recommends {}", packages.join(" "));
        let group: Vec<String> = packages.iter().map(|name| (*name).to_owned()).collect();
        if paths::find_program("apt-get").is_none() || !self.install || !is_root() {
            return Err(command);
        }
        // Those who ask at once would find the package manager locked.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _one_at_a_time = ONE_AT_A_TIME.lock();
        match self.available(&[vec![group]]) {
            Ok(known) if !known.is_empty() => self.install(&known).map_err(|error| format!("{command}` ({error:#}) `")),
            _ => Err(command),
        }
    }

    fn install(self, packages: &[String]) -> Result<()> {
        let command = format!("apt-get install -y --no-install-recommends {}", packages.join(" "));
        if !self.install || !is_root() {
            let sudo = if is_root() { "" } else { "sudo " };
            bail!(
                "these packages are missing; what installs them is\n\n    {sudo}apt-get update && {sudo}{command}\n\n(with --install, as root, it is done here)"
            );
        }
        eprintln!("installing: {}", packages.join(" "));
        let words: Vec<&str> = command.split(' ').collect();
        run::quiet(Command::new(words[0]).args(&words[1..]).env("DEBIAN_FRONTEND", "noninteractive"))
    }
}

/// What is not there: for each thing the ways to get it, the best first, each a group of packages that belong together.
fn missing(need: Need, present: &[Clang]) -> Vec<Vec<Vec<String>>> {
    let release = |version: &u32| -> Vec<String> {
        let names = ["clang-", "llvm-", "lld-"].map(|stem| format!("{stem}{version}"));
        names.into_iter().chain([format!("libclang-rt-{version}-dev")]).collect()
    };
    let absent = |version: &&u32| present.iter().all(|clang| clang.version != **version);
    let newest_first = TESTED.iter().rev().filter(absent).map(release);
    let mut things: Vec<Vec<Vec<String>>> = match need {
        Need::OneClang if present.is_empty() => vec![newest_first.collect()],
        Need::OneClang => Vec::new(),
        Need::Tests => newest_first.map(|group| vec![group]).collect(),
    };
    let optional: &[_] = if need == Need::Tests { &OPTIONAL } else { &[] };
    for (program, package) in PROGRAMS.iter().chain(optional) {
        if !is_there(program) {
            things.push(vec![vec![(*package).to_owned()]]);
        }
    }
    things
}

fn is_there(program: &str) -> bool {
    paths::find_program(program).is_some()
}

/// The packages to install for a group; nothing when one of them does not exist.
fn candidates(group: &[String]) -> Option<Vec<String>> {
    group.iter().map(|name| candidate(name)).collect()
}

/// The package as this system calls it: before release 14 became a package of its own, clang's runtime archives came with
/// `libclang-common-N-dev`.
fn candidate(name: &str) -> Option<String> {
    let older = name.strip_prefix("libclang-rt-").map(|rest| format!("libclang-common-{rest}"));
    [Some(name.to_owned()), older].into_iter().flatten().find(|name| exists(name))
}

fn exists(package: &str) -> bool {
    let policy = run::stdout(Command::new("apt-cache").args(["policy", package])).unwrap_or_default();
    policy.lines().any(|line| line.trim().strip_prefix("Candidate:").is_some_and(|version| version.trim() != "(none)"))
}

fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("Uid:")?.split_whitespace().nth(1));
    effective == Some("0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_clang_is_the_newest_that_there_is_a_package_for() {
        let things = missing(Need::OneClang, &[]);
        assert_eq!(things[0].len(), TESTED.len());
        assert_eq!(things[0][0], ["clang-22", "llvm-22", "lld-22", "libclang-rt-22-dev"]);
    }

    #[test]
    fn without_the_flag_nothing_is_installed_and_the_command_is_named() {
        let error = Packages { install: false }.install(&["profrt-is-no-package".to_owned()]).unwrap_err().to_string();
        for words in
            ["apt-get update && ", "apt-get install -y --no-install-recommends profrt-is-no-package", "--install"]
        {
            assert!(error.contains(words), "{words} is missing in: {error}");
        }
    }

    #[test]
    fn the_tests_want_every_release() {
        let things = missing(Need::Tests, &[]);
        for version in TESTED {
            assert!(things.iter().any(|ways| ways.len() == 1 && ways[0][0] == format!("clang-{version}")));
        }
    }
}
