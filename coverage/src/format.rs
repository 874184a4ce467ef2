//! What an output is: pieces of files, which threads make, with something before, between and after them.

use anyhow::Result;
use profdata::coverage::Mapping;

use crate::account::Account;
use crate::changes::Changes;
use crate::comparison::Comparison;
use crate::files::{FileReport, Report};

/// A format of reports: [`Format::of_file`] writes what is of one file, [`Format::end`] what follows all of them, such as sums; whole lines.
pub trait Format: std::fmt::Debug + Sync {
    /// Returns its name, and how pieces are put together.
    fn about(&self) -> About;

    /// Returns the piece of a file; nothing unless implemented. Errors: none that the contents can cause.
    fn of_file(&self, _file: &FileReport, _pieces: &Pieces<'_>) -> Result<String> {
        Ok(String::new())
    }

    /// Returns the end, with the pieces that are kept; nothing unless implemented. Errors: none that the contents can cause.
    fn end(&self, _whole: &Whole<'_>, _kept: &[String]) -> Result<String> {
        Ok(String::new())
    }
}

/// What a format is, and how its pieces are put together.
#[derive(Clone, Copy, Debug, Default)]
pub struct About {
    /// The name: an option of `profrt cov`.
    pub name: &'static str,
    /// What `--help` says. It begins with "Write".
    pub help: &'static str,
    /// What is before all files.
    pub head: &'static str,
    /// What is between two of them.
    pub between: &'static str,
    /// Nothing is written before the end, which gets the pieces: the output begins with sums.
    pub keeps_pieces: bool,
    /// It is about a change.
    pub needs_change: bool,
}

/// What pieces have to know.
pub struct Pieces<'p> {
    /// The mappings, which have the names of functions.
    pub mapping: &'p Mapping<'p>,
    /// Each instantiation of functions that have several is shown.
    pub instantiations: bool,
    /// Only lines of a change are reported.
    pub is_change: bool,
    /// What has changed in the sources.
    pub changes: Option<&'p Changes>,
}

/// What is known when all files were looked at.
#[derive(Clone, Copy)]
pub struct Whole<'r> {
    /// The files, and their sums.
    pub report: &'r Report,
    /// Which records took part.
    pub account: &'r Account,
    /// What became of everything since a baseline.
    pub comparison: Option<&'r Comparison>,
    /// The exit status of `profrt cov`.
    pub status: u8,
}

/// An output under way: what comes next of its text.
pub struct Text<'f> {
    format: &'f dyn Format,
    kept: Vec<String>,
    has_files: bool,
}

impl<'f> Text<'f> {
    /// Begins an output. What is before all files is [`About::head`].
    pub fn new(format: &'f dyn Format) -> Text<'f> {
        Text { format, kept: Vec::new(), has_files: false }
    }

    /// Takes the piece of the next file, and returns what comes next.
    pub fn add(&mut self, mut piece: String) -> String {
        let About { keeps_pieces, between, .. } = self.format.about();
        if keeps_pieces {
            self.kept.push(piece);
            return String::new();
        }
        if std::mem::replace(&mut self.has_files, true) {
            piece.insert_str(0, between);
        }
        piece
    }

    /// Returns the end. Errors: none that the contents can cause.
    pub fn end(&mut self, whole: &Whole<'_>) -> Result<String> {
        self.format.end(whole, &std::mem::take(&mut self.kept))
    }
}
