//! A JSON object at each tick, one a line.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use super::control::Control;
use super::model::{Live, Since};
use crate::report::print;
use profrt_coverage::totals::Part;

/// The first line.
#[derive(Serialize)]
struct Start<'l> {
    schema: &'static str,
    /// What `PROFRT_LIVE` is to be for `profrt live mark`.
    socket: &'l str,
}

/// A tick.
#[derive(Serialize)]
struct Tick<'l> {
    /// Since the start.
    seconds: f64,
    /// Continuous files: one of each image of each process.
    files: usize,
    lines: Part,
    mark: Option<&'l str>,
    lines_since_mark: Part,
    /// Those that were called since the tick before.
    functions: Vec<Called<'l>>,
    /// Lines that ran since the tick before: path, first and last lines.
    ran: BTreeMap<&'l str, Vec<(u32, u32)>>,
}

#[derive(Serialize)]
struct Called<'l> {
    name: &'l str,
    calls: u64,
    per_second: f64,
}

/// Writes the first line. Errors: those of the system.
pub(super) fn start(control: &Control) -> Result<()> {
    print(&(serde_json::to_string(&Start { schema: "profrt-live-1", socket: control.path() })? + "\n"))
}

/// Writes a tick. Errors: those of the system.
pub(super) fn tick(live: &mut Live<'_>) -> Result<()> {
    let runs = live.ran(None);
    let mut ran: BTreeMap<&str, Vec<(u32, u32)>> = BTreeMap::new();
    for (place, first, last) in runs {
        if let Some(source) = live.sources.get(place) {
            ran.entry(&source.path).or_default().push((first, last));
        }
    }
    let functions = live.calls().into_iter().filter(|calls| calls.calls > 0).map(|calls| Called {
        name: calls.name,
        calls: calls.calls,
        per_second: rounded(calls.per_second),
    });
    let tick = Tick {
        seconds: rounded(live.seconds()),
        files: live.files(),
        lines: live.sums(Since::Start).lines,
        mark: live.mark.name.as_deref(),
        lines_since_mark: live.sums(Since::Mark).lines,
        functions: functions.collect(),
        ran,
    };
    print(&(serde_json::to_string(&tick)? + "\n"))
}

/// Returns a number with three digits after the point.
fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}
