//! Where code stands in a source: what regions do not tell. They go over blank lines and comments, and begin before line ends.

use super::region::Position;
use super::runs::{Lines, push};

/// Where lines begin and end, without blanks and comments.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Layout {
    /// Of each line the column, from 1, of the first that is no operator or `}`; if all is, [`OPERATORS`]; 0: no code.
    first: Vec<u32>,
    /// The lines that end with `{`, and its columns.
    braces: Vec<(u32, u32)>,
}

/// There are operators only.
const OPERATORS: u32 = u32::MAX;

/// A source of these languages. What has `//` and `/* */` is C here; a mapping is of no language that does not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    C,
    Rust,
}

/// What goes on over ends of lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum In<'s> {
    Code,
    /// So many comments in each other (in C, one).
    Comment(u32),
    Text,
    /// With what stands between `R"` and `(`, or `r` and `"`.
    RawText(&'s [u8]),
}

impl Layout {
    /// Looks at a source with this path.
    pub(super) fn of(source: &[u8], path: &[u8]) -> Layout {
        let language = if path.ends_with(b".rs") { Language::Rust } else { Language::C };
        let (mut layout, mut state, mut directive) = (Layout::default(), In::Code, false);
        for line in source.split(|byte| *byte == b'\n') {
            let mut scan = Scan { line, at: 0, first: 0, text: (0, 0), state, language };
            let before = state;
            scan.all();
            state = scan.state;
            let code = line.get(scan.text.0..scan.text.1).unwrap_or(&[]).trim_ascii();
            let continues = line.trim_ascii_end().ends_with(b"\\");
            if language == Language::C && before == In::Code && (directive || is_directive(code)) {
                layout.first.push(0);
                directive = continues;
                continue;
            }
            layout.first.push(scan.first);
            if code.ends_with(b"{") {
                layout.braces.push((layout.first.len() as u32, scan.text.1 as u32));
            }
        }
        // Behind the last line end is no line.
        layout.first.pop_if(|first| *first == 0);
        layout
    }

    /// Returns whether anything of code stands on a line before a column but operators.
    pub(super) fn has_before(&self, line: u32, column: u32) -> bool {
        (1..column).contains(&self.first(line))
    }

    /// Returns whether a place is the `{` at the end of a line.
    pub(super) fn is_last_brace(&self, place: Position) -> bool {
        self.braces.binary_search(&(place.line, place.column)).is_ok()
    }

    /// Keeps the lines that have code.
    pub(super) fn keep_code(&self, runs: Vec<Lines>) -> Vec<Lines> {
        let mut kept = Vec::with_capacity(runs.len());
        for Lines { first, last, count } in runs {
            let last = last.min(u32::try_from(self.first.len()).unwrap_or(u32::MAX));
            let code = (first..=last).filter(|line| self.first(*line) != 0);
            code.for_each(|line| push(&mut kept, Lines { first: line, last: line, count }));
        }
        kept
    }

    fn first(&self, line: u32) -> u32 {
        let place = line.checked_sub(1).and_then(|line| self.first.get(line as usize));
        place.copied().unwrap_or(0)
    }
}

/// Returns whether a line is for the preprocessor, and has nothing that runs: all but `#define`, whose macro does.
fn is_directive(code: &[u8]) -> bool {
    let Some(name) = code.strip_prefix(b"#").map(<[u8]>::trim_ascii_start) else { return false };
    name.is_empty() || name.first().is_some_and(u8::is_ascii_alphabetic) && !name.starts_with(b"define")
}

/// A line that is looked at.
struct Scan<'s> {
    line: &'s [u8],
    at: usize,
    /// As in [`Layout::first`].
    first: u32,
    /// From the first byte of code to behind the last.
    text: (usize, usize),
    state: In<'s>,
    language: Language,
}

