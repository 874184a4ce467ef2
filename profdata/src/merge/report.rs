//! What a merge reports of its inputs.

use std::collections::BTreeMap;

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
