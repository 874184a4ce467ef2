//! What became of one input, in any format: a line or a few for people, an object for machines.

use std::fmt;

use profdata::Error;
use serde::Serialize;

use super::profile::Finding;
use super::raw::{Report, summary};
use crate::report::json::kebab;
use crate::report::style::{BAD, GOOD, Styled};
use crate::text::{many, offset};

/// Whether an input is whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum State {
    Ok,
    Damaged,
    /// The system does not let it be read.
    Unreadable,
}

/// What an input has.
#[derive(Debug, Default, Serialize)]
pub(super) struct Numbers {
    /// Profiles that are whole: a raw file can have several.
    pub(super) profiles: u64,
    pub(super) functions: u64,
    pub(super) counters: u64,
    pub(super) counters_not_0: u64,
    pub(super) bitmap_bytes: u64,
    pub(super) values: u64,
    pub(super) vtables: u64,
    pub(super) temporal_traces: u64,
}

/// One thing that is wrong.
#[derive(Debug, Serialize)]
pub(super) struct Fault {
    /// Where its profile begins, in a raw file that has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) profile_offset: Option<u64>,
    pub(super) field: String,
    pub(super) offset: Option<u64>,
    pub(super) expected: Option<String>,
    pub(super) found: Option<String>,
    pub(super) cause: String,
    /// `None`: the cause has it.
    pub(super) remedy: Option<String>,
}

/// What became of one input.
#[derive(Debug, Serialize)]
pub(super) struct Verdict {
    pub(super) name: String,
    pub(super) state: State,
    /// What it is: versions, machine, kind of instrumentation.
    pub(super) format: String,
    #[serde(flatten)]
    pub(super) numbers: Numbers,
    pub(super) damage: Vec<Fault>,
    /// What of it cannot be read.
    pub(super) lost: Vec<String>,
    /// What can be kept.
    pub(super) salvage: Vec<String>,
    /// What is odd, and no damage.
    pub(super) notes: Vec<String>,
    /// The numbers as a line.
    #[serde(skip)]
    pub(super) summary: String,
    /// `--salvage` keeps it, and not only a merge.
    #[serde(skip)]
    pub(super) is_raw: bool,
    /// What `--salvage` keeps.
    #[serde(skip)]
    pub(super) kept: Vec<u8>,
}

impl Fault {
    fn of_raw(finding: &Finding, profile_offset: Option<u64>) -> Fault {
        Fault {
            profile_offset,
            field: finding.field.clone(),
            offset: Some(finding.offset as u64),
            expected: Some(finding.expected.clone()),
            found: Some(finding.found.clone()),
            cause: finding.cause.clone(),
            remedy: None,
        }
    }
}

impl From<&Error> for Fault {
    fn from(error: &Error) -> Fault {
        let details = error.details();
        let class = || kebab(&format!("{:?}", details.kind)).replace('-', " ");
        Fault {
            profile_offset: None,
            field: details.field.clone().into_owned(),
            offset: details.offset,
            expected: details.expected.clone(),
            found: Some(details.found.clone().unwrap_or_else(class)),
            cause: error.cause().into(),
            remedy: Some(error.remedy().into()),
        }
    }
}

impl Verdict {
    /// Returns the verdict on raw profiles, and on what is no profile at all.
    pub(super) fn of_raw(name: String, report: Report) -> Verdict {
        let several = report.whole.len() + report.damage.len() > 1;
        let faults = report.damage.iter().map(|damage| {
            let place = several.then_some(damage.start as u64);
            Fault::of_raw(&damage.finding, place)
        });
        let mut salvage = Vec::new();
        if let number @ 1.. = report.whole.len() {
            salvage.push(format!("{} ({})", many(number as u64, "whole profile"), summary(&report)));
        }
        salvage.extend(report.damage.iter().flat_map(|damage| damage.finding.salvage.iter().cloned()));
        let mut numbers = Numbers { profiles: report.whole.len() as u64, ..Numbers::default() };
        for whole in &report.whole {
            numbers.functions += whole.functions;
            numbers.counters += whole.counters;
            numbers.counters_not_0 += whole.counted;
            numbers.bitmap_bytes += whole.bitmap_bytes;
            numbers.values += whole.values;
            numbers.vtables += whole.vtables;
        }
        let mut kinds: Vec<&str> = report.whole.iter().map(|whole| whole.kind.as_str()).collect();
        kinds.dedup();
        Verdict {
            name,
            state: if report.is_whole() { State::Ok } else { State::Damaged },
            format: kinds.join(" and "),
            numbers,
            damage: faults.collect(),
            lost: Vec::new(),
            salvage: if report.is_whole() { Vec::new() } else { salvage },
            notes: unfinished(&report),
            summary: if report.whole.is_empty() { String::new() } else { summary(&report) },
            is_raw: true,
            kept: report.salvage,
        }
    }

    /// Returns the verdict on an input of which there is nothing but an error.
    pub(super) fn of_error(name: String, state: State, error: &Error) -> Verdict {
        Verdict {
            name,
            state,
            format: String::new(),
            numbers: Numbers::default(),
            damage: vec![error.into()],
            lost: Vec::new(),
            salvage: Vec::new(),
            notes: Vec::new(),
            summary: String::new(),
            is_raw: false,
            kept: Vec::new(),
        }
    }
}

/// Returns a note about profiles that were not completed.
fn unfinished(report: &Report) -> Vec<String> {
    let bytes = report.whole.iter().map(|whole| whole.unfinished).filter(|bytes| *bytes > 0);
    bytes.map(|bytes| format!("{} of a profile whose program was killed while it wrote", many(bytes, "byte"))).collect()
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        let notes =
            |f: &mut fmt::Formatter<'_>| self.notes.iter().try_for_each(|note| writeln!(f, "  note:     {note}"));
        if self.state == State::Ok {
            writeln!(f, "{name}: {}: {}", Styled(GOOD, "ok"), self.summary)?;
            return notes(f);
        }
        writeln!(f, "{name}: {}", Styled(BAD, "damaged"))?;
        for fault in &self.damage {
            if let Some(at) = fault.profile_offset {
                writeln!(f, "  profile at offset {}:", offset(at))?;
            }
            write!(f, "{fault}")?;
        }
        for lost in &self.lost {
            writeln!(f, "  lost:     {lost}")?;
        }
        notes(f)?;
        match self.salvage.is_empty() {
            true => writeln!(f, "  salvage:  nothing"),
            false if !self.is_raw => {
                writeln!(f, "  salvage:  {}; `profrt merge {name} -o OUT` writes that", self.salvage.join(", and "))
            }
            false => writeln!(f, "  salvage:  {}; --salvage OUT writes that", self.salvage.join(", and ")),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  field:    {}", self.field)?;
        if let Some(at) = self.offset {
            writeln!(f, "  offset:   {}", offset(at))?;
        }
        for (title, text) in [("expected:", &self.expected), ("found:   ", &self.found)] {
            if let Some(text) = text {
                writeln!(f, "  {title} {text}")?;
            }
        }
        writeln!(f, "  cause:    {}", self.cause)?;
        match &self.remedy {
            Some(remedy) => writeln!(f, "  remedy:   {remedy}"),
            None => Ok(()),
        }
    }
}
