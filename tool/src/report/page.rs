//! Results for people: titles, rows of numbers, and lists under headings.

use std::fmt::{Display, Write as _};

use anstyle::Style;

use super::style::{HEADING, Styled};
use crate::text::exact;

/// A text in the making.
#[derive(Default)]
pub struct Page(String);

impl Page {
    /// Writes a line.
    pub fn line(&mut self, line: impl Display) {
        let start = self.0.len();
        // A string takes everything.
        let _ = write!(self.0, "{line}");
        self.0.truncate(start + self.0.get(start..).unwrap_or_default().trim_end_matches(' ').len());
        self.0.push('\n');
    }

    /// Writes what something is.
    pub fn title(&mut self, name: impl Display, what: impl Display) {
        self.line(format_args!("{}: {what}", Styled(HEADING, name)));
    }

    /// Begins a list.
    pub fn heading(&mut self, heading: impl Display) {
        self.line("");
        self.line(Styled(HEADING, heading));
    }

    /// Writes a number with its name and a note.
    pub fn row(&mut self, name: &str, number: impl Into<u128>, note: impl Display) {
        self.styled_row(Style::new(), name, number, note);
    }

    /// The same, with the name in a style.
    pub fn styled_row(&mut self, style: Style, name: &str, number: impl Into<u128>, note: impl Display) {
        self.line(format_args!("  {}{:>18}   {note}", Styled(style, format_args!("{name:<20}")), exact(number)));
    }

    /// Ends a list that does not have all: `all` things, of which so many are `shown`.
    pub fn more(&mut self, all: u64, shown: usize) {
        if let hidden @ 1.. = all.saturating_sub(shown as u64) {
            self.line(format_args!("          and {} more", exact(hidden)));
        }
    }

    /// Returns the text.
    pub fn text(self) -> String {
        self.0
    }
}
