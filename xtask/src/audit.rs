//! Proofs about what is shipped. One module a check; each is tested on a small input that it has to complain about.
//!
//! A check returns its findings as sentences. The lists in `xtask/audit/` are part of the proof: what LLVM's archives define, which
//! of that is not carried and why, and what ours may leave undefined and why.

mod alone;
mod archive;
mod layers;
mod linked;
mod list;
mod names;
mod objects;
mod official;
pub mod panics;
mod public;
mod undefined;

#[cfg(test)]
pub(crate) mod tests;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use archive::Archive;
use testkit::dist::{self, Dist};
use testkit::toolchain::{Packages, TESTED, clangs};
use testkit::{paths, target};

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    packages: Packages,
    /// Write xtask/audit/official-symbols.txt anew, from the archives of the installed clangs 14, 16, 19 and 22
    #[arg(long)]
    refresh_official: bool,
    /// Write the lists of public items, public-api.txt of runtime/, profdata/ and coverage/, anew; see what changed with `git diff`
    #[arg(long)]
    refresh_public: bool,
}

fn list_at(name: &str) -> PathBuf {
    paths::root().join("xtask/audit").join(name)
}

/// One of the lists.
fn read(name: &str) -> Result<String> {
    let path = list_at(name);
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// Runs every check, and fails when one has findings.
pub fn run(options: &Options) -> Result<()> {
    if options.refresh_official {
        options.packages.require(&["clangs"])?;
        let mut tested = clangs();
        tested.retain(|clang| TESTED.contains(&clang.version));
        let path = list_at("official-symbols.txt");
        fs::write(&path, official::refresh(&tested)?).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{} is written anew; see what changed with `git diff`", path.display());
        return Ok(());
    }
    if options.refresh_public {
        return public::refresh();
    }
    options.packages.require(&["gcc"])?;
    let mut report = Report::default();
    report.add("uses between modules of runtime/", layers::check(&paths::root().join("runtime"))?);
    report.add("public items of the libraries", public::check()?);
    binaries(&mut report)?;
    report.close()
}

fn binaries(report: &mut Report) -> Result<()> {
    let official = official::parse(&read("official-symbols.txt")?)?;
    let not_carried = list::parse::<1>(&read("not-carried.txt")?).context("in xtask/audit/not-carried.txt")?;
    let allowed = list::parse::<2>(&read("allowed-undefined.txt")?).context("in xtask/audit/allowed-undefined.txt")?;

    let mut archives = Vec::new();
    for raw in dist::RAW_VERSIONS {
        let made = dist::build(raw)?;
        let bytes = fs::read(&made.archive).with_context(|| format!("cannot read {}", made.archive.display()))?;
        archives.push((Archive::parse(raw, &bytes)?, made));
    }
    let each = |check: &dyn Fn(&Archive, &Dist) -> Result<Vec<String>>| -> Result<Vec<String>> {
        let mut findings = Vec::new();
        for (archive, made) in &archives {
            findings.extend(check(archive, made)?.into_iter().map(|finding| format!("raw {}: {finding}", archive.raw)));
        }
        Ok(findings)
    };

    let marks = objects::marks_of_this_machine();
    let all: Vec<&Archive> = archives.iter().map(|(archive, _)| archive).collect();
    let exported = |raw| [&official::exported(&official, raw)[..], names::SHARED].concat();
    report
        .add("names, bindings and visibility", each(&|archive, _| Ok(names::check(archive, &official, &not_carried)))?);
    report.add("not-carried.txt has no entry too many", names::stale(&all, &official, &not_carried));
    report.add("what the members leave undefined", undefined::check(&all, &allowed));
    report.add("object files", each(&|archive, _| Ok(objects::check(archive, &marks)))?);
    let alone = each(&|archive, _| Ok(alone::check(archive, &official)))?;
    report.add("public calls are archive members of their own", alone);
    let linked = each(&|archive, made| linked::check(archive, &made.library, &exported(archive.raw)))?;
    report.add("what linked programs export and need", linked);
    report.add("no panic can be reached", each(&|archive, _| panics::check(archive.raw, &target::host()))?);
    Ok(())
}

/// Prints as it goes, and remembers whether anything was found.
#[derive(Default)]
struct Report {
    checks: usize,
    findings: usize,
}

impl Report {
    fn add(&mut self, title: &str, findings: Vec<String>) {
        self.checks += 1;
        self.findings += findings.len();
        println!("{} {title}", if findings.is_empty() { "ok  " } else { "FAIL" });
        for finding in findings {
            println!("       {finding}");
        }
    }

    fn close(&self) -> Result<()> {
        if self.findings > 0 {
            bail!("the audit has {} findings, listed above", self.findings);
        }
        println!("audit: {} checks, nothing found", self.checks);
        Ok(())
    }
}
