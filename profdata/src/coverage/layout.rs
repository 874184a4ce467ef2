//! Where code stands in a source: what regions do not tell. They go over blank lines, comments and classes, and end before the arguments of a macro.

use super::region::{Position, Range};
use super::runs::{Lines, push};

/// Where words stand: code that is no punctuation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Layout {
    /// Of each line where it begins in the source, and whether it has code.
    lines: Vec<(u32, bool)>,
    /// A bit for each byte of the source: a word begins there.
    words: Vec<u8>,
    /// Calls over several lines, from the name to behind the `)`, in rising order.
    calls: Vec<Range>,
    /// The bodies of classes, structures and enumerations of C, in rising order.
    classes: Vec<Range>,
}

/// A source of these languages. What has `//` and `/* */` is C here; a mapping is of no language that does not.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Language {
    #[default]
    C,
    Rust,
}

/// What goes on over ends of lines.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum In<'s> {
    #[default]
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
        let mut scan = Scan { language, ..Scan::default() };
        scan.layout.words = vec![0; source.len().div_ceil(8)];
        source.split(|byte| *byte == b'\n').for_each(|line| scan.line(line));
        let mut layout = scan.layout;
        // Behind the last line end is no line.
        layout.lines.pop_if(|(_, has_code)| !*has_code);
        layout.calls.sort_unstable();
        layout.classes.sort_unstable();
        layout
    }

    /// Returns whether a word begins on a line from a place on, before a column.
    pub(super) fn has_word(&self, from: Position, to: u32) -> bool {
        let line = from.line.saturating_sub(1) as usize;
        let Some((begin, _)) = self.lines.get(line) else { return false };
        let next = self.lines.get(line.saturating_add(1)).map_or(u32::MAX, |(begin, _)| *begin);
        let [from, to] = [from.column, to].map(|column| begin.saturating_add(column).saturating_sub(1));
        let end = self.words.len().saturating_mul(8);
        let mut bytes = from as usize..end.min(to.min(next) as usize);
        bytes.any(|at| self.words.get(at / 8).is_some_and(|bits| bits >> (at % 8) & 1 != 0))
    }

    /// Returns the end of a call over several lines whose name begins at a place.
    pub(super) fn end_of_call(&self, name: Position) -> Option<Position> {
        let call = self.calls.binary_search_by_key(&name, |(start, _)| *start).ok()?;
        self.calls.get(call).map(|(_, end)| *end)
    }

    /// Returns the bodies of classes in the body of a function.
    pub(super) fn classes_in(&self, (start, end): Range) -> impl Iterator<Item = Range> {
        let from = self.classes.partition_point(|class| class.0 <= start);
        self.classes.iter().skip(from).copied().take_while(move |class| class.1 <= end)
    }

    /// Keeps the lines that have code.
    pub(super) fn keep_code(&self, runs: Vec<Lines>) -> Vec<Lines> {
        let mut kept = Vec::with_capacity(runs.len());
        for Lines { first, last, count } in runs {
            let lines = self.lines.get(first.saturating_sub(1) as usize..).unwrap_or(&[]);
            let code = (first..=last).zip(lines).filter(|(_, (_, has_code))| *has_code);
            code.for_each(|(line, _)| push(&mut kept, Lines { first: line, last: line, count }));
        }
        kept
    }
}

/// Returns what the name of a directive of the preprocessor, which has nothing that runs, begins: all but `#define`, whose macro does.
fn directive(line: &[u8]) -> Option<&[u8]> {
    let name = line.strip_prefix(b"#")?.trim_ascii_start();
    let is_directive = name.first().is_none_or(u8::is_ascii_alphabetic) && !name.starts_with(b"define");
    is_directive.then_some(name)
}

/// Returns whether this follows the `if` of `#if 0`.
fn is_zero(condition: &[u8]) -> bool {
    let after = condition.trim_ascii_start().strip_prefix(b"0").map(<[u8]>::trim_ascii_start);
    after.is_some_and(|after| matches!(after, [] | [b'/', ..]))
}

/// A source that is looked at line by line.
#[derive(Default)]
struct Scan<'s> {
    language: Language,
    layout: Layout,
    line: &'s [u8],
    /// The line has code.
    has_code: bool,
    /// Where the line begins in the source.
    begin: usize,
    /// What is looked at of the line.
    at: usize,
    state: In<'s>,
    /// The line is no code.
    is_out: bool,
    /// How many `#if` are open from an `#if 0` on.
    left_out: u32,
    /// The line goes on with a directive.
    directive: bool,
    /// The last word, if nothing stands behind it.
    word: Option<Position>,
    /// A `{` would begin the body of a class.
    is_class: bool,
    /// The words before each open `(`.
    calls: Vec<Option<Position>>,
    /// Each open `{`, and whether it is of a class.
    braces: Vec<(Position, bool)>,
}

impl<'s> Scan<'s> {
    fn line(&mut self, line: &'s [u8]) {
        let is_code = self.language == Language::C && self.state == In::Code;
        let name = directive(line.trim_ascii()).filter(|_| is_code);
        self.left_out = match name {
            Some([b'i', b'f', after @ ..]) if self.left_out > 0 || is_zero(after) => self.left_out.saturating_add(1),
            Some([b'e', b'n', b'd', b'i', b'f', ..]) => self.left_out.saturating_sub(1),
            Some([b'e', b'l', ..]) if self.left_out == 1 => 0,
            _ => self.left_out,
        };
        self.directive = is_code && (self.directive || name.is_some());
        self.is_out = self.directive || self.left_out > 0;
        self.directive &= line.trim_ascii_end().ends_with(b"\\");
        (self.line, self.at, self.has_code) = (line, 0, false);
        self.all();
        self.layout.lines.push((self.begin as u32, self.has_code));
        self.begin = self.begin.saturating_add(line.len()).saturating_add(1);
    }

