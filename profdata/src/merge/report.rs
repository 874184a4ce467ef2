//! What a merge reports of its inputs.

use std::collections::BTreeMap;

use super::Merger;
use crate::error::Error;
use crate::finding::{Finding, InputId, LossAccount, Outcome};

/// What became of one input.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InputReport {
    /// Name, as the caller gave it.
    pub name: String,
    /// How often its counts count.
    pub weight: u64,
    /// What became of it.
    pub outcome: Outcome,
    /// How much of it was taken.
    pub account: LossAccount,
    /// Why it was refused, or where reading ended.
    pub error: Option<Error>,
}

/// What became of all inputs of a merge.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Inputs by their numbers.
    pub inputs: BTreeMap<InputId, InputReport>,
    /// What was lost or changed, sorted.
    pub findings: Vec<Finding>,
    /// Sum of the inputs' accounts, and counts that the merge itself left out.
    pub total: LossAccount,
}

impl InputReport {
    /// Returns the report of an input that somebody else than a [`Merger`](super::Merger) has read.
    pub fn new(name: impl Into<String>, weight: u64, outcome: Outcome, account: LossAccount) -> InputReport {
        InputReport { name: name.into(), weight, outcome, account, error: None }
    }
}

impl Report {
    /// Returns the name of an input, as the caller gave it; an empty one for an input that is not here.
    pub fn name_of(&self, input: InputId) -> &str {
        self.inputs.get(&input).map_or("", |report| report.name.as_str())
    }

    /// Returns whether every input was read whole and nothing was lost or changed.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.total.whole == self.total.inputs()
    }
}

impl Merger {
    /// Puts one report, `name`, in the place of those of all inputs so far: its account is their sum. Returns their reports, and what was found
    /// in them. The sum of the profiles stays as it is.
    ///
    /// A merge that goes on for months, through [`Merger::write_partial`], does not grow with each input then.
    pub fn condense(&mut self, name: impl Into<String>) -> Report {
        let inputs = std::mem::take(&mut self.inputs);
        let mut findings = std::mem::take(&mut self.findings);
        findings.sort_unstable();
        let mut total = LossAccount::default();
        inputs.values().for_each(|input| total.add(&input.account));
        let outcome = if total.whole == total.inputs() { Outcome::Whole } else { Outcome::Salvaged };
        // Records and findings of the sum that name another input than those of the report mean the first.
        self.inputs.insert(InputId::of(0), InputReport::new(name, 1, outcome, total));
        self.next_input = self.next_input.max(1);
        // One section stays as it is; more than one are a sum.
        self.memprof.inputs.truncate(2);
        Report { inputs, findings, total }
    }
}
