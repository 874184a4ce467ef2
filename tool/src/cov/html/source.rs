//! The text of a source, and columns in it as JavaScript counts them.

use profdata::coverage::Position;

use profrt_coverage::paths::source;

/// A source.
pub(super) struct Source {
    bytes: Vec<u8>,
    /// Where lines start.
    starts: Vec<usize>,
    is_ascii: bool,
}

impl Source {
    /// Reads a source; `None`: it cannot be read.
    pub(super) fn read(path: &str) -> Option<Source> {
        source(path).map(Source::of)
    }

    fn of(bytes: Vec<u8>) -> Source {
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', &bytes).map(|end| end + 1)).collect();
        Source { is_ascii: bytes.is_ascii(), starts, bytes }
    }

    /// Returns the text, with lines that end as in C.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).replace("\r\n", "\n")
    }

    /// Returns the number of UTF-16 units before a position in its line. Compilers count bytes.
    pub(super) fn units(&self, position: Position) -> u64 {
        let column = position.column.saturating_sub(1) as usize;
        if self.is_ascii {
            return column as u64;
        }
        let number = (position.line as usize).saturating_sub(1);
        let Some(start) = self.starts.get(number).copied() else { return column as u64 };
        let end = self.starts.get(number + 1).map_or(self.bytes.len(), |next| next.saturating_sub(1));
        let before = start..start.saturating_add(column).min(end);
        let before = String::from_utf8_lossy(self.bytes.get(before).unwrap_or(&[]));
        before.encode_utf16().count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_in_utf16_units() {
        let source = Source::of("a\r\n\u{e4}\u{1f600}b\nc".as_bytes().to_vec());
        let units = |line, column| source.units(Position { line, column });
        // One byte, two bytes and one unit, four bytes and two units.
        assert_eq!(
            [(2, 1), (2, 3), (2, 7), (2, 99), (3, 2)].map(|(line, column)| units(line, column)),
            [0, 1, 3, 4, 1]
        );
        assert_eq!(source.text(), "a\n\u{e4}\u{1f600}b\nc");
        assert_eq!(Source::of(b"a\xffb".to_vec()).units(Position { line: 1, column: 3 }), 2);
    }
}
