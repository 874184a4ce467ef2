//! Reads the text form of every release.
//!
//! The form is a list of lines. Blank lines and lines that begin with `#` mean nothing; both `\n` and `\r\n` end a line. The form is not
//! quite unambiguous, and this reader takes the meaning that `llvm-profdata` takes:
//!
//! - A function cannot have a name that begins with `#`, nor an empty name, and the first name cannot begin with `:`.
//! - After the counters a decimal number up to 2^32 - 1 begins the values, so a function whose name is such a number can only be the first.
//! - After the counters a line that begins with `$` is the size of the bitmap. `llvm-profdata` 18 and later refuse a name there that begins
//!   with `$`; this reader takes the line as a name when no number follows the `$`.

mod header;
mod lines;
mod number;
mod record;
mod resume;

use crate::error::{Error, ErrorKind};
use crate::finding::{Finding, FindingKind};
use crate::name::name_hash;
use crate::read::text::lines::{Line, Lines};
use crate::read::text::record::RecordReader;
use crate::release::Release;
use crate::sink::Sink;

/// How to read the text form.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TextReadOptions {
    /// Leave out a record that cannot be read, with a finding, and go on at the next blank line that a record follows.
    pub salvage: bool,
    /// Refuse what `llvm-profdata` of this release refuses, and take a line that begins with `$` as it does. `None`: read all that a release
    /// writes.
    pub release: Option<Release>,
}

impl TextReadOptions {
    /// Returns whether to read what exists since a release.
    fn reads(&self, since: u32) -> bool {
        self.release.is_none_or(|release| release.number() >= since)
    }
}

/// Reads the text form.
///
/// The offset of an error is the place of its line; `found` has the text and the number of the line. The sink has taken all records before
/// the error. Even with [`TextReadOptions::salvage`] a header that cannot be read is an error.
pub fn read(bytes: &[u8], options: &TextReadOptions, sink: &mut (impl Sink + ?Sized)) -> Result<(), Error> {
    if bytes.is_empty() {
        return Err(Error::new(ErrorKind::Empty, "text"));
    }
    let ascii = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace() || *byte == 0x0b;
    if options.release.is_some() && !bytes.iter().take(8).all(ascii) {
        return Err(Error::new(ErrorKind::Unrecognized, "text").at(0u64).expected("8 ASCII characters"));
    }
    let mut lines = Lines::new(bytes);
    header::read(&mut lines, options, sink)?;
    let mut reader = RecordReader::new(*options);
    while let Some(name) = lines.next() {
        match reader.read(name, &mut lines) {
            Ok(record) => sink.record(record)?,
            Err(error) if !options.salvage => return Err(error),
            Err(_) => {
                let function = (name_hash(name.bytes), reader.hash().unwrap_or(0));
                sink.finding(Finding::of_function(function.0, function.1, FindingKind::RecordDamaged));
                lines = resume::after(&lines, name);
            }
        }
        for vtable in reader.take_vtable_names() {
            sink.vtable_name(vtable);
        }
    }
    Ok(())
}

/// Returns the error about a line that is not what it must be.
#[cold]
fn malformed(line: Line<'_>, field: &'static str, expected: &'static str) -> Error {
    Error::new(ErrorKind::Malformed, field).at(line.offset as u64).expected(expected).found(line)
}

/// Returns the next line, or the error about its absence.
fn require<'a>(lines: &mut Lines<'a>, field: &'static str) -> Result<Line<'a>, Error> {
    lines.next().ok_or_else(|| {
        Error::new(ErrorKind::Truncated, field)
            .at(lines.len() as u64)
            .expected("one more line")
            .found("the end of the text")
    })
}

#[cfg(test)]
mod tests;
