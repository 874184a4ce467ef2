//! Everything that arguments stand for as one profile, for commands that look at it.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Error, Result, ensure};
use profdata::Profile;
use profdata::correlate::Correlation;
use profdata::finding::Outcome;
use profdata::merge::{InputReport, MergeOptions, Merger, Report};
use profdata::sink::Sink;

use super::{Feed, Progress, display, expand, load, passed_over};
use crate::report::{exact, explained};

/// Returns a line for each input that is not whole, and one for what the merge itself has left out.
pub fn damage(report: &Report) -> Vec<String> {
    let damaged = report.inputs.values().filter(|input| input.outcome != Outcome::Whole);
    let line = |input: &InputReport| match &input.error {
        Some(error) => explained(error),
        None => format!("{}: parts of it are damaged, and left out", input.name),
    };
    let mut lines: Vec<String> = damaged.map(line).collect();
    if report.total.counts_lost > 0 {
        lines.push(format!(
            "{} counts are left out: their counters do not fit, their sums are too large, or nothing names their functions",
            exact(report.total.counts_lost)
        ));
    }
    lines
}

/// Reads files, directories and archives, and adds them up. A file counts once, equal ones each time, as in a merge. Programs have the records
/// that are only in them, and the names of functions that torn profiles lack.
///
/// Errors: nothing can be read, or the inputs are of different kinds.
pub fn profile(arguments: &[PathBuf], binaries: Option<Arc<dyn Correlation>>) -> Result<(Profile, Report)> {
    added_up(arguments, MergeOptions { correlation: binaries, ..MergeOptions::default() })
}

/// Reads the same, but functions may have hashes instead of names: who has the programs needs no others. Without arguments nothing has run.
pub fn counts(arguments: &[PathBuf], binaries: Option<Arc<dyn Correlation>>) -> Result<(Profile, Report)> {
    added_up(arguments, MergeOptions { correlation: binaries, unnamed: true, ..MergeOptions::default() })
}

/// Hands everything that can be read of the same to a sink.
pub fn each(arguments: &[PathBuf], binaries: Option<&dyn Correlation>, sink: &mut impl Sink) {
    let (sources, mut buffer) = (expand(arguments, None), Vec::new());
    let feed = Feed::new(&sources.sources);
    while let Some(item) = feed.next() {
        // What is wrong with it is in the report of the first time.
        let _ = load(&item.content, &mut buffer).read(binaries, sink);
    }
}

fn added_up(arguments: &[PathBuf], options: MergeOptions) -> Result<(Profile, Report)> {
    let sources = expand(arguments, None);
    let feed = Feed::new(&sources.sources);
    let progress = Progress::of(&sources, &feed, "");
    let binaries = options.correlation.clone();
    let (mut merger, mut buffer) = (Merger::new(options), Vec::new());
    while let Some(item) = feed.next() {
        let loaded = load(&item.content, &mut buffer);
        let added = loaded.add_to(&mut merger, item.number, &item.name, 1, binaries.as_deref());
        added.map_err(|error| Error::msg(explained(&error)))?;
        progress.add(&item.content, loaded.bytes.map_or(0, <[u8]>::len));
    }
    let (profile, report) = merger.finish()?;
    let mut ignored = sources.ignored;
    ignored.extend(feed.take_ignored());
    let names: Vec<String> = arguments.iter().map(|path| display(path)).collect();
    let total = &report.total;
    ensure!(
        arguments.is_empty() || total.whole + total.salvaged > 0,
        "no profile can be read from {}\n{}",
        names.join(", "),
        [damage(&report), passed_over(&ignored, "").into_iter().map(|line| format!("ignored: {line}")).collect()]
            .concat()
            .join("\n")
    );
    Ok((profile, report))
}
