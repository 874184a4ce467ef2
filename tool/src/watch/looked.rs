//! What became of a file.

use std::path::{Path, PathBuf};

use profdata::error::{Error, ErrorKind};
use profdata::merge::Report;

use super::batch::Rules;
use super::files::Stamp;
use super::ledger::{Entry, Lack};
use super::verdict::{Part, Verdict};
use crate::report::exact;
use crate::report::json::{cause, is_of_archive, remedy};

/// What became of a file.
#[derive(Debug)]
pub(super) enum Fate {
    Whole,
    /// What is whole of it was added, if anything is.
    Damaged(String),
    /// All its profiles were added, but not all in the archive is a profile: it stays.
    Kept(Lack, String),
    /// It is not damaged, and cannot be merged: it, or some profiles of an archive.
    Refused(Lack, String),
    /// It is known: with what of it is not in the sum.
    Duplicate(Lack),
    /// It was merged before with another content.
    Changed,
    /// Somebody writes it.
    Busy,
    Gone,
    Unreadable(String),
}

impl Fate {
    /// Returns the fate of a file of which something is not in the sum, and the reason.
    pub(super) fn not_merged(lacks: Lack, why: String) -> Fate {
        if lacks == Lack::Damage { Fate::Damaged(why) } else { Fate::Refused(lacks, why) }
    }

    /// Returns whether the file stays under its name, also with `--delete`.
    pub(super) fn stays(&self) -> bool {
        matches!(self, Fate::Kept(..) | Fate::Refused(..) | Fate::Duplicate(Lack::Some | Lack::All))
    }
}

/// A file that was looked at.
pub(super) struct Looked {
    pub(super) path: PathBuf,
    pub(super) stamp: Option<Stamp>,
    pub(super) fate: Fate,
    pub(super) entries: Vec<Entry>,
    pub(super) profiles: Vec<Part>,
    pub(super) left_out: LeftOut,
    pub(super) verdict: Verdict,
    /// Members of an archive whose name one before them has.
    pub(super) repeated: Vec<String>,
}

/// What an archive has that was not handed to the sum. Names are those in the archive.
#[derive(Default)]
pub(super) struct LeftOut {
    /// Profiles that are known, of this group or from before.
    pub(super) known: Vec<(String, Entry)>,
    /// Members that are no profiles.
    pub(super) others: Vec<String>,
}

impl Looked {
    pub(super) fn new(path: &Path, fate: Fate) -> Looked {
        Looked {
            path: path.to_path_buf(),
            stamp: None,
            fate,
            entries: Vec::new(),
            profiles: Vec::new(),
            left_out: LeftOut::default(),
            verdict: Verdict::default(),
            repeated: Vec::new(),
        }
    }

    /// Returns whether its fate stays: a damaged file that is young may be one that is still written.
    pub(super) fn is_final(&self, rules: &Rules<'_>) -> bool {
        if !matches!(self.fate, Fate::Damaged(_) | Fate::Refused(..)) {
            return true;
        }
        // The clock of another machine may be ahead: then the time since we have seen the file decides.
        let age = self.stamp.and_then(Stamp::age_of_content).unwrap_or_default();
        age.max(rules.waiting.time(&self.path)) >= rules.patience
    }

    /// Notes what of the file is in the sum, from the report of its group.
    pub(super) fn judge(&mut self, report: &Report) {
        for part in &self.profiles {
            let verdict = part.judge(report);
            if let Some(entry) = self.entries.get_mut(part.entry) {
                entry.lacks = verdict.lacks();
            }
            self.verdict.add(verdict);
        }
    }

    /// Says what became of the file. `known` tells what of a known profile is not in the sum; `is_claim`: the file was taken away.
    pub(super) fn settle(&mut self, known: impl Fn(&Entry) -> Lack, is_claim: bool) {
        for (name, entry) in &self.left_out.known {
            self.verdict.add(Verdict::of_known(name, known(entry)));
        }
        let (others, why) = (&self.left_out.others, std::mem::take(&mut self.verdict.why));
        let lacks = match self.verdict.lacks() {
            Lack::Nothing | Lack::Damage if others.is_empty() => self.verdict.lacks(),
            // Had it been removed, the next file of this name would count.
            _ if is_claim && !self.verdict.is_in_part || !self.verdict.used => Lack::All,
            _ => Lack::Some,
        };
        if lacks == Lack::Nothing {
            return;
        }
        if let Some(entry) = self.entries.first_mut() {
            entry.lacks = lacks;
        }
        self.fate = match (self.verdict.lacks(), &others[..]) {
            (Lack::Nothing, [other]) => Fate::Kept(lacks, format!("{other} in it is no profile")),
            (Lack::Nothing, [other, more @ ..]) => {
                Fate::Kept(lacks, format!("{other} and {} more in it are no profiles", exact(more.len() as u64)))
            }
            _ => Fate::not_merged(lacks, why),
        };
    }
}

/// Returns whether a file with this error is damaged. Any other is as its writer wanted it: something else can read it.
pub(super) fn is_damage(error: &Error) -> bool {
    let is_damage = matches!(
        error.kind(),
        ErrorKind::Empty
            | ErrorKind::BadHeader
            | ErrorKind::TooLarge
            | ErrorKind::Truncated
            | ErrorKind::Malformed
            | ErrorKind::CounterTooLarge
            | ErrorKind::UncompressFailed
    );
    is_damage && !is_of_archive(error)
}

/// Returns an error without the name of its input, with its cause and what to do.
pub(super) fn explained(error: &Error) -> String {
    let (text, name) = (error.to_string(), error.details().input.clone().unwrap_or_default());
    let text = text.strip_prefix(&format!("{name}: ")).unwrap_or(&text);
    format!("{text}\n  cause:  {}\n  remedy: {}", cause(error), remedy(error))
}
