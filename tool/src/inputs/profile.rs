//! Everything that arguments stand for as one profile, for commands that look at it.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, anyhow, ensure};
use profdata::Profile;
use profdata::correlate::Correlation;
use profdata::merge::{MergeOptions, Merger, Report};

use super::{Feed, Progress, display, expand, load, passed_over};
use crate::report::exact;
use crate::report::json::{cause, remedy};

/// What of the inputs is not in the profile.
pub struct Loss {
    /// What became of each input.
    pub report: Report,
}

impl Loss {
    /// Returns a line for each input that is not whole, and one for what the merge itself has left out.
    pub fn lines(&self) -> Vec<String> {
        let inputs = self.report.inputs.values();
        let mut lines: Vec<String> = inputs
            .filter_map(|input| {
                let error = input.error.as_ref().map(|error| format!("{error}\n  remedy: {}", remedy(error)));
                let is_whole = input.outcome == profdata::finding::Outcome::Whole;
                error.or_else(|| (!is_whole).then(|| format!("{}: parts of it are damaged, and left out", input.name)))
            })
            .collect();
        if self.report.total.counts_lost > 0 {
            lines.push(format!(
                "{} counts are left out: their counters do not fit, their sums are too large, or nothing names their functions",
                exact(self.report.total.counts_lost)
            ));
        }
        lines
    }
}

/// Reads files, directories and archives, and adds them up. A file counts once, equal ones each time, as in a merge.
///
/// Errors: nothing can be read, or the inputs are of different kinds.
pub fn profile(arguments: &[PathBuf]) -> Result<(Profile, Loss)> {
    profile_of(arguments, None)
}

/// The same, with the programs of the profiles: for records that are only in them, and for functions whose names are torn.
pub fn profile_of(arguments: &[PathBuf], binaries: Option<Arc<dyn Correlation>>) -> Result<(Profile, Loss)> {
    let sources = expand(arguments, None);
    let feed = Feed::new(&sources.sources);
    let progress = Progress::of(&sources, &feed, "");
    let options = MergeOptions { correlation: binaries.clone(), ..MergeOptions::default() };
    let (mut merger, mut buffer) = (Merger::new(options), Vec::new());
    while let Some(item) = feed.next() {
        let loaded = load(&item.content, &mut buffer);
        let message =
            |error: profdata::Error| anyhow!("{error}\n  cause:  {}\n  remedy: {}", cause(&error), error.remedy());
        loaded.add_to(&mut merger, &item, 1, binaries.as_deref()).map_err(message)?;
        progress.add(&item.content, loaded.bytes.map_or(0, <[u8]>::len));
    }
    let (profile, report) = merger.finish()?;
    let loss = Loss { report };
    let mut ignored = sources.ignored;
    ignored.extend(feed.take_ignored());
    let names: Vec<String> = arguments.iter().map(|path| display(path)).collect();
    let total = &loss.report.total;
    ensure!(
        total.whole + total.salvaged > 0,
        "no profile can be read from {}\n{}",
        names.join(", "),
        [loss.lines(), passed_over(&ignored, "").into_iter().map(|line| format!("ignored: {line}")).collect()]
            .concat()
            .join("\n")
    );
    Ok((profile, loss))
}
