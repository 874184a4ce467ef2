//! What counts say of sources and functions.

use std::collections::BTreeSet;

use anyhow::{Result, anyhow, bail};
use profdata::coverage::Counts;

use super::{Live, Since};
use crate::cov::live::functions::Sums;
use crate::cov::who::collect::{Ran, Run};
use profrt_coverage::files::{FileReport, Wanted};
use profrt_coverage::paths::Source;
use profrt_coverage::totals::Totals;

/// How often a function is called.
pub(in crate::cov::live) struct Calls<'l> {
    pub(in crate::cov::live) name: &'l str,
    /// The place of its source, and the line where it starts.
    pub(in crate::cov::live) place: Option<u32>,
    pub(in crate::cov::live) line: u32,
    /// Between the last two ticks.
    pub(in crate::cov::live) calls: u64,
    /// In about the last second.
    pub(in crate::cov::live) per_second: f64,
}

impl Live<'_> {
    /// Returns what ran of a source. Errors: markers of exclusion do not match.
    pub(super) fn totals(&self, place: u32, since: Since) -> Result<Totals> {
        self.report(place, since, self.has_ended, |report, _, _| Ok(report.totals))
    }

    /// Returns the lines of a source that have run if no call waits.
    pub(in crate::cov::live) fn uncertain(&self, place: u32, since: Since) -> Result<Vec<u32>> {
        let ran = |has_ended| {
            self.report(place, since, has_ended, |report, _, _| {
                let ran = report.lines.iter().filter(|(_, count)| *count > 0);
                Ok(ran.map(|(line, _)| *line).collect::<BTreeSet<u32>>())
            })
        };
        Ok(ran(true)?.difference(&ran(self.has_ended)?).copied().collect())
    }

    /// Calls `work` with what ran of a source, the numbers of its paths, its functions and their counts, as if the program has ended or not.
    ///
    /// Errors: markers of exclusion do not match; those of `work`.
    pub(in crate::cov::live) fn report<T>(
        &self,
        place: u32,
        since: Since,
        has_ended: bool,
        work: impl FnOnce(&FileReport, &Source, &Counts<'_>) -> Result<T>,
    ) -> Result<T> {
        let Some(source) = self.sources.get(place as usize) else { bail!("there is no such source") };
        let functions = source.numbers.iter().flat_map(|number| self.mapping.functions_in(*number));
        let numbers: BTreeSet<u32> =
            functions.filter_map(|function| self.functions.find((function.name_hash(), function.hash()))).collect();
        let profile = self.functions.profile(numbers, self.base(since))?;
        let mut counts = Counts::of(&profile, self.functions.format());
        if !has_ended {
            counts.while_running();
        }
        let (mapping, sources, exclude) = (self.mapping, self.sources, self.exclude);
        let wanted = Wanted { mapping, sources, exclude, linked: None, changes: None, threads: 1, progress: &|| () };
        let report = FileReport::of(source, &wanted, &counts, &mut Vec::new());
        let report = report.map_err(|markers| anyhow!("markers do not match:\n  {}", markers.join("\n  ")))?;
        work(&report, source, &counts)
    }

    /// Returns the counts that are no news.
    fn base(&self, since: Since) -> &Sums {
        match since {
            Since::Start => &self.nothing,
            Since::Mark => &self.mark.sums,
        }
    }

    /// Returns the lines that ran between the last two ticks, of one source or of all: places of sources, first and last lines, in order.
    pub(in crate::cov::live) fn ran(&mut self, of: Option<u32>) -> Vec<Run> {
        let mut ran = Vec::new();
        for number in &self.changed {
            let Some((key, function)) = self.functions.get(*number) else { continue };
            let Some(known) = self.known.get_mut(number) else { continue };
            if of.is_none_or(|place| self.places.get(&key).is_some_and(|places| places.contains(&place))) {
                ran.extend(known.lines(function, &self.functions, &self.before, &self.lines));
            }
        }
        Ran::of(ran).once()
    }

    /// Returns the functions that are called, those that are called most first.
    pub(in crate::cov::live) fn calls(&self) -> Vec<Calls<'_>> {
        let called = self.rates.iter().filter_map(|(number, rate)| {
            let known = self.known.get(number)?;
            let places = self.places.get(&self.functions.get(*number)?.0);
            Some(Calls {
                name: &known.name,
                place: places.and_then(|places| places.first()).copied(),
                line: known.line,
                calls: if self.changed.contains(number) { known.calls } else { 0 },
                per_second: *rate,
            })
        });
        let mut all: Vec<Calls<'_>> = called.collect();
        all.sort_by(|one, other| other.per_second.total_cmp(&one.per_second).then(one.name.cmp(other.name)));
        all
    }

    /// Returns the sums of all sources.
    pub(in crate::cov::live) fn sums(&self, since: Since) -> Totals {
        let mut totals = Totals::default();
        self.states.iter().for_each(|state| totals += *state.of(since));
        totals
    }

    /// Returns the number of files with counters.
    pub(in crate::cov::live) fn files(&self) -> usize {
        self.watched.files()
    }

    /// Returns the seconds since the start.
    pub(in crate::cov::live) fn seconds(&self) -> f64 {
        self.last.duration_since(self.start).as_secs_f64()
    }
}
