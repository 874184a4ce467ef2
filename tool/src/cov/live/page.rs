//! What the page asks, and the answers.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::model::{Live, Since};
use crate::cov::html::file::File;
use profrt_coverage::totals::{ALL, Totals};

/// The most functions in an answer.
const MOST: usize = 30;

/// What the page asks for: only what has changed after a tick.
#[derive(Deserialize)]
pub(super) struct Question {
    /// The place of a source; none: the sums of all.
    source: Option<u32>,
    /// Only what ran since the mark.
    #[serde(default)]
    since_mark: bool,
    #[serde(default)]
    after: u64,
}

/// All sources. The first answer has what the page has to know before it is drawn, in the form of the page of coverage.
#[derive(Serialize)]
struct Sums<'l> {
    tick: u64,
    files: usize,
    mark: Option<&'l str>,
    marks: u64,
    totals: Totals,
    calls: Vec<(&'l str, Option<u32>, u32, f64)>,
    /// The place, and of each part how much ran and how much there is.
    changed: Vec<(usize, Vec<u64>)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<Index<'l>>,
}

#[derive(Serialize)]
struct Index<'l> {
    parts: [&'static str; 5],
    totals: Totals,
    excluded: [(); 0],
    is_change: bool,
    left_out: [(); 0],
    categories: [(); 0],
    files: Vec<(&'l str, usize, usize, Vec<u64>)>,
}

/// A source.
#[derive(Serialize)]
struct Source {
    tick: u64,
    /// Lines that ran between the last two ticks: first and last ones.
    moving: Vec<(u32, u32)>,
    /// Where any count has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<File>,
    /// With it: lines that have run if no call waits.
    uncertain: Vec<u32>,
}

fn numbers(totals: &Totals) -> Vec<u64> {
    ALL.iter().map(|what| totals.part(*what)).flat_map(|part| [part.covered, part.count]).collect()
}

impl Question {
    /// Returns whether there is no news yet: the page is to see each tick once.
    pub(super) fn waits(&self, live: &Live<'_>) -> bool {
        self.after >= live.tick && self.after > 0
    }

    /// Returns the answer, as JSON. Errors: none that a question can cause.
    pub(super) fn answer(&self, live: &mut Live<'_>) -> Result<String> {
        let since = if self.since_mark { Since::Mark } else { Since::Start };
        match self.source {
            None => self.sums(live, since),
            Some(place) => self.source(live, place, since),
        }
    }

    fn sums(&self, live: &Live<'_>, since: Since) -> Result<String> {
        let totals = live.sums(since);
        let states = || live.states.iter().enumerate();
        let index = (self.after == 0).then(|| Index {
            parts: ALL.map(|what| what.name()),
            totals,
            excluded: [],
            is_change: false,
            left_out: [],
            categories: [],
            files: live
                .sources
                .iter()
                .zip(&live.states)
                .map(|(source, state)| (source.path.as_str(), 0, 0, numbers(state.of(since))))
                .collect(),
        });
        let changed = states().filter(|(_, state)| index.is_none() && state.sums_changed >= self.after);
        let calls = live.calls().into_iter().take(MOST);
        Ok(serde_json::to_string(&Sums {
            tick: live.tick,
            files: live.files(),
            mark: live.mark.name.as_deref(),
            marks: live.mark.number,
            totals,
            calls: calls.map(|calls| (calls.name, calls.place, calls.line, calls.per_second)).collect(),
            changed: changed.map(|(place, state)| (place, numbers(state.of(since)))).collect(),
            index,
        })?)
    }

    fn source(&self, live: &mut Live<'_>, place: u32, since: Since) -> Result<String> {
        let ran = live.ran(Some(place)).into_iter().filter(|(other, ..)| *other == place as usize);
        let moving = ran.map(|(_, first, last)| (first, last)).collect();
        let has_changed =
            live.states.get(place as usize).is_some_and(|state| state.counted.max(state.sums_changed) >= self.after);
        let file = has_changed.then(|| {
            let packed = live.report(place, since, live.has_ended, |report, source, counts| {
                Ok(File::of(report, &source.numbers, &[], None, live.mapping, counts))
            });
            packed.ok()
        });
        let uncertain = if has_changed { live.uncertain(place, since).unwrap_or_default() } else { Vec::new() };
        Ok(serde_json::to_string(&Source { tick: live.tick, moving, file: file.flatten(), uncertain })?)
    }
}
