//! Decisions and their conditions (MC/DC).

use std::cmp::Reverse;

use super::region::{Kind, Region, Regions};

/// A decision and its conditions, as the numbers of their regions ([`Regions::iter`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The region of the decision.
    pub region: usize,
    /// The regions of its conditions, in the order in which test vectors have them: the first that is evaluated, then the others as the
    /// mapping has them.
    pub conditions: Vec<usize>,
}

/// The most decisions that are looked at for one that a condition is in: hostile ones are all at one place.
const MOST_OPEN: usize = 100;

impl Regions {
    /// Returns the decisions, in the order of the last regions of their conditions, which is that of `llvm-cov`.
    ///
    /// A condition belongs to the innermost decision around it, or around the expansion that it is in. Of several at one place, as in an argument
    /// of a macro, it belongs to the first that has not all its conditions. A decision whose conditions cannot be told so is left out.
    pub fn decisions(&self) -> Vec<Decision> {
        let is_part = |region: &Region| matches!(region.kind, Kind::Decision { .. } | Kind::Condition { .. });
        // Few functions have decisions.
        if !self.regions.iter().any(is_part) {
            return Vec::new();
        }
        let mut decisions: Vec<Decision> = Vec::new();
        // The decision around each file, and those of the current file that are not over.
        let mut around: Vec<Option<usize>> = vec![None; self.paths.len()];
        let (mut open, mut file): (Vec<usize>, u32) = (Vec::new(), 0);
        for (number, region) in self.regions.iter().enumerate() {
            if region.file != file {
                open.clear();
                file = region.file;
            }
            let is_over = |decision: &mut usize| {
                let around = decisions.get(*decision).and_then(|decision| self.regions.get(decision.region));
                around.is_none_or(|around| around.end < region.start)
            };
            while open.pop_if(is_over).is_some() {}
            let innermost =
                || self.innermost(region, &open, &decisions).or_else(|| around.get(file as usize).copied().flatten());
            match region.kind {
                Kind::Decision { .. } => {
                    open.push(decisions.len());
                    decisions.push(Decision { region: number, conditions: Vec::new() });
                }
                Kind::Expansion { file, .. } => {
                    let innermost = innermost();
                    around.get_mut(file as usize).into_iter().for_each(|around| *around = innermost);
                }
                Kind::Condition { .. } => {
                    let decision = innermost().and_then(|decision| decisions.get_mut(decision));
                    decision.into_iter().for_each(|decision| decision.conditions.push(number));
                }
                _ => {}
            }
        }
        decisions.retain(|decision| self.is_whole(decision));
        for decision in &mut decisions {
            let first = self.nodes(decision).position(|(id, _)| id == 0);
            first
                .and_then(|first| decision.conditions.get_mut(..=first))
                .into_iter()
                .for_each(|all| all.rotate_right(1));
        }
        decisions.sort_by_key(|decision| decision.conditions.iter().max().copied());
        decisions
    }

    /// Returns the innermost decision around a region that lacks conditions, of several at one place the first.
    fn innermost(&self, region: &Region, open: &[usize], decisions: &[Decision]) -> Option<usize> {
        let around = open.iter().rev().take(MOST_OPEN).rev().filter_map(|number| {
            let decision = decisions.get(*number)?;
            let around = self.regions.get(decision.region)?;
            let lacks = decision.conditions.len() < self.conditions(decision);
            (lacks && contains(around, region)).then_some((*number, around))
        });
        around.min_by_key(|(_, around)| (Reverse(around.start), around.end)).map(|(number, _)| number)
    }

    /// Returns how many conditions a decision has.
    fn conditions(&self, decision: &Decision) -> usize {
        match self.regions.get(decision.region).map(|region| region.kind) {
            Some(Kind::Decision { conditions, .. }) => conditions.into(),
            _ => 0,
        }
    }

    /// Returns whether a decision has all its conditions, each once.
    fn is_whole(&self, decision: &Decision) -> bool {
        let mut seen = vec![false; decision.conditions.len()];
        let mut is_new = |id: usize| seen.get_mut(id).is_some_and(|seen| !std::mem::replace(seen, true));
        decision.conditions.len() == self.conditions(decision)
            && self.nodes(decision).all(|(id, next)| {
                is_new(id) && next.into_iter().flatten().all(|next| usize::from(next) < decision.conditions.len())
            })
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
