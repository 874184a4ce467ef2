//! The same programs under another name of the profile: `%m`, which unites the profiles of runs.
//!
//! A variant is tried once more for each [`Kind`] of name when nothing in it is about names: all of its `run` lines, for as
//! many rounds as the kind says. What is on one side only (`ours`, `official`) is left out.

use std::iter;
use std::process::Command;
use std::sync::{Arc, OnceLock};

use super::program::{Variant, Who};
use super::tools::Compiler;

/// A name that changes what a write does.
#[derive(Debug)]
pub struct Kind {
    /// Last part of the test's name, and what `not` says to leave it out.
    pub label: &'static str,
    /// `LLVM_PROFILE_FILE`. Numbers in the files' names are normalised, so signatures may differ.
    pub pattern: &'static str,
    /// How often the `run` lines are run, so that there is something to merge.
    rounds: usize,
    /// LLVM does not do it with these flags.
    refused: &'static [&'static str],
}

pub static KINDS: [Kind; 1] =
    [Kind { label: "merged", pattern: "merged-%m.profraw", rounds: 2, refused: &["temporal"] }];

impl Kind {
    /// The variant under this name, if that says anything new.
    pub fn of(&'static self, variant: &Variant) -> Option<Variant> {
        let about_files = variant.about_files || variant.no_profile.is_some() || variant.unreadable;
        let refused =
            variant.flags.iter().chain(&variant.cflags).any(|flag| self.refused.iter().any(|r| flag.contains(r)));
        let not = || variant.not.iter().filter(|(label, ..)| label == self.label);
        let left_out = not().any(|(_, facets, _)| facets.is_empty());
        if about_files || refused || left_out || variant.only_ours || variant.raw.is_some() {
            return None;
        }
        let mut steps = variant.steps.clone();
        steps.retain(|step| step.who == Who::Both);
        if steps.is_empty()
            || steps.iter().any(|step| step.line.contains("profraw") || step.line.contains("LLVM_PROFILE"))
        {
            return None;
        }
        let rounds = if no_aslr() { self.rounds } else { 1 };
        let mut named = variant.clone();
        named.name = format!("{}/{}", variant.name, self.label);
        named.steps = iter::repeat_n(steps, rounds).flatten().collect();
        named.kind = Some(self);
        // What differs with a plain file may or may not differ here.
        named.skips.append(&mut named.differs);
        named.skips.extend(not().map(|(_, facets, reason)| (facets.clone(), reason.clone())));
        Some(named)
    }
}

/// Whether a variant is tried with this compiler: of those with the same raw version the newest one does for other names.
pub fn tried_with(variant: &Variant, compiler: &Compiler, all: &[Arc<Compiler>]) -> bool {
    let newer = |other: &&Arc<Compiler>| other.raw == compiler.raw && other.version > compiler.version;
    let tried = |other: &Arc<Compiler>| variant.clang.contains(&other.version);
    variant.kind.is_none() || !all.iter().filter(newer).any(tried)
}

/// Whether programs can be run at the same addresses each time. LLVM's merge ruins values when addresses change; what ours
/// does then is what `merge/` is about.
pub fn no_aslr() -> bool {
    static CAN: OnceLock<bool> = OnceLock::new();
    *CAN.get_or_init(|| Command::new("setarch").args(["-R", "true"]).status().is_ok_and(|status| status.success()))
}

/// Whether a program itself says how its profile is called.
pub fn about_files(source: &str) -> bool {
    let code = source.lines().filter(|line| !line.starts_with("//"));
    code.into_iter()
        .any(|line| ["profraw", "_filename", "_file_object", "_directory"].iter().any(|word| line.contains(word)))
}
