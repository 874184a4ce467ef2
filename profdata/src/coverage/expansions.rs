//! What is in the macros and included files of a body.

use super::counted::Counted;
use super::function::Function;
use super::malformed;
use super::region::{Kind, Range, Region};
use crate::error::Error;

/// The most expansions in each other: compilers stop at a fifth of it.
const MOST_DEPTH: usize = 1 << 10;

/// An expansion in the body of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Expansion<'m> {
    /// The function.
    pub function: &'m Function<'m>,
    /// Where it is in the body.
    pub region: Region,
    /// How often it ran.
    pub count: u64,
    /// The branches in it and in the expansions in it, also those on constants; the innermost first.
    pub branches: Vec<ExpandedBranch>,
}

/// A branch in an expansion.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ExpandedBranch {
    /// Its region.
    pub region: Region,
    /// How often it was true, and false.
    pub counts: [u64; 2],
    /// The expansions that it is in, from that in the body to the innermost.
    pub way: Vec<Range>,
}

/// A step of a walk through expansions.
enum Step {
    /// Enter the expansion with this number of its region.
    Enter(usize),
    /// List the branches of this file, and leave it.
    Leave(u32),
}

impl Counted<'_> {
    /// Returns the expansions in a file of the function. Errors: too many of them are in each other.
    pub(super) fn expansions<'m>(&self, function: &'m Function<'m>, file: u32) -> Result<Vec<Expansion<'m>>, Error> {
        // A file has one expansion; what a damaged mapping expands again is left out.
        let mut seen = vec![false; self.regions.files() as usize];
        let mut all = Vec::new();
        for number in self.expansions_in(file) {
            let (Some(region), Some([count, _])) = (self.regions.regions.get(number), self.counts.get(number)) else {
                continue;
            };
            let branches = self.expanded(number, &mut seen)?;
            all.push(Expansion { function, region: *region, count: *count, branches });
        }
        Ok(all)
    }

    /// Returns the branches of an expansion, by the number of its region.
    fn expanded(&self, number: usize, seen: &mut [bool]) -> Result<Vec<ExpandedBranch>, Error> {
        let (mut branches, mut way) = (Vec::new(), Vec::new());
        let mut steps = vec![Step::Enter(number)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(number) => {
                    let Some(region) = self.regions.regions.get(number) else { continue };
                    let Kind::Expansion { file, .. } = region.kind else { continue };
                    if seen.get_mut(file as usize).is_none_or(|seen| std::mem::replace(seen, true)) {
                        continue;
                    }
                    way.push((region.start, region.end));
                    if way.len() > MOST_DEPTH {
                        return Err(malformed("expansion").found(format_args!("more than {MOST_DEPTH} in each other")));
                    }
                    steps.push(Step::Leave(file));
                    steps.extend(self.expansions_in(file).rev().map(Step::Enter));
                }
                Step::Leave(file) => {
                    let own = self.numbers_in(file).filter_map(|number| {
                        let (region, counts) = (self.regions.regions.get(number)?, self.counts.get(number)?);
                        let is_branch = matches!(region.kind, Kind::Branch(_) | Kind::Condition { .. });
                        is_branch.then_some((*region, *counts))
                    });
                    branches.extend(own.map(|(region, counts)| ExpandedBranch { region, counts, way: way.clone() }));
                    way.pop();
                }
            }
        }
        Ok(branches)
    }

    /// Returns the numbers of the regions of a file, which stand together.
    fn numbers_in(&self, file: u32) -> std::ops::Range<usize> {
        let regions = &self.regions.regions;
        regions.partition_point(|region| region.file < file)..regions.partition_point(|region| region.file <= file)
    }

    /// Returns the numbers of the regions of expansions in a file.
    fn expansions_in(&self, file: u32) -> impl DoubleEndedIterator<Item = usize> {
        let kind = |number: usize| self.regions.regions.get(number).map(|region| region.kind);
        self.numbers_in(file).filter(move |number| matches!(kind(*number), Some(Kind::Expansion { .. })))
    }
}