impl<'s> Scan<'s> {
    fn rest(&self) -> &'s [u8] {
        self.line.get(self.at..).unwrap_or(&[])
    }

    fn all(&mut self) {
        while !self.rest().is_empty() {
            match self.state {
                In::Code => self.code(),
                In::Comment(depth) => self.comment(depth),
                In::Text => self.text(),
                In::RawText(between) => self.raw_text(between),
            }
        }
        // In C text ends with its line, unless it says that it does not.
        if self.language == Language::C && self.state == In::Text && !self.line.ends_with(b"\\") {
            self.state = In::Code;
        }
    }

    /// Takes bytes of code.
    fn take(&mut self, number: usize, is_operator: bool) {
        let column = u32::try_from(self.at).unwrap_or(OPERATORS).saturating_add(1);
        match self.first {
            0 if is_operator => self.first = OPERATORS,
            0 | OPERATORS if !is_operator => self.first = column,
            _ => {}
        }
        if self.text.1 == 0 {
            self.text.0 = self.at;
        }
        self.at = self.at.saturating_add(number);
        self.text.1 = self.at;
    }

    fn code(&mut self) {
        let rest = self.rest();
        match rest {
            [blank, ..] if blank.is_ascii_whitespace() => self.at = self.at.saturating_add(1),
            [b'/', b'/', ..] => self.at = self.line.len(),
            [b'/', b'*', ..] => (self.state, self.at) = (In::Comment(1), self.at.saturating_add(2)),
            [b'"', ..] => {
                self.take(1, false);
                self.state = In::Text;
            }
            [b'\'', ..] => self.take(character(rest, self.language), false),
            [byte, ..] if byte.is_ascii_alphanumeric() || *byte == b'_' => {
                let length = word(rest);
                self.take(length, false);
                let (word, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
                if let Some(between) = raw_text(word, after, self.language) {
                    let quotes = if self.language == Language::C { 2 } else { 1 };
                    self.take(between.len().saturating_add(quotes), false);
                    self.state = In::RawText(between);
                }
            }
            [byte, ..] => self.take(1, b"?:&|(}".contains(byte)),
            [] => {}
        }
    }

    fn comment(&mut self, depth: u32) {
        let (skipped, depth) = match self.rest() {
            [b'*', b'/', ..] => (2, depth.saturating_sub(1)),
            [b'/', b'*', ..] if self.language == Language::Rust => (2, depth.saturating_add(1)),
            _ => (1, depth),
        };
        self.at = self.at.saturating_add(skipped);
        self.state = if depth == 0 { In::Code } else { In::Comment(depth) };
    }

    fn text(&mut self) {
        match self.rest() {
            [b'\\', _, ..] => self.take(2, false),
            [b'"', ..] => {
                self.take(1, false);
                self.state = In::Code;
            }
            rest => self.take_text(rest),
        }
    }

    fn raw_text(&mut self, between: &[u8]) {
        let rest = self.rest();
        let after = match self.language {
            Language::C => rest.strip_prefix(b")").and_then(|rest| rest.strip_prefix(between)?.strip_prefix(b"\"")),
            Language::Rust => rest.strip_prefix(b"\"").and_then(|rest| rest.strip_prefix(between)),
        };
        match after {
            Some(after) => {
                self.take(rest.len().saturating_sub(after.len()), false);
                self.state = In::Code;
            }
            None => self.take_text(rest),
        }
    }

    fn take_text(&mut self, rest: &[u8]) {
        match rest {
            [blank, ..] if blank.is_ascii_whitespace() => self.at = self.at.saturating_add(1),
            _ => self.take(1, false),
        }
    }
}

/// Returns the number of bytes of a word, or of a number with its separators.
fn word(rest: &[u8]) -> usize {
    let is_number = rest.first().is_some_and(u8::is_ascii_digit);
    let is_in = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_' || is_number && **byte == b'\'';
    rest.iter().take_while(is_in).count()
}

/// Returns the number of bytes of a character, or of the quote of a lifetime.
fn character(rest: &[u8], language: Language) -> usize {
    let end = |from: usize| {
        rest.iter().skip(from).position(|byte| *byte == b'\'').map(|end| end.saturating_add(from).saturating_add(1))
    };
    match (rest, language) {
        ([_, b'\\', ..], _) => end(3).unwrap_or(rest.len()),
        (_, Language::C) => end(1).unwrap_or(rest.len()),
        // One character has up to 4 bytes.
        (_, Language::Rust) => {
            end(1).filter(|end| *end <= 6 && rest.get(1) != Some(&b'\'') && is_one(rest, *end)).unwrap_or(1)
        }
    }
}

/// Returns whether one character is between quotes.
fn is_one(rest: &[u8], end: usize) -> bool {
    let between = rest.get(1..end.saturating_sub(1)).and_then(|bytes| std::str::from_utf8(bytes).ok());
    between.is_some_and(|text| text.chars().count() == 1)
}

/// Returns what stands between a word and the raw text that it begins; `None`: it begins none.
fn raw_text<'s>(word: &[u8], after: &'s [u8], language: Language) -> Option<&'s [u8]> {
    let (is_raw, begin, end) = match language {
        Language::C => (word.ends_with(b"R"), after.strip_prefix(b"\"")?, b'('),
        Language::Rust => (matches!(word, b"r" | b"br" | b"cr"), after, b'"'),
    };
    let between = begin.get(..begin.iter().position(|byte| *byte == end)?)?;
    let fits = language == Language::C && between.len() <= 16 || between.iter().all(|byte| *byte == b'#');
    (is_raw && fits).then_some(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each line what is first on it: `-` nothing, `o` operators, else the column.
    fn shown(source: &str, path: &str) -> String {
        let layout = Layout::of(source.as_bytes(), path.as_bytes());
        let lines = (1..=layout.first.len() as u32).map(|line| match layout.first(line) {
            0 => "-".to_owned(),
            OPERATORS => "o".to_owned(),
            column => column.to_string(),
        });
        lines.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn c_and_cpp() {
        let source = "int a; // x\n\n  /* b\n c */ d;\n#if X\n#  define Y \\\n  z\n#endif\n  ? b\n ||\n\"//\";\n/*\"*/ e;\n'\"' // f";
        assert_eq!(shown(source, "a.c"), "1 - - 7 - 1 3 - 5 o 1 7 1");
        let source = "u8R\"x(\n\n // )\"\n)x\" // a\n1'000; // '\n L'\"'; // b\n\"c\\\n// d\"; e\n";
        assert_eq!(shown(source, "a.cpp"), "1 - 2 1 1 2 1 1");
    }

    #[test]
    fn rust() {
        let source = "fn a<'b>() {} // '\n/* /* */\n */ '\"' // c\nbr#\"\n// \"\n\"#; // d\n#[e]\n\"f\n// g\"\n'\\'' // h\n'é' /*";
        assert_eq!(shown(source, "a.rs"), "1 - 5 1 1 1 1 1 1 1 1");
    }
}
