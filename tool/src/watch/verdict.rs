//! What of a file is not in the sum, from what is not of its parts.

use profdata::finding::{InputId, Outcome};
use profdata::merge::{InputReport, Report};
use profdata::read::{Detected, detect};

use super::ledger::Lack;
use super::looked::{explained, is_damage};

/// A profile of a file.
pub(super) struct Part {
    /// Its number in the report.
    number: u32,
    is_partial: bool,
    /// It is text that does not begin like a profile. Any text may be taken for one.
    is_plain: bool,
    /// Which entry of the file is its own; 0, that of the file, for what cannot be read of an archive.
    pub(super) entry: usize,
}

/// What of a file, or of a part of it, is not in the sum, and why.
#[derive(Default)]
pub(super) struct Verdict {
    /// Something is in the sum.
    pub(super) used: bool,
    /// A profile is in the sum in part: when it is completed, that must not count again.
    pub(super) is_in_part: bool,
    lacks: Lack,
    pub(super) why: String,
}

impl Part {
    /// Returns the profile that has these bytes.
    pub(super) fn new(number: u32, bytes: &[u8], entry: usize) -> Part {
        let is_plain = matches!(detect(bytes), Some(Detected::Text)) && !bytes.starts_with(b":");
        Part { number, is_partial: detect(bytes) == Some(Detected::Partial), is_plain, entry }
    }

    /// Returns what the report of its group says. In one profile, damage counts more than a refusal: that may come from it.
    pub(super) fn judge(&self, report: &Report) -> Verdict {
        let mut verdict = Verdict::default();
        let first = InputId { number: self.number, part: if self.is_partial { u32::MAX } else { 0 } };
        let last = InputId { number: self.number, part: u32::MAX };
        for (id, input) in report.inputs.range(first..=last) {
            verdict.used |= matches!(input.outcome, Outcome::Whole | Outcome::Salvaged);
            let own = if self.is_plain && input.outcome == Outcome::Refused { Lack::All } else { lack(input) };
            let is_worse = verdict.lacks == Lack::Nothing || own == Lack::Damage && verdict.lacks != own;
            if own != Lack::Nothing && is_worse {
                verdict.lacks = own;
                verdict.why = if own == Lack::All && input.error.is_none() {
                    "refused: no line of this text is of a profile".into()
                } else {
                    reason(*id, input, report)
                };
            }
        }
        verdict.is_in_part = verdict.used && verdict.lacks != Lack::Nothing;
        verdict
    }
}

impl Verdict {
    /// Returns what is said of a member of an archive that is known: of an equal one, something is not in the sum.
    pub(super) fn of_known(member: &str, lacks: Lack) -> Verdict {
        let used = matches!(lacks, Lack::Nothing | Lack::Damage | Lack::Some);
        let why = match lacks {
            Lack::Nothing => String::new(),
            Lack::Damage => {
                format!("salvaged: {member} is equal to a damaged profile, which counts as far as it is whole")
            }
            Lack::Change | Lack::Some | Lack::All => {
                format!("refused: {member} is equal to a profile that was refused")
            }
        };
        Verdict { used, is_in_part: used && lacks != Lack::Nothing, lacks, why }
    }

    /// Adds what is said of a part. A refusal counts more than damage: an archive with a refused member stays.
    pub(super) fn add(&mut self, part: Verdict) {
        self.used |= part.used;
        self.is_in_part |= part.is_in_part;
        let weight = |lacks| match lacks {
            Lack::Nothing => 0,
            Lack::Damage => 1,
            Lack::Change | Lack::Some | Lack::All => 2,
        };
        if weight(part.lacks) > weight(self.lacks) {
            (self.lacks, self.why) = (part.lacks, part.why);
        }
    }

    /// Returns what is not in the sum.
    pub(super) fn lacks(&self) -> Lack {
        match self.lacks {
            Lack::All | Lack::Change if self.used => Lack::Some,
            Lack::Change => Lack::All,
            lacks => lacks,
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