    /// The place that is looked at.
    fn place(&self) -> Position {
        let line = (self.layout.lines.len() as u32).saturating_add(1);
        Position { line, column: (self.at as u32).saturating_add(1) }
    }

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
    fn take(&mut self, number: usize, is_word: bool) {
        let at = self.begin.saturating_add(self.at);
        if let Some(bits) = self.layout.words.get_mut(at / 8).filter(|_| !self.is_out) {
            *bits |= u8::from(is_word) << (at % 8);
            self.has_code = true;
        }
        self.at = self.at.saturating_add(number);
    }

    fn code(&mut self) {
        let rest = self.rest();
        match rest {
            [blank, ..] if blank.is_ascii_whitespace() => {
                self.at = self.line.len().saturating_sub(rest.trim_ascii_start().len());
            }
            [b'/', b'/', ..] => self.at = self.line.len(),
            [b'/', b'*', ..] => (self.state, self.at) = (In::Comment(1), self.at.saturating_add(2)),
            [b'\\', after @ ..] if after.trim_ascii().is_empty() => self.at = self.line.len(),
            [b'"', ..] => {
                self.take(1, true);
                self.state = In::Text;
            }
            [b'\'', ..] => self.take(character(rest, self.language), true),
            [byte, ..] if byte.is_ascii_alphanumeric() || *byte == b'_' => {
                self.word = Some(self.place());
                let (word, after) = rest.split_at_checked(word(rest)).unwrap_or((rest, &[]));
                // What follows it has a count.
                self.take(word.len(), word != b"while");
                self.is_class |= !self.is_out && matches!(word, b"class" | b"struct" | b"union" | b"enum");
                if let Some(between) = raw_text(word, after, self.language) {
                    let quotes = if self.language == Language::C { 2 } else { 1 };
                    self.take(between.len().saturating_add(quotes), true);
                    self.state = In::RawText(between);
                }
            }
            [byte, ..] => {
                let place = self.place();
                self.take(1, !matches!(byte, b'?' | b':' | b'&' | b'|' | b'(' | b')' | b'{' | b'}' | b',' | b';'));
                if !self.is_out {
                    self.nest(*byte, place);
                }
            }
            [] => {}
        }
    }

    /// Notes what begins or ends with punctuation.
    fn nest(&mut self, byte: u8, place: Position) {
        match byte {
            b'(' => self.calls.push(self.word),
            b'{' => self.braces.push((place, self.is_class && self.language == Language::C)),
            b')' => {
                let call = self.calls.pop().flatten().filter(|name| name.line < place.line);
                self.layout.calls.extend(call.map(|name| (name, self.place())));
            }
            b'}' => {
                let class = self.braces.pop().filter(|(_, is_class)| *is_class);
                self.layout.classes.extend(class.map(|(start, _)| (start, self.place())));
            }
            _ => {}
        }
        self.word = None;
        self.is_class &= !matches!(byte, b'=' | b';' | b'(' | b')' | b'{' | b'}');
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
            [b'\\', _, ..] => self.take(2, true),
            [b'"', ..] => {
                self.take(1, true);
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
                self.take(rest.len().saturating_sub(after.len()), true);
                self.state = In::Code;
            }
            None => self.take_text(rest),
        }
    }

    fn take_text(&mut self, rest: &[u8]) {
        match rest {
            [blank, ..] if blank.is_ascii_whitespace() => self.at = self.at.saturating_add(1),
            _ => self.take(1, true),
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

    /// For each line the column of its first word: `-` no code, `o` punctuation.
    fn shown(source: &str, path: &str) -> String {
        let layout = Layout::of(source.as_bytes(), path.as_bytes());
        let first = |line| (1..99).find(|column| layout.has_word(Position { line, column: *column }, column + 1));
        let lines = (1..).zip(&layout.lines).map(|(line, (_, has_code))| match first(line) {
            _ if !has_code => "-".to_owned(),
            None => "o".to_owned(),
            Some(column) => column.to_string(),
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
    fn what_is_left_out() {
        let source = "#if 0 // x\na\n#if B\ndon't\n#else\n#endif\n#elif C\nd\n#if 01\ne\n#endif\n#endif\n#define F(x) \\\n\\\n } while (x);";
        assert_eq!(shown(source, "a.c"), "- - - - - - - 1 - 1 - - 1 - 11");
    }

    #[test]
    fn calls_and_classes() {
        let source = "f(a,\n  (b), g(c\n));\nstruct s f() {\n struct t { int a; } b = {\n };\n}";
        let place = |line, column| Position { line, column };
        let layout = Layout::of(source.as_bytes(), b"a.cpp");
        assert_eq!(layout.end_of_call(place(1, 1)), Some(place(3, 3)));
        assert_eq!(layout.end_of_call(place(2, 8)), Some(place(3, 2)));
        assert_eq!(layout.end_of_call(place(1, 3)), None);
        let classes = layout.classes_in((place(4, 14), place(7, 2)));
        assert_eq!(classes.collect::<Vec<_>>(), [(place(5, 11), place(5, 21))]);
        assert!(Layout::of(source.as_bytes(), b"a.rs").classes.is_empty());
    }

    #[test]
    fn rust() {
        let source = "fn a<'b>() {} // '\n/* /* */\n */ '\"' // c\nbr#\"\n// \"\n\"#; // d\n#[e]\n\"f\n// g\"\n'\\'' // h\n'é' /*";
        assert_eq!(shown(source, "a.rs"), "1 - 5 1 1 1 1 1 1 1 1");
    }
}
