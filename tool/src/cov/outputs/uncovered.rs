//! The lines that did not run, with their text.

use anyhow::Result;
use profrt_coverage::files::FileReport;
use profrt_coverage::format::{About, Format, Pieces};
use profrt_coverage::lines::{not_run, range};
use profrt_coverage::paths::source;

use crate::report::Page;
use crate::report::style::{HEADING, Styled};
use crate::text::printable;

#[derive(Debug)]
pub(super) struct Uncovered;

impl Format for Uncovered {
    fn about(&self) -> About {
        About {
            name: "uncovered",
            help: "Write the uncovered lines, as path:12-15 and with their text",
            ..About::default()
        }
    }

    fn of_file(&self, file: &FileReport, _: &Pieces<'_>) -> Result<String> {
        let (mut page, runs) = (Page::default(), not_run(&file.lines));
        let source = if runs.is_empty() { None } else { source(&file.path) };
        let source = String::from_utf8_lossy(source.as_deref().unwrap_or_default());
        // Each line once, as runs rise.
        let mut lines = (1..).zip(source.lines()).peekable();
        for (first, last) in runs {
            page.line(Styled(HEADING, format_args!("{}:{}", file.path, range(first, last))));
            while let Some((number, text)) = lines.next_if(|(number, _)| *number <= last) {
                if number >= first {
                    page.line(format_args!("    {}", printable(&text.replace('\t', "    "))));
                }
            }
        }
        Ok(page.text())
    }
}
