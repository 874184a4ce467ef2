//! Outputs: those for people here, those for machines of the crate `profrt-coverage`. All are seen by others when everything is written.

mod summary;
mod uncovered;

use std::path::{Path, PathBuf};

use anstream::adapter::strip_str;
use anyhow::Result;
use clap::{Arg, ArgMatches, Command, value_parser};
use profrt_coverage::format::{Format, Text, Whole};
use profrt_coverage::formats::FORMATS;

use super::compat;
use crate::report::output::Draft;
use crate::report::print;

/// The formats that have colors on standard output.
const FOR_PEOPLE: &[&dyn Format] = &[&summary::Summary, &uncovered::Uncovered];

/// Returns all formats, in the order of `--help`.
fn formats() -> impl Iterator<Item = &'static dyn Format> {
    FOR_PEOPLE.iter().chain(FORMATS).copied()
}

/// The outputs that the command line names, with their files.
#[derive(Debug)]
pub(super) struct Outputs(Vec<(&'static dyn Format, PathBuf)>);

impl clap::FromArgMatches for Outputs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Outputs, clap::Error> {
        let named =
            |format: &'static dyn Format| Some((format, matches.get_one::<PathBuf>(format.about().name)?.clone()));
        Ok(Outputs(formats().filter_map(named).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        Outputs::from_arg_matches(matches).map(|outputs| *self = outputs)
    }
}

impl clap::Args for Outputs {
    fn augment_args(command: Command) -> Command {
        command.args(formats().map(|format| {
            let about = format.about();
            let file = Arg::new(about.name).long(about.name).help(about.help).value_name("FILE");
            let file = file.value_parser(value_parser!(PathBuf));
            if about.needs_change { file.requires("Since") } else { file }
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Outputs::augment_args(command)
    }
}

impl Outputs {
    /// Returns all outputs, with their names. `has_page`: there is another.
    pub(super) fn all(&self, has_page: bool) -> Vec<(&'static dyn Format, &Path)> {
        if self.0.is_empty() && !has_page {
            return vec![(&summary::Summary, Path::new("-"))];
        }
        self.0.iter().map(|(format, path)| (*format, path.as_path())).collect()
    }
}

/// An output under way.
pub(super) struct Output {
    format: &'static dyn Format,
    text: Text<'static>,
    to: To,
}

enum To {
    /// Standard output gets everything at the end.
    Standard(String),
    File(Draft),
}

impl Output {
    /// Begins outputs. Errors: those of the system.
    pub(super) fn begin(outputs: &[(&'static dyn Format, &Path)]) -> Result<Vec<Output>> {
        let begin = |(format, path): &(&'static dyn Format, &Path)| {
            let is_standard = *path == Path::new("-");
            let to = if is_standard { To::Standard(String::new()) } else { To::File(Draft::begin(path)?) };
            Ok(Output { format: *format, text: Text::new(*format), to })
        };
        outputs.iter().map(begin).collect()
    }

    /// Writes a text. Errors: those of the system.
    fn write(&mut self, text: &str) -> Result<()> {
        let name = self.format.about().name;
        match &mut self.to {
            To::Standard(all) => {
                all.push_str(text);
                Ok(())
            }
            To::File(draft) if FOR_PEOPLE.iter().any(|format| format.about().name == name) => {
                draft.add(strip_str(text).to_string().as_bytes())
            }
            To::File(draft) => draft.add(text.as_bytes()),
        }
    }

    /// Writes all that `llvm-cov` does. Errors: those of the system, and of what was not compared with it.
    pub(super) fn write_compat(&mut self, files: &compat::Files<'_>) -> Result<()> {
        compat::output(self.format.about().name).map_or(Ok(()), |text| self.write(&text(files)?))
    }

    /// Writes what is before all files. Errors: those of the system.
    pub(super) fn start(&mut self) -> Result<()> {
        self.write(self.format.about().head)
    }

    /// Adds the piece of the next file. Errors: those of the system.
    pub(super) fn add(&mut self, piece: String) -> Result<()> {
        let text = self.text.add(piece);
        self.write(&text)
    }

    /// Writes the end. Errors: those of the system.
    pub(super) fn end(&mut self, whole: &Whole<'_>) -> Result<()> {
        let text = self.text.end(whole)?;
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
