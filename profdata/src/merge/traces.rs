//! Temporal traces of all inputs.

use std::collections::BTreeMap;

use super::partial::fields::{Put, Take};
use crate::sink::Trace;

/// Traces by the hash of their functions: equal traces are added.
///
/// Of too many traces, those with the smallest hashes are kept. A trace that is among these in the end was among them in each group of
/// inputs too, so that its sum is complete.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traces {
    kept: BTreeMap<(u64, Vec<u64>), Sum>,
    /// Traces that were added, those that were left out too.
    added: u64,
    /// Traces that were ever seen, as the inputs say.
    pub(crate) stream_size: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    weight: u64,
    traces: u64,
}

/// Returns a hash that only the functions decide (FNV-1a, then mixed).
fn hash(functions: &[u64]) -> u64 {
    let sum = functions.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, function| {
        (hash ^ function).wrapping_mul(0x100_0000_01b3).rotate_left(29)
    });
    (sum ^ sum >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Traces {
    /// Adds a trace. Keeps the `most` traces with the smallest hashes, and the first `longest` functions of each. Returns how many functions
    /// were left out.
    pub(crate) fn add(&mut self, trace: &Trace, weight: u64, most: usize, longest: usize) -> u64 {
        let (functions, rest) = trace.functions.split_at_checked(longest).unwrap_or((&trace.functions, &[]));
        let sum = Sum { weight: trace.weight.saturating_mul(weight), traces: 1 };
        self.added = self.added.saturating_add(1);
        self.keep((hash(functions), functions.to_vec()), sum, most);
        rest.len() as u64
    }

    fn keep(&mut self, key: (u64, Vec<u64>), addition: Sum, most: usize) {
        let sum = self.kept.entry(key).or_default();
        sum.weight = sum.weight.saturating_add(addition.weight);
        sum.traces = sum.traces.saturating_add(addition.traces);
        if self.kept.len() > most {
            self.kept.pop_last();
        }
    }

    /// Adds the traces of another merge.
    pub(crate) fn absorb(&mut self, other: Traces, most: usize) {
        self.stream_size = self.stream_size.saturating_add(other.stream_size);
        self.added = self.added.saturating_add(other.added);
        for (key, sum) in other.kept {
            self.keep(key, sum, most);
        }
    }

    /// Gives functions other hashes. Traces that become equal are added.
    pub(crate) fn rename(&mut self, new_hash: impl Fn(u64) -> u64) {
        for ((_, functions), sum) in std::mem::take(&mut self.kept) {
            let functions: Vec<u64> = functions.into_iter().map(&new_hash).collect();
            self.keep((hash(&functions), functions), sum, usize::MAX);
        }
    }

    /// Appends all traces to a frame of a partial result.
    pub(crate) fn put(&self, to: &mut Vec<u8>) {
        to.number(self.added);
        to.number(self.stream_size);
        to.number(self.kept.len() as u64);
        for ((_, functions), sum) in &self.kept {
            to.number(sum.weight);
            to.number(sum.traces);
            to.number(functions.len() as u64);
            functions.iter().for_each(|function| to.word(*function));
        }
    }

    /// Adds the traces of a frame, with their weights multiplied. Returns `None` when the frame contradicts itself.
    pub(crate) fn take(&mut self, from: &mut Take<'_>, weight: u64, most: usize) -> Option<()> {
        self.added = self.added.saturating_add(from.number()?);
        self.stream_size = self.stream_size.saturating_add(from.number()?);
        for _ in 0..from.count()? {
            let sum = Sum { weight: from.number()?.saturating_mul(weight), traces: from.number()? };
            let functions = (0..from.count()?).map(|_| from.word()).collect::<Option<Vec<_>>>()?;
            self.keep((hash(&functions), functions), sum, most);
        }
        Some(())
    }

    /// Returns the number of traces that were left out.
    pub(crate) fn left_out(&self) -> u64 {
        self.kept.values().fold(self.added, |rest, sum| rest.saturating_sub(sum.traces))
    }

    /// Returns all traces, sorted by functions.
    pub(crate) fn sorted(&self) -> Vec<Trace> {
        let trace = |((_, functions), sum): (&(u64, Vec<u64>), &Sum)| Trace {
            weight: sum.weight,
            functions: functions.clone(),
        };
        let mut traces: Vec<_> = self.kept.iter().map(trace).collect();
        traces.sort_by(|a, b| a.functions.cmp(&b.functions));
        traces
    }
}
