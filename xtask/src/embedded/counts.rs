//! What llvm-profdata reads in a profile, to compare one machine's with another's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::firmware::sources;
use testkit::run;
use testkit::toolchain::Clang;

/// Counters, and values if wanted, of each function, in the order of their names.
pub fn shown(clang: &Clang, profile: &Path, values: bool) -> Result<Vec<String>> {
    let mut profdata = Command::new(&clang.profdata);
    profdata.args(["show", "--all-functions", "--counts"]).args(values.then_some("--ic-targets")).arg(profile);
    let text = run::stdout(&mut profdata)?;
    // Functions are indented, and stand in the order of a hash table.
    let mut functions: Vec<String> = Vec::new();
    for line in text.lines().skip(1).take_while(|line| !line.starts_with("Instrumentation")) {
        match functions.last_mut() {
            Some(last) if line.starts_with(['\t']) || line.starts_with("    ") => {
                last.push('\n');
                last.push_str(line);
            }
            _ => functions.push(line.to_owned()),
        }
    }
    // Values of a site, too, stand in the order of their addresses or hashes.
    for function in &mut functions {
        let mut lines: Vec<&str> = function.lines().collect();
        lines[1..].sort_unstable();
        *function = lines.join("\n");
    }
    functions.sort_unstable();
    Ok(functions)
}

/// The build ids in a profile, in hexadecimal.
pub fn binary_ids(clang: &Clang, profile: &Path) -> Result<String> {
    run::stdout(Command::new(&clang.profdata).args(["show", "--binary-ids"]).arg(profile))
}

/// The subject on this machine, with the official archive: its program and its profile.
pub struct Here {
    pub program: PathBuf,
    pub profile: PathBuf,
}

/// Compiles and runs it in a directory.
pub fn here(clang: &Clang, instrumentation: &[&str], directory: &Path) -> Result<Here> {
    fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    let (subject, program) = (directory.join("subject.o"), directory.join("host"));
    let mut compile = Command::new(&clang.clang);
    compile.current_dir(sources()).args(["-Os", "-c", "subject.c", "-o"]).arg(&subject).args(instrumentation);
    run::quiet(&mut compile)?;
    let mut link = Command::new(&clang.clang);
    // `-fprofile-generate` would instrument this file too.
    link.current_dir(sources()).args(["-Os", "host.c", "-fprofile-instr-generate", "-o"]).arg(&program);
    link.args(["-Xclang", "-fprofile-instrument=none"]).arg(&subject);
    run::quiet(&mut link)?;
    let profile = directory.join("host.profraw");
    run::quiet(Command::new(&program).env("LLVM_PROFILE_FILE", &profile))?;
    Ok(Here { program, profile })
}

/// An indexed profile beside a raw one.
pub fn merged(clang: &Clang, raw: &Path) -> Result<PathBuf> {
    let indexed = raw.with_extension("profdata");
    run::quiet(Command::new(&clang.profdata).arg("merge").arg(raw).arg("-o").arg(&indexed))?;
    Ok(indexed)
}

/// The pages of `llvm-cov` about a program: the table of functions and files, and each line with its branches and conditions.
pub fn coverage(clang: &Clang, program: &Path, raw: &Path) -> Result<Vec<String>> {
    let indexed = merged(clang, raw)?;
    let page = |words: &[&str]| {
        let mut cov = Command::new(&clang.cov);
        cov.current_dir(sources()).args(words).arg(program).arg("-instr-profile").arg(&indexed);
        run::stdout(&mut cov)
    };
    let text = [
        page(&["report", "--show-mcdc-summary"])?,
        page(&["show", "--show-branches=count", "--show-regions", "--show-mcdc"])?,
    ];
    Ok(text.iter().flat_map(|page| page.lines()).map(str::to_owned).collect())
}

/// The two must be the same.
pub fn compare(what: &str, expected: &[String], found: &[String]) -> Result<()> {
    if expected.is_empty() || expected != found {
        bail!("{what}: not the same.\n--- expected\n{}\n--- found\n{}", expected.join("\n"), found.join("\n"));
    }
    Ok(())
}
