//! The loss account of a merge, as JSON, and what follows from it for the exit status.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use profdata::finding::{FindingKind, InputId, LossAccount, Outcome};
use profdata::merge::Report;
use profdata::sink::Flags;
use profdata::{Finding, Profile};
use serde::Serialize;

use super::{Options, Written, notes, target};
use crate::inputs::{Duplicate, display, is_container, printable_bytes};
use crate::report::findings::{FindingJson, is_loss, kebab};
use crate::report::{Fault, Share, Verdict, json, percent};

/// What became of the inputs of a merge.
#[derive(Default)]
pub(super) struct Account {
    pub(super) report: Report,
    /// What was left out.
    pub(super) duplicates: Vec<Duplicate>,
    /// What has the same bytes as another input, and counts.
    pub(super) equal: Vec<Duplicate>,
    pub(super) ignored: Vec<String>,
    /// Names of local functions that were changed for the compiler.
    pub(super) renamed: u64,
    /// Patterns that match no input.
    pub(super) unused_weights: Vec<String>,
    /// What else a user should know.
    pub(super) notes: Vec<String>,
    /// What was written.
    pub(super) output: Option<OutputJson>,
    /// Names of the functions in findings.
    pub(super) names: HashMap<u64, String>,
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

impl Account {
    /// Returns the number of inputs of which something was taken.
    pub(super) fn used(&self) -> u64 {
        self.report.total.whole + self.report.total.salvaged
    }

    /// Returns whether there is nothing that a user should know.
    pub(super) fn is_clean(&self) -> bool {
        self.report.is_clean() && self.duplicates.is_empty() && self.unused_weights.is_empty() && self.notes.is_empty()
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
        let target = written.target.filter(|_| written.format == "indexed");
        self.output = Some(OutputJson {
            path: display(&options.output),
            format: written.format,
            version: target.map(|target| target.version()),
            readers: target.map(target::readers),
            kind,
            bytes: written.bytes,
            functions: written.functions,
        });
        if let Some(target) = written.target {
            self.notes = notes::of(profile, target, options.target.is_some());
        }
        let lost = &mut self.report.total.counts_lost;
        *lost = lost.saturating_add(written.counts_lost);
        // Nobody has asked for a version without build ids, or with them.
        let is_silent =
            |kind: &FindingKind| options.target.is_none() && matches!(kind, FindingKind::BinaryIdsLeftOut { .. });
        let findings = written.findings.into_iter().filter(|finding| !is_silent(&finding.kind));
        self.report.findings.extend(findings.map(|finding| Finding { input: InputId::MERGE, ..finding }));
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

    /// Returns what options ask for, and the result does not have.
    pub(super) fn verdict(&self, options: &Options) -> Verdict {
        let total = &self.report.total;
        let mut verdict = Verdict::default();
        let mut below = |what: &str, part: u128, whole: u128, asked: Share, option: &str| {
            if !asked.is_kept(part, whole) {
                verdict.failures.push(format!("{} of the {what}; {option} asks for {asked}", percent(part, whole)));
            }
        };
        let inputs = total.inputs().into();
        below("inputs are whole", total.whole.into(), inputs, options.fail_under_inputs, "--fail-under-inputs");
        let kept = total.counts.saturating_sub(total.counts_lost);
        below("counts are in the output", kept, total.counts, options.fail_under_counts, "--fail-under-counts");
        let is_other = |finding: &&Finding| is_loss(&finding.kind) && !is_measured(&finding.kind);
        let others = self.report.findings.iter().filter(is_other).count();
        let lost =
            self.report.inputs.values().find(|input| input.outcome == Outcome::Refused && is_container(&input.name));
        if let Some(input) = lost.filter(|_| options.fail_under_inputs != Share::ALL) {
            verdict.failures.push(format!(
                "{} is damaged: how many inputs it had is not known, so that --fail-under-inputs cannot be told",
                input.name
            ));
        }
        if others > 0 && options.fail_under_counts == Share::ALL {
            verdict.failures.push(format!(
                "{others} other losses (functions, bitmaps, values, sections); --fail-under-counts below 100% allows them"
            ));
        }
        verdict
    }

    /// Returns the report as JSON, with the exit status. Errors: none that the contents can cause.
    pub(super) fn json(&self, status: u8) -> Result<String> {
        let total = &self.report.total;
        let inputs = self.report.inputs.values().map(|input| InputJson {
            name: &input.name,
            weight: input.weight,
            outcome: kebab(&input.outcome),
            sums: Sums::of(&input.account),
            error: input.error.as_ref().map(Fault::of),
        });
        let finding = |finding: &Finding| {
            let name = finding.function.and_then(|(name, _)| self.name_of(name));
            FindingJson::of(finding, self.input_of(finding), name.as_deref())
        };
        let report = ReportJson {
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
                sums: Sums::of(total),
            },
            renamed: self.renamed,
            inputs: inputs.collect(),
            duplicates: &self.duplicates,
            equal: &self.equal,
            ignored: &self.ignored,
            unused_weights: &self.unused_weights,
            notes: &self.notes,
            findings: self.report.findings.iter().map(finding).collect(),
        };
        json("profrt-merge-1", status, &report)
    }

    /// Returns the name of a function by its hash.
    pub(super) fn name_of(&self, hash: u64) -> Option<String> {
        self.names.get(&hash).cloned()
    }

    /// Returns the name of the input of a finding.
    pub(super) fn input_of(&self, finding: &Finding) -> Option<&str> {
        self.report.inputs.get(&finding.input).map(|input| input.name.as_str())
    }
}

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
    );
    is_of_input
        || matches!(kind, NoName | SectionLost | RecordsLost { .. } | CounterMismatch { .. } | CounterOverflow { .. })
}

#[derive(Serialize)]
struct ReportJson<'a> {
    output: Option<&'a OutputJson>,
    totals: TotalsJson,
    renamed: u64,
    inputs: Vec<InputJson<'a>>,
    duplicates: &'a [Duplicate],
    equal: &'a [Duplicate],
    ignored: &'a [String],
    unused_weights: &'a [String],
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
    #[serde(flatten)]
    sums: Sums,
}

#[derive(Serialize)]
struct InputJson<'a> {
    name: &'a str,
    weight: u64,
    outcome: String,
    #[serde(flatten)]
    sums: Sums,
    error: Option<Fault>,
}

/// The numbers of an input, or of all.
#[derive(Serialize)]
struct Sums {
    bytes: u64,
    bytes_missing: u64,
    functions: u64,
    functions_lost: u64,
    counts: u128,
    counts_lost: u128,
}

impl Sums {
    fn of(account: &LossAccount) -> Sums {
        let LossAccount { bytes, bytes_missing, functions, functions_lost, counts, counts_lost, .. } = *account;
        Sums { bytes, bytes_missing, functions, functions_lost, counts, counts_lost }
    }
}
