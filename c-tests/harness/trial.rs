//! One test: a variant of a program with one compiler.

use anyhow::{Result, bail, ensure};
use std::sync::Arc;

use super::archive::{Archives, is_official};
use super::build::Build;
use super::compare;
use super::merges::Merges;
use super::observe::{Observed, Side};
use super::program::{Variant, Who};
use super::tools::Compiler;

pub fn run(variant: &Variant, compiler: &Compiler, all: &[Arc<Compiler>], archives: &Archives) -> Result<()> {
    let build = Build::objects(variant, compiler, all, archives)?;
    let work = tempfile::Builder::new().prefix("profrt-").tempdir()?;
    let side = |who: Who, name: &str| -> Result<Observed> {
        let resources = archives.resource_dir(compiler, who, variant.raw)?;
        let dir = work.path().canonicalize()?.join(name);
        let side = Side { who, variant, compiler, resources, dir };
        std::fs::create_dir_all(side.bin())?;
        build.link(who, &side.bin())?;
        let seen = side.observe()?;
        if who == Who::Official || variant.only_ours {
            let merges = Merges { variant, compiler, flags: side.merge_flags(), dir: &side.dir };
            let wrong = merges.check(&seen.merges)?;
            ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
        }
        Ok(seen)
    };
    // Names of equal length: paths are part of what is compared.
    let official = if variant.only_ours { None } else { Some(side(Who::Official, "llvm")?) };
    let ours = side(Who::Ours, "ours")?;

    let mut wrong = Vec::new();
    if let Some(official) = &official {
        expected(Who::Official, variant, official)?;
        wrong = compare::compare(variant, official, &ours);
    }
    if wrong.is_empty() {
        expected(if is_official() { Who::Official } else { Who::Ours }, variant, &ours)?;
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// Two runs that both left nothing are equal too: a program says so when that is what it is about.
fn expected(side: Who, variant: &Variant, seen: &Observed) -> Result<()> {
    if variant.no_profile.is_some_and(|who| who == side || who == Who::Both) {
        ensure!(seen.profiles == 0, "{side:?}: {} profiles, none was expected", seen.profiles);
    } else if seen.profiles == 0 {
        bail!("{side:?}: the runs left no profile");
    }
    if variant.unreadable {
        ensure!(!seen.unreadable.is_empty(), "{side:?}: all profiles are readable, the program says they are not");
    } else {
        ensure!(seen.unreadable.is_empty(), "{side:?}:\n{}", seen.unreadable.join("\n"));
    }
    Ok(())
}
