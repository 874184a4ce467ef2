//! What became of a file.

use std::path::{Path, PathBuf};

use profdata::error::{Error, ErrorKind};
use profdata::finding::{InputId, Outcome};
use profdata::merge::{InputReport, Report};
use profdata::read::{Detected, detect};

use super::batch::Rules;
use super::files::Stamp;
use super::ledger::{Entry, Lack};
use crate::report::json::{cause, is_of_archive, remedy};

/// What became of a file.
#[derive(Debug)]
pub(super) enum Fate {
    Whole,
    /// What is whole of it was added, if anything is.
    Damaged(String),
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
        matches!(self, Fate::Refused(..) | Fate::Duplicate(Lack::Some | Lack::All))
    }
}

/// A file that was looked at.
pub(super) struct Looked {
    pub(super) path: PathBuf,
    pub(super) stamp: Option<Stamp>,
    pub(super) fate: Fate,
    pub(super) entries: Vec<Entry>,
    pub(super) profiles: Vec<Part>,
    /// Members of an archive whose name one before them has.
    pub(super) repeated: Vec<String>,
}

/// A profile of a file.
pub(super) struct Part {
    /// Its number in the report.
    number: u32,
    is_partial: bool,
    /// It is text that does not begin like a profile. Any text may be taken for one.
    is_plain: bool,
}

impl Part {
    /// Returns the profile that has these bytes.
    pub(super) fn new(number: u32, bytes: &[u8]) -> Part {
        let is_plain = matches!(detect(bytes), Some(Detected::Text)) && !bytes.starts_with(b":");
        Part { number, is_partial: profdata::partial::is_partial(bytes), is_plain }
    }
}

impl Looked {
    pub(super) fn new(path: &Path, fate: Fate) -> Looked {
        Looked {
            path: path.to_path_buf(),
            stamp: None,
            fate,
            entries: Vec::new(),
            profiles: Vec::new(),
            repeated: Vec::new(),
        }
    }

    /// Returns whether its fate stays: a damaged file that is young may be one that is still written.
    pub(super) fn is_final(&self, rules: &Rules<'_>) -> bool {
        let age = || self.stamp.and_then(Stamp::age_of_content);
        !matches!(self.fate, Fate::Damaged(_) | Fate::Refused(..)) || age().is_none_or(|age| age >= rules.patience)
    }

    /// Says what became of the file, from the report of its group: damage counts more than a refusal.
    pub(super) fn judge(&mut self, report: &Report) {
        let (mut used, mut lacks, mut why) = (false, Lack::Nothing, String::new());
        for part in &self.profiles {
            let first = InputId { number: part.number, part: if part.is_partial { u32::MAX } else { 0 } };
            let last = InputId { number: part.number, part: u32::MAX };
            for (id, input) in report.inputs.range(first..=last) {
                used |= matches!(input.outcome, Outcome::Whole | Outcome::Salvaged);
                let own = if part.is_plain && input.outcome == Outcome::Refused { Lack::All } else { lack(input) };
                if own != Lack::Nothing && (lacks == Lack::Nothing || own == Lack::Damage && lacks != own) {
                    lacks = own;
                    why = if own == Lack::All && input.error.is_none() {
                        "refused: no line of this text is of a profile".into()
                    } else {
                        reason(*id, input, report)
                    };
                }
            }
        }
        if lacks == Lack::All && used {
            lacks = Lack::Some;
        }
        if lacks != Lack::Nothing {
            self.entries.iter_mut().for_each(|entry| entry.lacks = lacks);
            self.fate = Fate::not_merged(lacks, why);
        }
    }
}

/// Returns what of an input was not merged.
fn lack(input: &InputReport) -> Lack {
    match (input.outcome, &input.error) {
        (Outcome::Whole, _) => Lack::Nothing,
        (Outcome::Refused, Some(error)) if !is_damage(error) => Lack::All,
        _ => Lack::Damage,
    }
}

fn reason(id: InputId, input: &InputReport, report: &Report) -> String {
    let finding = || report.findings.iter().find(|finding| finding.input == id);
    let reason = match &input.error {
        Some(error) => explained(error),
        None => finding().map_or_else(String::new, |finding| finding.kind.to_string()),
    };
    let outcome = match input.outcome {
        Outcome::Salvaged => "salvaged",
        Outcome::Empty => "empty",
        _ => "refused",
    };
    format!("{outcome}: {reason}")
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
