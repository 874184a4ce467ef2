//! What a merge reports of its inputs.

use crate::error::Error;
use crate::finding::{Finding, InputId, LossAccount, Outcome};

/// What became of one input.
#[derive(Clone, Debug)]
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
pub struct Report {
    /// Inputs, in the order in which they were given; [`InputId`] counts from 0.
    pub inputs: Vec<InputReport>,
    /// What was lost or changed, sorted.
    pub findings: Vec<Finding>,
    /// Sum of the inputs' accounts, and counts that the merge itself left out.
    pub total: LossAccount,
}

impl Report {
    /// Returns an input by its number.
    pub fn input(&self, id: InputId) -> Option<&InputReport> {
        self.inputs.get(id.0 as usize)
    }
}
