//! What LLVM's tools read in a profile, compared with that of the same code on this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::firmware::sources;
use testkit::run;
use testkit::toolchain::Clang;

/// The subject on this machine, with the official archive: its program and its profile.
pub struct Here<'a> {
    clang: &'a Clang,
    program: PathBuf,
    profile: PathBuf,
    is_coverage: bool,
}

impl Here<'_> {
    /// Compiles and runs it in a directory.
    pub fn run<'a>(clang: &'a Clang, instrumentation: &[&str], directory: &Path) -> Result<Here<'a>> {
        fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
        let [subject, program, profile] = ["subject.o", "host", "host.profraw"].map(|name| directory.join(name));
        let mut compile = Command::new(&clang.clang);
        compile.current_dir(sources()).args(["-Os", "-c", "subject.c", "-o"]).arg(&subject).args(instrumentation);
        run::quiet(&mut compile)?;
        let mut link = Command::new(&clang.clang);
        // `-fprofile-generate` would instrument this file too.
        link.current_dir(sources()).args(["-Os", "host.c", "-fprofile-instr-generate", "-o"]).arg(&program);
        run::quiet(link.args(["-Xclang", "-fprofile-instrument=none"]).arg(&subject))?;
        run::quiet(Command::new(&program).env("LLVM_PROFILE_FILE", &profile))?;
        Ok(Here { clang, program, profile, is_coverage: instrumentation.contains(&"-fcoverage-mapping") })
    }

    /// Fails unless a profile has the same counters, and values if wanted.
    pub fn same_counts(&self, raw: &Path, values: bool) -> Result<()> {
        compare("counts", &shown(self.clang, &self.profile, values)?, &shown(self.clang, raw, values)?)
    }

    /// Fails unless `llvm-cov` writes the same pages of a program and its profile, where there is coverage.
    pub fn same_pages(&self, program: &Path, raw: &Path) -> Result<()> {
        if !self.is_coverage {
            return Ok(());
        }
        let here = pages(self.clang, &self.program, &self.profile)?;
        compare("pages of llvm-cov", &here, &pages(self.clang, program, raw)?)
    }
}

/// Counters, and values if wanted, of each function, in the order of their names.
fn shown(clang: &Clang, profile: &Path, values: bool) -> Result<String> {
    let mut profdata = Command::new(&clang.profdata);
    profdata.args(["show", "--all-functions", "--counts"]).args(values.then_some("--ic-targets")).arg(profile);
    let text = run::stdout(&mut profdata)?;
    // Functions are indented by two, and stand in the order of a hash table; so do values of a site.
    let mut functions: Vec<Vec<&str>> = Vec::new();
    for line in text.lines().skip(1).take_while(|line| !line.starts_with("Instrumentation")) {
        match functions.last_mut() {
            Some(last) if line.starts_with('\t') || line.starts_with("    ") => last.push(line),
            _ => functions.push(vec![line]),
        }
    }
    functions.iter_mut().for_each(|lines| lines[1..].sort_unstable());
    functions.sort_unstable();
    Ok(functions.concat().join("\n"))
}

/// An indexed profile beside a raw one.
pub fn merged(clang: &Clang, raw: &Path) -> Result<PathBuf> {
    let indexed = raw.with_extension("profdata");
    run::quiet(Command::new(&clang.profdata).arg("merge").arg(raw).arg("-o").arg(&indexed))?;
    Ok(indexed)
}

/// The table of functions and files, and each line with its branches and conditions.
fn pages(clang: &Clang, program: &Path, raw: &Path) -> Result<String> {
    let indexed = merged(clang, raw)?;
    let page = |words: &[&str]| {
        let mut cov = Command::new(&clang.cov);
        run::stdout(cov.current_dir(sources()).args(words).arg(program).arg("-instr-profile").arg(&indexed))
    };
    let table = page(&["report", "--show-mcdc-summary"])?;
    Ok(table + &page(&["show", "--show-branches=count", "--show-regions", "--show-mcdc"])?)
}

fn compare(what: &str, here: &str, found: &str) -> Result<()> {
    ensure!(!here.is_empty() && here == found, "{what} differ.\n--- on this machine\n{here}\n--- found\n{found}");
    Ok(())
}
