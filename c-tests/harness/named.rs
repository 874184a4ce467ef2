//! The same programs under another name of the profile: `%m`, which unites the profiles of runs, and `%c`, which maps counters
//! onto the file.
//!
//! A variant is tried once more for each [`Kind`] of name when nothing in it is about names: all of its `run` lines, for as
//! many rounds as the kind says. What is on one side only (`ours`, `official`) is left out.

use std::iter;
use std::process::Command;
use std::sync::OnceLock;

use super::archive::is_official;
use super::program::{Facet, LinkKind, Variant, Who};

/// A name that changes what a write does.
#[derive(Debug)]
pub struct Kind {
    /// Last part of the test's name, and what `not` says to leave it out.
    pub label: &'static str,
    /// `LLVM_PROFILE_FILE` for ours. Numbers in the files' names are normalised, so signatures may differ.
    ours: &'static str,
    /// And for LLVM's.
    official: &'static str,
    /// Linked behind a program's objects on our side: a file beside the archive.
    pub object: Option<&'static str>,
    /// How often the `run` lines are run, so that there is something to merge.
    rounds: usize,
    /// LLVM does not do it with these flags.
    refused: &'static [&'static str],
    /// What is different by design, and why.
    skips: Option<(&'static [Facet], &'static str)>,
    /// Shared objects have files of their own.
    without_shared: bool,
}

pub static KINDS: [Kind; 2] = [
    Kind {
        label: "merged",
        ours: "merged-%m.profraw",
        official: "merged-%m.profraw",
        object: None,
        rounds: 2,
        refused: &["temporal"],
        skips: None,
        without_shared: false,
    },
    // LLVM's needs flags that change the code, and loses profiles without: opposite stands a plain file.
    Kind {
        label: "mapped",
        ours: "mapped%c.profraw",
        official: "mapped.profraw",
        object: Some("profrt-continuous.o"),
        rounds: 1,
        refused: &["lto", "relocatable"],
        skips: Some((&[Facet::Header, Facet::Sections], "counters are padded to pages, with a stamp before them")),
        without_shared: true,
    },
];

impl Kind {
    /// `LLVM_PROFILE_FILE` for this side.
    pub fn pattern(&self, side: Who) -> &'static str {
        if side == Who::Official || is_official() { self.official } else { self.ours }
    }

    /// The variant under this name, if that says anything new.
    pub fn of(&'static self, variant: &Variant) -> Option<Variant> {
        let about_files = variant.about_files || variant.no_profile.is_some() || variant.unreadable;
        let refused =
            variant.flags.iter().chain(&variant.cflags).any(|flag| self.refused.iter().any(|r| flag.contains(r)));
        let not = || variant.not.iter().filter(|(label, ..)| label == self.label);
        let shared = self.without_shared && variant.links.iter().any(|link| link.kind == LinkKind::Shared);
        let left_out = shared || not().any(|(_, facets, _)| facets.is_empty());
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
        named.skips.extend(self.skips.map(|(facets, reason)| (facets.to_vec(), reason.to_owned())));
        named.skips.extend(not().map(|(_, facets, reason)| (facets.clone(), reason.clone())));
        Some(named)
    }
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
