//! Annotations of a pull request on GitHub: the lines of a change that did not run, as commands to the runner.

use std::fmt::Write as _;

use anyhow::Result;

use crate::exclude::is_in;
use crate::files::FileReport;
use crate::format::{About, Format, Pieces};
use crate::lines::{not_run, range};

#[derive(Debug)]
pub struct Github;

impl Format for Github {
    fn about(&self) -> About {
        About {
            name: "github",
            help: "Write annotations of uncovered new lines, for a pull request on GitHub (with --since or --diff)",
            needs_change: true,
            ..About::default()
        }
    }

    fn of_file(&self, file: &FileReport, pieces: &Pieces<'_>) -> Result<String> {
        let mut text = String::new();
        // The path of the repository, which GitHub asks for.
        let Some((path, change)) = pieces.changes.and_then(|changes| changes.find(&file.path)) else { return Ok(text) };
        let path =
            path.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A").replace(':', "%3A").replace(',', "%2C");
        let new: Vec<(u32, u64)> = file.lines.iter().copied().filter(|(line, _)| is_in(&change.added, *line)).collect();
        for (first, last) in not_run(&new) {
            let what = if first == last { "line" } else { "lines" };
            let lines = range(first, last);
            writeln!(
                text,
                "::warning file={path},line={first},endLine={last},title=Not covered::No test ran {what} {lines}"
            )?;
        }
        Ok(text)
    }
}
