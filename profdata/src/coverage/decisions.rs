//! Decisions and their conditions (MC/DC).

use super::malformed;
use super::region::{Kind, Region, Regions};
use crate::error::Error;

/// A decision and its conditions, as the numbers of their regions ([`Regions::iter`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The region of the decision.
    pub region: usize,
    /// The regions of its conditions, in the order in which test vectors have them: the first that is evaluated, then the others as the
    /// mapping has them.
    pub conditions: Vec<usize>,
}

impl Regions {
    /// Returns the decisions, in the order of the last regions of their conditions, which is that of `llvm-cov`.
    ///
    /// A condition belongs to the innermost decision around it, or around the expansion that it is in.
    ///
    /// Errors: a condition is in no decision, or a decision does not have all its conditions, each once.
    pub fn decisions(&self) -> Result<Vec<Decision>, Error> {
        let is_part = |region: &Region| matches!(region.kind, Kind::Decision { .. } | Kind::Condition { .. });
        // Few functions have decisions.
        if !self.regions.iter().any(is_part) {
            return Ok(Vec::new());
        }
        let mut decisions: Vec<Decision> = Vec::new();
        // The decision around each file, and those of the current file that are not over.
        let mut around: Vec<Option<usize>> = vec![None; self.paths.len()];
        let (mut open, mut file): (Vec<usize>, u32) = (Vec::new(), 0);
        for (number, region) in self.regions.iter().enumerate() {
            if !(is_part(region) || matches!(region.kind, Kind::Expansion { .. })) {
                continue;
            }
            if region.file != file {
                open.clear();
                file = region.file;
            }
            let is_over = |decision: &usize| {
                let around = decisions.get(*decision).and_then(|decision| self.regions.get(decision.region));
                around.is_none_or(|around| !contains(around, region))
            };
            while open.pop_if(|decision| is_over(decision)).is_some() {}
            let innermost = open.last().copied().or_else(|| around.get(file as usize).copied().flatten());
            match region.kind {
                Kind::Decision { .. } => {
                    open.push(decisions.len());
                    decisions.push(Decision { region: number, conditions: Vec::new() });
                }
                Kind::Expansion { file, .. } => {
                    around.get_mut(file as usize).into_iter().for_each(|around| *around = innermost);
                }
                Kind::Condition { id, .. } => {
                    let decision = innermost.and_then(|decision| decisions.get_mut(decision));
                    let decision = decision.ok_or_else(|| malformed("condition").expected("a decision around it"))?;
                    decision.conditions.push(number);
                    if id == 0 {
                        decision.conditions.rotate_right(1);
                    }
                }
                _ => {}
            }
        }
        decisions.iter().try_for_each(|decision| self.check_decision(decision))?;
        decisions.sort_by_key(|decision| decision.conditions.iter().max().copied());
        Ok(decisions)
    }

    /// Checks that a decision has all its conditions.
    fn check_decision(&self, decision: &Decision) -> Result<(), Error> {
        let expected = match self.regions.get(decision.region).map(|region| region.kind) {
            Some(Kind::Decision { conditions, .. }) => usize::from(conditions),
            _ => 0,
        };
        let mut seen = vec![false; decision.conditions.len()];
        let mut is_new = |id: usize| seen.get_mut(id).is_some_and(|seen| !std::mem::replace(seen, true));
        let all_new = self.nodes(decision).all(|(id, next)| {
            is_new(id) && next.into_iter().flatten().all(|next| usize::from(next) < decision.conditions.len())
        });
        if decision.conditions.len() != expected || !all_new {
            return Err(malformed("decision").expected(format_args!("{expected} conditions")));
        }
        Ok(())
    }

    /// Returns the number of each condition of a decision, and the conditions after it if it is true and if it is false.
    pub(super) fn nodes(&self, decision: &Decision) -> impl Iterator<Item = (usize, [Option<u16>; 2])> {
        let regions = decision.conditions.iter().filter_map(|number| self.regions.get(*number));
        regions.filter_map(|region| match region.kind {
            Kind::Condition { id, next, .. } => Some((usize::from(id), next)),
            _ => None,
        })
    }
}

/// Returns whether a region is in another one of the same file.
fn contains(outer: &Region, inner: &Region) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
