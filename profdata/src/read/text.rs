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

use crate::error::{Error, ErrorKind};
use crate::finding::{Finding, FindingKind};
use crate::name::name_hash;
use crate::read::ReadOptions;
use crate::read::text::lines::{Line, Lines};
use crate::read::text::record::RecordReader;
use crate::sink::Sink;

impl ReadOptions<'_> {
    /// Returns whether to read what exists since a release.
    fn reads(&self, since: u32) -> bool {
        self.release.is_none_or(|release| release.number() >= since)
    }
}

/// Reads the text form.
///
/// The offset of an error is the place of its line; `found` has the text and the number of the line. The sink has taken all records before
/// the error.
///
/// [`ReadOptions::salvage`] leaves out a record that cannot be read, with a finding, and goes on at the next blank line that a record follows.
/// Even then a header that cannot be read is an error, and so is text of which not one record can be read: [`ErrorKind::Unrecognized`]. A last
/// line without an end is taken as it is, as LLVM's tool takes it; with salvage a finding says that its number may have been cut.
pub fn read(bytes: &[u8], options: &ReadOptions<'_>, sink: &mut (impl Sink + ?Sized)) -> Result<(), Error> {
    if bytes.is_empty() {
        return Err(Error::new(ErrorKind::Empty, "text"));
    }
    // Before a header, which would be a name.
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(Error::new(ErrorKind::Unrecognized, "text").at(0u64).expected("text without a byte order mark"));
    }
    let ascii = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace() || *byte == 0x0b;
    if options.release.is_some() && !bytes.iter().take(8).all(ascii) {
        return Err(Error::new(ErrorKind::Unrecognized, "text").at(0u64).expected("8 ASCII characters"));
    }
    let mut lines = Lines::new(bytes);
    header::read(&mut lines, options, sink)?;
    let may_be_cut = options.salvage && lines.ends_within_a_line();
    let mut reader = RecordReader::new(*options);
    // Those before the first good record: of text that is no profile, each line would be one.
    let (mut damaged, mut has_record) = (Vec::new(), false);
    while let Some(name) = lines.next() {
        let result = reader.read(name, &mut lines);
        let function = name_hash(name.bytes);
        match result {
            Ok(record) => {
                damaged.drain(..).for_each(|finding| sink.finding(finding));
                has_record = true;
                if may_be_cut && lines.peek().is_none() {
                    sink.finding(Finding::of_function(function, record.hash, FindingKind::LastLineUnended));
                }
                sink.record(record)?;
            }
            Err(error) if !options.salvage => return Err(error),
            Err(_) => {
                let hash = reader.hash.unwrap_or(0);
                damaged.push(Finding::of_function(function, hash, FindingKind::RecordDamaged));
                lines = lines.after_record(name);
            }
        }
        if has_record {
            damaged.drain(..).for_each(|finding| sink.finding(finding));
        }
        reader.new_vtables.drain(..).for_each(|vtable| sink.vtable_name(vtable));
    }
    if damaged.is_empty() { Ok(()) } else { Err(foreign(bytes)) }
}

/// Returns the error about text of which not one record can be read.
#[cold]
fn foreign(bytes: &[u8]) -> Error {
    const SHOWN: usize = 40;
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or(bytes);
    let line = line.get(..SHOWN).unwrap_or(line).escape_ascii();
    Error::new(ErrorKind::Unrecognized, "text").at(0u64).expected("a profile").found(format_args!("\"{line}\""))
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
