//! The loss account of a merge, as JSON, and what follows from it for the exit status.

use std::collections::{HashMap, HashSet};

use anyhow::{Context, Result};
use profdata::finding::{FindingKind, Outcome};
use profdata::merge::Report;
use profdata::{Finding, Flags, Profile};
use serde::Serialize;

use super::scale::Capped;
use super::weights::Unused;
use super::{Options, Written, notes, target};
use crate::inputs::{Duplicate, display, printable_bytes};
use crate::report::json::{ErrorJson, FindingJson, is_loss, kebab};
use crate::report::{Share, percent};

/// What became of the inputs of a merge.
pub(super) struct Account {
    pub(super) report: Report,
    /// What was left out.
    pub(super) duplicates: Vec<Duplicate>,
    /// What has the same bytes as another input, and counts.
    pub(super) equal: Vec<Duplicate>,
    pub(super) ignored: Vec<String>,
    /// Members of archives whose name one before them has.
    pub(super) repeated: Vec<String>,
    /// Sum of all counters that were read, and the part of it that is not in the result.
    pub(super) counts: u128,
    pub(super) counts_lost: u128,
    pub(super) capped: Option<Capped>,
    /// Names of local functions that were changed for the compiler.
    pub(super) renamed: u64,
    pub(super) unused_weights: Vec<Unused>,
    /// What else a user should know.
    pub(super) notes: Vec<String>,
    /// What was written.
    pub(super) output: Option<OutputJson>,
    /// Names of the functions in findings.
    names: HashMap<u64, String>,
}

/// What was written.
#[derive(Debug, Serialize)]
pub(super) struct OutputJson {
    pub(super) path: String,
    pub(super) format: &'static str,
    pub(super) version: Option<u32>,
    /// The releases that read it.
    pub(super) readers: Option<String>,
    pub(super) kind: &'static str,
    pub(super) bytes: u64,
    pub(super) functions: u64,
}

/// What the exit status is, and why it is not 0.
pub(super) struct Verdict {
    pub(super) status: u8,
    pub(super) reasons: Vec<String>,
}

impl Account {
    pub(super) fn new(report: Report, duplicates: Vec<Duplicate>, ignored: Vec<String>) -> Account {
        Account {
            counts: report.total.counts,
            counts_lost: report.total.counts_lost,
            report,
            duplicates,
            equal: Vec::new(),
            ignored,
            repeated: Vec::new(),
            capped: None,
            renamed: 0,
            unused_weights: Vec::new(),
            notes: Vec::new(),
            output: None,
            names: HashMap::new(),
        }
    }

    /// Returns the number of inputs of which something was taken.
    pub(super) fn used(&self) -> u64 {
        self.report.total.whole + self.report.total.salvaged
    }

    /// Returns whether there is nothing that a user should know.
    pub(super) fn is_clean(&self) -> bool {
        self.report.is_clean()
            && self.duplicates.is_empty()
            && self.repeated.is_empty()
            && self.unused_weights.is_empty()
            && self.notes.is_empty()
    }

    /// Notes what was written.
    pub(super) fn finish(&mut self, profile: &Profile, written: Written, options: &Options) {
        let flags = profile.flags();
        let kind = match (flags.has(Flags::IR), flags.has(Flags::CONTEXT_SENSITIVE), flags.has(Flags::BYTE_COVERAGE)) {
            (_, _, true) => "byte coverage",
            (true, true, _) => "context-sensitive IR",
            (true, ..) => "IR",
            _ => "front end",
        };
        self.output = Some(OutputJson {
            path: display(&options.output),
            format: written.format,
            version: written.target.filter(|_| written.format == "indexed").map(|target| target.version()),
            readers: written.target.filter(|_| written.format == "indexed").map(target::readers),
            kind,
            bytes: written.bytes,
            functions: written.functions,
        });
        if let Some(target) = written.target {
            self.notes = notes::of(profile, target, options.target.is_some());
        }
        self.counts_lost = self.counts_lost.saturating_add(written.counts_lost);
        self.report.findings.extend(written.findings.into_iter().map(|finding| Finding { input: RESULT, ..finding }));
        self.name_functions(profile);
    }

    /// Keeps the names of the functions that findings are about.
    pub(super) fn name_functions(&mut self, profile: &Profile) {
        let functions = self.report.findings.iter().filter_map(|finding| finding.function);
        let wanted: HashSet<u64> = functions.map(|(name, _)| name).collect();
        if !wanted.is_empty() {
            let names = profile.names().iter().filter(|(_, name)| wanted.contains(&name.hash));
            self.names.extend(names.filter_map(|(_, name)| Some((name.hash, printable_bytes(name.bytes?)))));
        }
    }

    /// Returns the exit status.
    pub(super) fn verdict(&self, options: &Options) -> Verdict {
        let total = &self.report.total;
        let mut reasons = Vec::new();
        let mut below = |what: &str, part: u128, whole: u128, asked: Share, option: &str| {
            if !asked.is_kept(part, whole) {
                reasons.push(format!("{} of the {what}; {option} asks for {asked}", percent(part, whole)));
            }
        };
        let inputs = total.inputs().into();
        below("inputs are whole", total.whole.into(), inputs, options.fail_under_inputs, "--fail-under-inputs");
        let kept = self.counts.saturating_sub(self.counts_lost);
        below("counts are in the output", kept, self.counts, options.fail_under_counts, "--fail-under-counts");
        let others =
            self.report.findings.iter().filter(|finding| is_loss(&finding.kind) && !is_measured(&finding.kind));
        let others = others.count();
        if others > 0 && options.fail_under_counts == Share::ALL {
            reasons.push(format!(
                "{others} other losses (functions, bitmaps, values, sections); --fail-under-counts below 100% allows them"
            ));
        }
        Verdict { status: u8::from(!reasons.is_empty()), reasons }
    }

