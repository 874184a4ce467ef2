//! Lines of the text form.

use std::fmt;

use super::number;

/// A line, without what ends it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Line<'a> {
    /// Its bytes: at least one, and the first is not `#`.
    pub(super) bytes: &'a [u8],
    /// Bytes before it.
    pub(super) offset: usize,
    /// Its number, from 1.
    pub(super) number: u64,
}

impl Line<'_> {
    /// Returns whether the line is a number anywhere in a record. A count such as `09` is no number of another radix; taken for a name, it would
    /// be read again as the count that it is by each record before it.
    fn is_number(&self) -> bool {
        number::any_radix(self.bytes).is_some() || number::decimal(self.bytes).is_some()
    }
}

impl fmt::Display for Line<'_> {
    /// Writes the number and the beginning of the line, for an error.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 60;
        let shown = self.bytes.get(..SHOWN).unwrap_or(self.bytes);
        let dots = if shown.len() < self.bytes.len() { "..." } else { "" };
        write!(f, "\"{}\"{dots} on line {}", shown.escape_ascii(), self.number)
    }
}

/// The lines of a text, without the blank ones and the comments.
#[derive(Clone)]
pub(super) struct Lines<'a> {
    text: &'a [u8],
    /// Where the rest begins.
    offset: usize,
    /// Number of the line that begins there.
    number: u64,
    /// The next line, if it is already known.
    peeked: Option<Line<'a>>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a [u8]) -> Lines<'a> {
        Lines { text, offset: 0, number: 1, peeked: None }
    }

    /// Returns whether the last line has no end, and is not empty or a comment: a text that was cut can end so.
    pub(super) fn ends_within_a_line(&self) -> bool {
        let last = self.text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end.saturating_add(1));
        !matches!(self.text.get(last), None | Some(b'#'))
    }

    /// Returns the size of the text.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns the number of bytes that are not yet read.
    pub(super) fn rest_len(&self) -> usize {
        self.text.len().saturating_sub(self.offset)
    }

    /// Returns the next line and leaves it there.
    pub(super) fn peek(&mut self) -> Option<Line<'a>> {
        if self.peeked.is_none() {
            self.peeked = self.next();
        }
        self.peeked
    }

    /// Returns the lines of the same text that follow `line`.
    fn after(&self, line: Line<'a>) -> Lines<'a> {
        let end = line.offset.saturating_add(line.bytes.len());
        let mut lines = Lines { text: self.text, offset: end, number: line.number, peeked: None };
        lines.next_of_any_kind();
        lines
    }

    /// Returns the lines after the record whose name is the line `name`.
    ///
    /// A writer ends each record with a blank line, but also each bitmap. Therefore the next record begins after a blank line only where the
    /// line that follows is not a number.
    pub(super) fn after_record(&self, name: Line<'a>) -> Lines<'a> {
        let mut lines = self.after(name);
        let mut blank = false;
        loop {
            let before = lines.clone();
            match lines.next_of_any_kind() {
                None => return lines,
                Some(line) if line.bytes.is_empty() => blank = true,
                Some(line) if line.bytes.first() == Some(&b'#') => (),
                Some(line) if blank && !line.is_number() => return before,
                Some(_) => blank = false,
            }
        }
    }

    /// Returns the next line of any kind: blank, comment or neither.
    fn next_of_any_kind(&mut self) -> Option<Line<'a>> {
        let rest = self.text.get(self.offset..).filter(|rest| !rest.is_empty())?;
        let (bytes, taken) = match rest.iter().position(|byte| *byte == b'\n') {
            Some(end) => (rest.get(..end).unwrap_or(rest), end.saturating_add(1)),
            None => (rest, rest.len()),
        };
        let ended = taken > bytes.len();
        let bytes = if ended { bytes.strip_suffix(b"\r").unwrap_or(bytes) } else { bytes };
        let line = Line { bytes, offset: self.offset, number: self.number };
        self.offset = self.offset.saturating_add(taken);
        self.number = self.number.saturating_add(1);
        Some(line)
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        if let Some(line) = self.peeked.take() {
            return Some(line);
        }
        loop {
            let line = self.next_of_any_kind()?;
            if !matches!(line.bytes.first(), None | Some(b'#')) {
                return Some(line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_and_comments_are_left_out() {
        let lines: Vec<_> = Lines::new(b"# x\r\n\r\na\r\n\n b\rc\n#d\ne").collect();
        let line = |bytes, offset, number| Line { bytes, offset, number };
        assert_eq!(lines, [line(b"a", 7, 3), line(b" b\rc", 11, 5), line(b"e", 19, 7)]);
        assert_eq!(lines.first().map(Line::to_string).as_deref(), Some("\"a\" on line 3"));
    }
}
