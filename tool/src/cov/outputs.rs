//! The outputs. Of each file they have a piece, which threads make; all are seen by others when everything is written.

use std::path::{Path, PathBuf};

use anstream::adapter::strip_str;
use anyhow::Result;
use profdata::coverage::Mapping;

use super::account::Account;
use super::comparison::Comparison;
use super::files::{FileReport, Report};
use super::{cobertura, codecov, json, lcov, markdown, summary};
use crate::report::output::Draft;
use crate::report::print;

/// Files to write; `-` is standard output.
#[derive(clap::Args, Debug)]
pub(super) struct Outputs {
    /// Write a table: functions, lines, regions, branches, MC/DC of each file. Without any output it goes to standard output
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Write everything as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write lcov's format
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,
    /// Write Cobertura's XML
    #[arg(long, value_name = "FILE")]
    cobertura: Option<PathBuf>,
    /// Write the JSON of codecov.io
    #[arg(long, value_name = "FILE")]
    codecov: Option<PathBuf>,
    /// Write a table for a pull request
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write a page for a browser: one file if the name ends in .html, else a directory, which is opened faster
    #[arg(long, value_name = "DIR|FILE.html")]
    pub(super) html: Option<PathBuf>,
    /// Show in the page which tests ran a line; FILE is of profrt who --output
    #[arg(long, value_name = "FILE", requires = "html")]
    pub(super) who: Option<PathBuf>,
}

/// An output.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Kind {
    Summary,
    Json,
    Lcov,
    Cobertura,
    Codecov,
    Markdown,
}

impl Outputs {
    /// Returns all outputs but the page, with their names.
    pub(super) fn all(&self) -> Vec<(Kind, &Path)> {
        let all = [
            (Kind::Summary, &self.summary),
            (Kind::Json, &self.json),
            (Kind::Lcov, &self.lcov),
            (Kind::Cobertura, &self.cobertura),
            (Kind::Codecov, &self.codecov),
            (Kind::Markdown, &self.markdown),
        ];
        let mut named: Vec<_> = all.into_iter().filter_map(|(kind, path)| Some((kind, path.as_deref()?))).collect();
        if named.is_empty() && self.html.is_none() {
            named.push((Kind::Summary, Path::new("-")));
        }
        named
    }
}

/// What pieces have to know.
pub(super) struct Pieces<'p> {
    pub(super) mapping: &'p Mapping<'p>,
    pub(super) instantiations: bool,
    /// Only lines of a change are reported.
    pub(super) is_change: bool,
}

impl Pieces<'_> {
    /// Returns what an output has of a file. Errors: none that the contents can cause.
    pub(super) fn of(&self, kind: Kind, file: &FileReport) -> Result<String> {
        Ok(match kind {
            Kind::Summary => summary::of_file(file, self.is_change, self.instantiations, self.mapping),
            Kind::Json => json::of_file(file, self.instantiations, self.mapping)?,
            Kind::Lcov => lcov::of_file(file, self.mapping),
            Kind::Cobertura => cobertura::of_file(file, self.mapping),
            Kind::Codecov => codecov::of_file(file)?,
            Kind::Markdown => String::new(),
        })
    }
}

/// What is known when all files were looked at.
#[derive(Clone, Copy)]
pub(super) struct Whole<'r> {
    pub(super) report: &'r Report,
    pub(super) account: &'r Account,
    pub(super) comparison: Option<&'r Comparison>,
    pub(super) status: u8,
}

/// An output under way.
pub(super) struct Output {
    kind: Kind,
    to: To,
    /// The pieces of a format that begins with sums.
    kept: Vec<String>,
    has_files: bool,
}

enum To {
    /// Standard output gets everything at the end.
    Standard(String),
    File(Draft),
}

impl Output {
    /// Begins outputs. Errors: those of the system.
    pub(super) fn begin(outputs: &[(Kind, &Path)]) -> Result<Vec<Output>> {
        let begin = |(kind, path): &(Kind, &Path)| {
            let is_standard = *path == Path::new("-");
            let to = if is_standard { To::Standard(String::new()) } else { To::File(Draft::begin(path)?) };
            Ok(Output { kind: *kind, to, kept: Vec::new(), has_files: false })
        };
        outputs.iter().map(begin).collect()
    }

    /// Writes a text. Errors: those of the system.
    pub(super) fn write(&mut self, text: &str) -> Result<()> {
        match &mut self.to {
            To::Standard(all) => {
                all.push_str(text);
                Ok(())
            }
            // A file has no colors.
            To::File(draft) if self.kind == Kind::Summary => draft.add(strip_str(text).to_string().as_bytes()),
            To::File(draft) => draft.add(text.as_bytes()),
        }
    }

    /// Writes what is before all files. Errors: those of the system.
    pub(super) fn start(&mut self) -> Result<()> {
        match self.kind {
            Kind::Json => self.write(&json::head()),
            Kind::Codecov => self.write(codecov::HEAD),
            _ => Ok(()),
        }
    }

    /// Adds the piece of the next file. Errors: those of the system.
    pub(super) fn add(&mut self, piece: String) -> Result<()> {
        match self.kind {
            Kind::Summary | Kind::Cobertura | Kind::Markdown => {
                self.kept.push(piece);
                return Ok(());
            }
            Kind::Lcov => {}
            Kind::Json | Kind::Codecov if self.has_files => self.write(",\n")?,
            Kind::Json | Kind::Codecov => {}
        }
        self.has_files = true;
        self.write(&piece)
    }

    /// Returns the text of one that is not a file.
    pub(super) fn into_text(self) -> String {
        if let To::Standard(text) = self.to { text } else { String::new() }
    }

    /// Writes the end. Errors: those of the system.
    pub(super) fn end(&mut self, whole: &Whole<'_>) -> Result<()> {
        let pieces = std::mem::take(&mut self.kept);
        let text = match self.kind {
            Kind::Summary => summary::text(whole, &pieces),
            Kind::Cobertura => cobertura::text(whole.report, &pieces),
            Kind::Markdown => markdown::text(whole.report, whole.comparison),
            Kind::Lcov => String::new(),
            Kind::Json => json::tail(whole)?,
            Kind::Codecov => codecov::TAIL.to_owned(),
        };
        self.write(&text)
    }

    /// Shows outputs to others. Errors: those of the system.
    pub(super) fn publish(outputs: Vec<Output>) -> Result<()> {
        let mut drafts = Vec::new();
        for output in outputs {
            match output.to {
                To::Standard(text) => print(&text)?,
                To::File(draft) => drafts.push(draft),
            }
        }
        drafts.into_iter().try_for_each(Draft::publish)
    }
}