    /// Returns the report as JSON, with the exit status. Errors: none that the contents can cause.
    pub(super) fn json(&self, status: u8) -> Result<String> {
        let total = &self.report.total;
        let inputs = self.report.inputs.values().map(|input| InputJson {
            name: &input.name,
            weight: input.weight,
            outcome: outcome(input.outcome),
            bytes: input.account.bytes,
            bytes_missing: input.account.bytes_missing,
            functions: input.account.functions,
            functions_lost: input.account.functions_lost,
            counts: input.account.counts,
            error: input.error.as_ref().map(ErrorJson::of),
        });
        let findings = self.report.findings.iter().map(|finding| self.finding(finding));
        let report = ReportJson {
            schema: "profrt-merge-1",
            status,
            output: self.output.as_ref(),
            totals: TotalsJson {
                inputs: total.inputs(),
                whole: total.whole,
                salvaged: total.salvaged,
                refused: total.refused,
                empty: total.empty,
                duplicates: self.duplicates.len() as u64,
                equal: self.equal.len() as u64,
                ignored: self.ignored.len() as u64,
                bytes: total.bytes,
                bytes_missing: total.bytes_missing,
                functions: total.functions,
                functions_lost: total.functions_lost,
                counts: self.counts,
                counts_lost: self.counts_lost,
            },
            capped: self.capped,
            renamed: self.renamed,
            inputs: inputs.collect(),
            duplicates: &self.duplicates,
            equal: &self.equal,
            ignored: &self.ignored,
            repeated: &self.repeated,
            unused_weights: self.unused_weights.iter().map(|weight| weight.glob.as_str()).collect(),
            notes: &self.notes,
            findings: findings.collect(),
        };
        let mut json = serde_json::to_string_pretty(&report).context("the report cannot be made")?;
        json.push('\n');
        Ok(json)
    }

    /// Returns the name of a function by its hash.
    pub(super) fn name_of(&self, hash: u64) -> Option<&str> {
        self.names.get(&hash).map(String::as_str)
    }

    /// Returns a finding with its names.
    pub(super) fn finding(&self, finding: &Finding) -> FindingJson {
        let input = self.report.inputs.get(&finding.input).map(|input| input.name.as_str());
        let name = finding.function.and_then(|(name, _)| self.names.get(&name)).cloned();
        FindingJson::of(finding, input, name)
    }
}

/// The number in findings about the result as a whole.
pub(super) const RESULT: profdata::finding::InputId = profdata::finding::InputId { number: u32::MAX, part: u32::MAX };

/// Returns whether a loss is in one of the shares that options measure: its input is not whole, or its counts are lost.
fn is_measured(kind: &FindingKind) -> bool {
    use FindingKind::*;
    let is_of_input = matches!(
        kind,
        Truncated { .. }
            | TrailingBytes { .. }
            | CountersLost
            | BitmapLost
            | ValuesLost
            | CounterTooLarge { .. }
            | NamesLost
            | RecordDamaged
            | LastLineUnended
    );
    is_of_input
        || matches!(kind, NoName | SectionLost | RecordsLost { .. } | CounterMismatch { .. } | CounterOverflow { .. })
}

/// Returns the word for what became of an input.
pub(super) fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Whole => "whole",
        Outcome::Salvaged => "salvaged",
        Outcome::Refused => "refused",
        Outcome::Empty => "empty",
    }
}

/// Returns the name of a finding's kind.
pub(super) fn kind(finding: &Finding) -> String {
    kebab(&format!("{:?}", finding.kind))
}

#[derive(Serialize)]
struct ReportJson<'a> {
    schema: &'static str,
    status: u8,
    output: Option<&'a OutputJson>,
    totals: TotalsJson,
    capped: Option<Capped>,
    renamed: u64,
    inputs: Vec<InputJson<'a>>,
    duplicates: &'a [Duplicate],
    equal: &'a [Duplicate],
    ignored: &'a [String],
    repeated: &'a [String],
    unused_weights: Vec<&'a str>,
    notes: &'a [String],
    findings: Vec<FindingJson>,
}

#[derive(Serialize)]
struct TotalsJson {
    inputs: u64,
    whole: u64,
    salvaged: u64,
    refused: u64,
    empty: u64,
    duplicates: u64,
    equal: u64,
    ignored: u64,
    bytes: u64,
    bytes_missing: u64,
    functions: u64,
    functions_lost: u64,
    counts: u128,
    counts_lost: u128,
}

#[derive(Serialize)]
struct InputJson<'a> {
    name: &'a str,
    weight: u64,
    outcome: &'static str,
    bytes: u64,
    bytes_missing: u64,
    functions: u64,
    functions_lost: u64,
    counts: u128,
    error: Option<ErrorJson>,
}
