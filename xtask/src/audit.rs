//! Proofs about what is shipped. One module a check; each is tested on a small input that it has to complain about.
//!
//! A check returns its findings as sentences. The lists in `xtask/audit/` are part of the proof: what LLVM's archives define, which
//! of that is not carried and why, and what ours may leave undefined and why.

mod archive;
mod layers;
mod linked;
mod list;
mod names;
mod objects;
mod official;
pub mod panics;
mod present;
mod public;
mod undefined;

#[cfg(test)]
pub(crate) mod testing;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use archive::Archive;
use testkit::toolchain::{Clang, Packages, TESTED, clangs};
use testkit::{dist, paths, target};

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    packages: Packages,
    /// Write xtask/audit/official-symbols.txt anew, from the archives of the installed clangs 14, 16, 19 and 22
    #[arg(long)]
    refresh_official: bool,
    /// Write the lists of public items, runtime/public-api.txt and profdata/public-api.txt, anew; see what changed with `git diff`
    #[arg(long)]
    refresh_public: bool,
}

/// Where the lists are.
fn lists() -> PathBuf {
    paths::root().join("xtask/audit")
}

fn read(name: &str) -> Result<String> {
    let path = lists().join(name);
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// Runs every check, and fails when one has findings.
pub fn run(options: &Options) -> Result<()> {
    if options.refresh_official {
        let path = lists().join("official-symbols.txt");
        fs::write(&path, official::refresh(&tested(options.packages)?)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
        println!("{} is written anew; see what changed with `git diff`", path.display());
        return Ok(());
    }
    if options.refresh_public {
        return public::refresh();
    }
    let clangs = tested(options.packages)?;
    let mut report = Report::default();
    report.add("uses between modules of runtime/", layers::check(&paths::root().join("runtime"))?);
    report.add("public items of profrt and profdata", public::check()?);
    binaries(&mut report, &clangs)?;
    report.close()
}

/// The clangs that the lists are about, every one of them.
fn tested(packages: Packages) -> Result<Vec<Clang>> {
    let needs = TESTED.map(|version| format!("clang-{version}"));
    packages.require(&needs.iter().map(String::as_str).chain(["gcc"]).collect::<Vec<_>>())?;
    let mut found = clangs();
    found.retain(|clang| TESTED.contains(&clang.version));
    for version in TESTED {
        if found.iter().all(|clang| clang.version != version) {
            bail!(
                "clang {version} is not complete: clang++, llvm-profdata, llvm-cov or its profile archive is missing"
            );
        }
    }
    Ok(found)
}

fn binaries(report: &mut Report, clangs: &[Clang]) -> Result<()> {
    let triple = target::host();
    let official = official::parse(&read("official-symbols.txt")?)?;
    let not_carried = list::parse::<1>(&read("not-carried.txt")?).context("in xtask/audit/not-carried.txt")?;
    let allowed = undefined::parse(&read("allowed-undefined.txt")?)?;
    let not_present = present::parse(&read("not-present.txt")?)?;

    let mut archives = Vec::new();
    for raw in dist::RAW_VERSIONS {
        let made = dist::build(raw)?;
        let bytes = fs::read(&made.archive).with_context(|| format!("cannot read {}", made.archive.display()))?;
        archives.push((Archive::parse(raw, &bytes)?, made));
    }
    let each = |check: &dyn Fn(&Archive) -> Result<Vec<String>>| -> Result<Vec<String>> {
        let mut findings = Vec::new();
        for (archive, _) in &archives {
            findings.extend(check(archive)?.into_iter().map(|finding| format!("raw {}: {finding}", archive.raw)));
        }
        Ok(findings)
    };

    report.add("names, bindings and visibility", each(&|archive| Ok(names::check(archive, &official, &not_carried)))?);
    let all: Vec<&Archive> = archives.iter().map(|(archive, _)| archive).collect();
    report.add("not-carried.txt has no entry too many", names::stale(&all, &official, &not_carried));
    report.add("what the members leave undefined", undefined::check(&all, &allowed));
    let marks = objects::marks_of_this_machine();
    report.add("object files", each(&|archive| Ok(objects::check(archive, &triple, &marks)))?);
    report
        .add("public calls are archive members of their own", each(&|archive| Ok(present::alone(archive, &official)))?);
    let mut programs = Vec::new();
    for clang in clangs {
        programs.push(present::link(clang, &dist::build(clang.raw)?.library, &official)?);
    }
    report.add("calls that a program has without calling them", present::check(&programs, &not_carried, &not_present));
    let mut findings = Vec::new();
    for (archive, made) in &archives {
        let mut exported = official::exported(&official, archive.raw);
        exported.extend(names::SHARED);
        let mut found = linked::check(archive, &made.library, &exported)?;
        found.extend(linked::freestanding(&made.library)?);
        findings.extend(found.into_iter().map(|finding| format!("raw {}: {finding}", archive.raw)));
    }
    report.add("what linked programs export and need", findings);
    let mut findings = Vec::new();
    for raw in dist::RAW_VERSIONS {
        findings.extend(panics::check(raw, &triple)?.into_iter().map(|finding| format!("raw {raw}: {finding}")));
    }
    report.add("no panic can be reached", findings);
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
        let findings = merged(findings);
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

/// The same finding for several raw versions is one line.
fn merged(findings: Vec<String>) -> Vec<String> {
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for finding in findings {
        let split = finding.strip_prefix("raw ").and_then(|rest| rest.split_once(": "));
        let (raw, text) = split.map_or((None, finding.as_str()), |(raw, text)| (Some(raw.to_owned()), text));
        match lines.iter_mut().find(|(known, _)| known == text) {
            Some((_, raws)) => raws.extend(raw),
            None => lines.push((text.to_owned(), raw.into_iter().collect())),
        }
    }
    let shown = lines.into_iter().map(
        |(text, raws)| {
            if raws.is_empty() { text } else { format!("raw {}: {text}", raws.join(", ")) }
        },
    );
    shown.collect()
}
