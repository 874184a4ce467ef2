//! The outputs: each a module that says what it is ([`Format`]), and a row of [`FORMATS`].
//!
//! Of each file they have a piece, which threads make; all are seen by others when everything is written.

mod badge;
mod cobertura;
mod codecov;
mod github;
pub(super) mod json;
pub(super) mod lcov;
mod markdown;
mod sonar;
mod summary;
mod uncovered;

use std::path::{Path, PathBuf};

use anstream::adapter::strip_str;
use anyhow::Result;
use clap::{Arg, ArgMatches, Command, value_parser};
use profdata::coverage::Mapping;

use super::account::Account;
use super::changes::Changes;
use super::comparison::Comparison;
use super::compat;
use super::files::{FileReport, Report};
use crate::report::output::Draft;
use crate::report::print;

/// All formats, in the order of `--help`.
const FORMATS: &[&Format] = &[
    &summary::FORMAT,
    &uncovered::FORMAT,
    &json::FORMAT,
    &lcov::FORMAT,
    &lcov::FORMAT_1,
    &lcov::FORMAT_2,
    &cobertura::FORMAT,
    &sonar::FORMAT,
    &codecov::FORMAT,
    &markdown::FORMAT,
    &github::FORMAT,
    &badge::FORMAT,
];

/// What an output is.
#[derive(Debug)]
pub(super) struct Format {
    /// The name of the option, whose value is the file to write; `-` is standard output.
    pub(super) name: &'static str,
    pub(super) help: &'static str,
    /// What is before all files, and between two of them.
    pub(super) head: &'static str,
    pub(super) between: &'static str,
    /// Returns the piece of a file. Errors: none that the contents can cause.
    pub(super) of_file: fn(&FileReport, &Pieces<'_>) -> Result<String>,
    /// The end begins with sums, so that it has the pieces.
    pub(super) keeps_pieces: bool,
    /// Returns the end, with the pieces that are kept. Errors: none that the contents can cause.
    pub(super) end: fn(&Whole<'_>, &[String]) -> Result<String>,
    /// What `--compat` writes; `None`: `llvm-cov` has no such output.
    pub(super) compat: Option<fn(&compat::Files<'_>) -> Result<String>>,
    /// It is about a change.
    pub(super) needs_change: bool,
    /// Standard output has colors.
    pub(super) has_colors: bool,
}

impl Format {
    /// Writes nothing.
    const NONE: Format = Format {
        name: "",
        help: "",
        head: "",
        between: "",
        of_file: |_, _| Ok(String::new()),
        keeps_pieces: false,
        end: |_, _| Ok(String::new()),
        compat: None,
        needs_change: false,
        has_colors: false,
    };
}

/// Returns whether this is the option of an output that `llvm-cov` has too.
pub(super) fn is_llvms(option: &str) -> bool {
    FORMATS.iter().any(|format| format.name == option && format.compat.is_some())
}

/// The outputs that the command line names, with their files.
#[derive(Debug)]
pub(super) struct Outputs(Vec<(&'static Format, PathBuf)>);

impl clap::FromArgMatches for Outputs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Outputs, clap::Error> {
        let named = |format: &&'static Format| Some((*format, matches.get_one::<PathBuf>(format.name)?.clone()));
        Ok(Outputs(FORMATS.iter().filter_map(named).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        Outputs::from_arg_matches(matches).map(|outputs| *self = outputs)
    }
}

impl clap::Args for Outputs {
    fn augment_args(command: Command) -> Command {
        command.args(FORMATS.iter().map(|format| {
            let file = Arg::new(format.name).long(format.name).help(format.help).value_name("FILE");
            let file = file.value_parser(value_parser!(PathBuf));
            if format.needs_change { file.requires("Since") } else { file }
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Outputs::augment_args(command)
    }
}

impl Outputs {
    /// Returns all outputs, with their names. `has_page`: there is another.
    pub(super) fn all(&self, has_page: bool) -> Vec<(&'static Format, &Path)> {
        if self.0.is_empty() && !has_page {
            return vec![(&summary::FORMAT, Path::new("-"))];
        }
        self.0.iter().map(|(format, path)| (*format, path.as_path())).collect()
    }
}

/// What pieces have to know.
pub(super) struct Pieces<'p> {
    pub(super) mapping: &'p Mapping<'p>,
    pub(super) instantiations: bool,
    /// Only lines of a change are reported.
    pub(super) is_change: bool,
    pub(super) changes: Option<&'p Changes>,
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
    format: &'static Format,
    to: To,
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
    pub(super) fn begin(outputs: &[(&'static Format, &Path)]) -> Result<Vec<Output>> {
        let begin = |(format, path): &(&'static Format, &Path)| {
            let is_standard = *path == Path::new("-");
            let to = if is_standard { To::Standard(String::new()) } else { To::File(Draft::begin(path)?) };
            Ok(Output { format, to, kept: Vec::new(), has_files: false })
        };
        outputs.iter().map(begin).collect()
    }

    /// Writes a text. Errors: those of the system.
    fn write(&mut self, text: &str) -> Result<()> {
        match &mut self.to {
            To::Standard(all) => {
                all.push_str(text);
                Ok(())
            }
            To::File(draft) if self.format.has_colors => draft.add(strip_str(text).to_string().as_bytes()),
            To::File(draft) => draft.add(text.as_bytes()),
        }
    }

    /// Writes all that `llvm-cov` does. Errors: those of the system, and of what was not compared with it.
    pub(super) fn write_compat(&mut self, files: &compat::Files<'_>) -> Result<()> {
        self.format.compat.map_or(Ok(()), |text| self.write(&text(files)?))
    }

    /// Writes what is before all files. Errors: those of the system.
    pub(super) fn start(&mut self) -> Result<()> {
        self.write(self.format.head)
    }

    /// Adds the piece of the next file. Errors: those of the system.
    pub(super) fn add(&mut self, piece: String) -> Result<()> {
        if self.format.keeps_pieces {
            self.kept.push(piece);
            return Ok(());
        }
        if std::mem::replace(&mut self.has_files, true) {
            self.write(self.format.between)?;
        }
        self.write(&piece)
    }

    /// Returns the text of one that is not a file.
    pub(super) fn into_text(self) -> String {
        if let To::Standard(text) = self.to { text } else { String::new() }
    }

    /// Writes the end. Errors: those of the system.
    pub(super) fn end(&mut self, whole: &Whole<'_>) -> Result<()> {
        let pieces = std::mem::take(&mut self.kept);
        self.write(&(self.format.end)(whole, &pieces)?)
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
