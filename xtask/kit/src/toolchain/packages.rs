//! Installing what is needed on Debian and Ubuntu, where `--install` asks for that; else naming the command that does.

use std::fs;
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context, Result, bail};
use needs::Need;

use crate::dist::compile;
use crate::run;

/// Whether missing packages may be installed.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Packages {
    /// Install what is missing, as root on Debian or Ubuntu; without it, only print the command that does
    #[arg(long)]
    pub install: bool,
}

impl Packages {
    /// Makes sure that these needs are met.
    ///
    /// # Errors
    /// What is missing, and the command that brings it.
    pub fn require(self, names: &[&str]) -> Result<()> {
        let is_missing =
            |names: &[&'static Need]| names.iter().filter(|need| !need.is_met()).map(|need| need.name).collect();
        let needs = find(names)?;
        let mut missing: Vec<&str> = is_missing(&needs);
        if !missing.is_empty() && self.install {
            self.bring(names)?;
            missing = is_missing(&needs);
        }
        if missing.is_empty() {
            return Ok(());
        }
        bail!("missing: {}; {}", missing.join(", "), advice(&packages(&needs)))
    }

    /// Makes sure that programs are there, or files, each with the package that brings it: for what no need stands in the table.
    pub fn programs(self, wanted: &[(&str, &str)]) -> Result<()> {
        let is_absent = |(name, _): &&(&str, &str)| needs::find_program(name).is_none();
        let [names, from]: [Vec<&str>; 2] = {
            let absent = || wanted.iter().filter(is_absent);
            [absent().map(|(name, _)| *name).collect(), absent().map(|(_, package)| *package).collect()]
        };
        match names.is_empty() {
            true => Ok(()),
            false if self.install => install(&from),
            false => bail!("missing: {}; {}", names.join(", "), advice(&from)),
        }
    }

    /// Installs the packages of those of these needs that are not met, if that may be done and the system has them.
    pub fn bring(self, names: &[&str]) -> Result<()> {
        let needs = find(names)?;
        if !self.install || needs.iter().all(|need| need.is_met()) {
            return Ok(());
        }
        install(&packages(&needs))?;
        // Programs of cargo come from no package.
        for need in needs.iter().filter(|need| need.name.starts_with("cargo-") && !need.is_met()) {
            run::run(compile::cargo().args(["install", "--quiet", "--locked", need.name]))?;
        }
        Ok(())
    }
}

/// Installs packages of Debian or Ubuntu.
fn install(packages: &[&str]) -> Result<()> {
    if packages.is_empty() {
        return Ok(());
    }
    if !is_root() || needs::find_program("apt-get").is_none() {
        bail!("--install needs root on Debian or Ubuntu; the packages are: {}", packages.join(" "));
    }
    // Another thread may need something as well; and the package lists may be absent, as in container images, or old.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _one_at_a_time = ONE_AT_A_TIME.lock();
    run::quiet(Command::new("apt-get").args(["update", "-qq"]))?;
    eprintln!("installing: {}", packages.join(" "));
    let mut install = Command::new("apt-get");
    install.args(["install", "-y", "-q", "--no-install-recommends"]).args(packages);
    run::quiet(install.env("DEBIAN_FRONTEND", "noninteractive"))
}

/// How to install packages by hand.
fn advice(packages: &[&str]) -> String {
    let sudo = if is_root() { "" } else { "sudo " };
    format!(
        "what installs it is\n\n    {sudo}apt-get update && {sudo}apt-get install --no-install-recommends {}\n\n(with --install, as \
         root, it is done here; https://apt.llvm.org has every release of clang)",
        packages.join(" ")
    )
}

fn find(names: &[&str]) -> Result<Vec<&'static Need>> {
    names.iter().map(|name| needs::find(name).with_context(|| format!("xtask/needs has no need {name}"))).collect()
}

/// The packages that bring what is not met: of each need the first group that the system knows.
fn packages(needs: &[&'static Need]) -> Vec<&'static str> {
    let mut wanted = Vec::new();
    for need in needs.iter().filter(|need| !need.is_met()) {
        let known = need.packages.iter().find(|group| group.iter().all(|name| exists(name)));
        wanted.extend(known.or(need.packages.first()).into_iter().flat_map(|group| group.iter().copied()));
    }
    wanted.sort_unstable();
    wanted.dedup();
    wanted
}

fn exists(package: &str) -> bool {
    let policy = run::stdout(Command::new("apt-cache").args(["policy", package])).unwrap_or_default();
    policy.lines().any(|line| line.trim().strip_prefix("Candidate:").is_some_and(|version| version.trim() != "(none)"))
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| std::os::unix::fs::MetadataExt::uid(&process) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        // No package brings root to somebody else.
        let packages = Packages { install: false };
        assert_eq!(packages.require(&["root"]).is_ok(), is_root());
        assert!(packages.require(&["no such need"]).unwrap_err().to_string().contains("no such need"));
        packages.require(&[]).unwrap();
        packages.bring(&["root"]).unwrap();
    }
}
