//! What a file has: the regions of all functions in it, with their counts.

use super::counted::{DecisionCoverage, counted};
use super::counts::Counts;
use super::expansions::Expansion;
use super::function::Function;
use super::mapping::Mapping;
use super::region::{Position, Region};
use super::rules::Rules;
use super::segments::{Segment, Span, segments};
use super::summary::{Groups, Summary};
use crate::error::Error;
use crate::flags::Flags;

/// The coverage of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct FileCoverage<'m> {
    /// The segments of all functions together, in rising order; [`lines`](super::lines()) makes lines of them.
    pub segments: Vec<Segment>,
    /// The branches of each function, also those on constants, and how often they were true and false. Those of `llvm-cov` up to 19 are not in macros.
    pub branches: Vec<(Region, [u64; 2])>,
    /// The decisions of each function (MC/DC).
    pub decisions: Vec<DecisionCoverage>,
    /// The macros and included files in bodies that are in the file.
    pub expansions: Vec<Expansion<'m>>,
    /// The functions whose bodies are in the file: where the body starts, and how often it ran.
    pub functions: Vec<(&'m Function<'m>, Position, u64)>,
    /// The sums of the functions whose bodies are in the file.
    pub summary: Summary,
    /// Functions that are left out: the profile has them with another structural hash (no error), or the mapping is damaged, or the record
    /// does not fit it.
    pub left_out: Vec<(&'m Function<'m>, Option<Error>)>,
}

impl Mapping<'_> {
    /// Returns the coverage of the file with a number. Functions that the profile does not know have not run.
    pub fn file(&self, path: u32, counts: &Counts<'_>, rules: Rules) -> FileCoverage<'_> {
        let mut sum = Sum::default();
        for function in self.listed(self.functions_in(path), counts, rules) {
            match self.count_in(function, path, counts, rules, &mut sum) {
                Ok(true) => {}
                Ok(false) => sum.file.left_out.push((function, None)),
                Err(error) => sum.file.left_out.push((function, Some(error))),
            }
        }
        let is_byte = counts.flags().has(Flags::BYTE_COVERAGE);
        FileCoverage { segments: segments(&mut sum.spans, rules, is_byte), summary: sum.groups.summary(), ..sum.file }
    }

    /// Adds a function. Returns whether the profile does not have it with another structural hash.
    fn count_in<'m>(
        &self,
        function: &'m Function<'m>,
        path: u32,
        counts: &Counts<'_>,
        rules: Rules,
        sum: &mut Sum<'m>,
    ) -> Result<bool, Error> {
        let Some(counted) = counted(function, counts, rules, || self.decode(function))? else { return Ok(false) };
        let regions = &counted.regions;
        let (decisions, main) = (counted.decisions()?, counted.regions.main_file(path));
        let expansions = main.map(|file| counted.expansions(function, file)).transpose()?;
        sum.file.expansions.extend(expansions.into_iter().flatten());
        sum.spans.extend(counted.spans(|file| regions.path(file) == path));
        if let Some(file) = main {
            sum.groups.add(&counted, file, &decisions);
            let first = regions.iter().find(|region| region.file == file).map(|region| region.start);
            let count = counted.counts.first().map_or(0, |[count, _]| *count);
            sum.file.functions.extend(first.map(|start| (function, start, count)));
        }
        let is_here = |file| regions.path(file) == path;
        let has_branches = |file| is_here(file) && (rules.lists_macros() || Some(file) == main);
        sum.file.branches.extend(counted.branches(has_branches));
        sum.file.decisions.extend(decisions.into_iter().filter(|decision| is_here(decision.region.file)));
        Ok(true)
    }
}

/// The functions of a file so far.
#[derive(Default)]
struct Sum<'m> {
    spans: Vec<Span>,
    groups: Groups,
    file: FileCoverage<'m>,
}
