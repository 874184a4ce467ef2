//! What a conversion says on standard error.

use std::collections::BTreeMap;
use std::fmt;

use profdata::finding::Outcome;
use profdata::merge::Report;
use profdata::{Finding, Profile};

use crate::report::exact;
use crate::report::json::{is_loss, kebab, remedy};
use crate::report::names;
use crate::report::style::{BAD, HEADING, Styled, WARNING};

/// Findings and notes.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Inputs that are not whole, a line or more each.
    damage: Vec<String>,
    /// For each kind of finding whether it is a loss, the first one, and how many there are.
    findings: BTreeMap<String, (bool, String, u64)>,
    notes: Vec<String>,
}

impl Notes {
    /// Returns what a merge of one input has found.
    pub(super) fn of(report: &Report, profile: &Profile) -> Notes {
        let mut notes = Notes::default();
        for input in report.inputs.values().filter(|input| input.outcome != Outcome::Whole) {
            notes.damage.push(match &input.error {
                Some(error) => format!("{error}\n  cause:  {}\n  remedy: {}", error.cause(), remedy(error)),
                None => format!("{}: parts of it are damaged, and left out", input.name),
            });
        }
        report.findings.iter().for_each(|finding| notes.finding(finding, Some(profile)));
        notes
    }

    /// Adds a finding, with the name of its function in a profile.
    pub(super) fn finding(&mut self, finding: &Finding, profile: Option<&Profile>) {
        let kind = kebab(&format!("{:?}", finding.kind));
        let place = finding.function.map(|(hash, _)| {
            let name = profile.and_then(|profile| profile.names().iter().find(|(_, name)| name.hash == hash));
            name.map_or_else(|| format!("function {hash:#018x}: "), |(_, name)| format!("{}: ", names::name(name)))
        });
        let first = || (is_loss(&finding.kind), format!("{}{}", place.unwrap_or_default(), finding.kind), 0);
        self.findings.entry(kind).or_insert_with(first).2 += 1;
    }

    /// Adds a line.
    pub(super) fn note(&mut self, line: &str) {
        self.notes.push(line.to_owned());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.damage.is_empty() && self.findings.is_empty() && self.notes.is_empty()
    }

    /// Returns whether something of the input is not in the output that the form has a place for.
    pub(super) fn has_loss(&self) -> bool {
        !self.damage.is_empty() || self.findings.values().any(|(is_loss, ..)| *is_loss)
    }
}

impl fmt::Display for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for damage in &self.damage {
            writeln!(f, "{} {damage}", Styled(BAD, "damaged:"))?;
        }
        for (is_loss, first, number) in self.findings.values() {
            let label = if *is_loss { Styled(WARNING, "lost:") } else { Styled(HEADING, "note:") };
            let others =
                if *number > 1 { format!(" (and {} more like this)", exact(number - 1)) } else { String::new() };
            writeln!(f, "{label} {first}{others}")?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "{} {note}", Styled(HEADING, "note:")))
    }
}
