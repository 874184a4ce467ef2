//! A profile as that of `pprof`: `profile.proto` in gzip. Its fields are those of <https://github.com/google/pprof/tree/main/proto>.
//!
//! There are no stacks in a profile for optimization. So each function is a sample of its own, at its first line, and behind it are only the
//! functions that it was inlined into at that one place. A sample has the function's first counter and the sum of its counters; with a coverage
//! mapping each line is another sample, with its count.

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use profdata::Profile;
use profdata::coverage::{Counts, Mapping};
use profdata::sink::{Flags, Format};

use crate::inputs::{binaries, damage, profile};
use crate::places::{Frame, Places};
use crate::report::names::{demangle, split};
use crate::report::style::{Styled, WARNING};
use crate::report::{Verdict, output};
use crate::show::sum;
use crate::text::{display, printable_bytes, read};

/// What the values of a sample are, in their order.
const TYPES: [&str; 3] = ["entries", "counts", "lines"];

/// A message of protobuf.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number > 127 {
            self.0.push(number as u8 | 128);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn number(&mut self, field: u64, number: u64) {
        self.varint(field << 3);
        self.varint(number);
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
    }

    /// Returns a message of numbers, whose fields count from 1.
    fn of(numbers: &[u64]) -> Message {
        let mut message = Message::default();
        (1..).zip(numbers).for_each(|(field, number)| message.number(field, *number));
        message
    }
}

/// What has been written of a profile.
#[derive(Default)]
struct Writer {
    out: Message,
    /// Texts, functions and places with their numbers, which count from 1; the first text is empty, with 0.
    texts: HashMap<String, u64>,
    functions: HashMap<(String, String), u64>,
    locations: u64,
}

impl Writer {
    fn text(&mut self, text: &str) -> u64 {
        if let Some(number) = self.texts.get(text) {
            return *number;
        }
        let number = self.texts.len() as u64;
        self.out.bytes(6, text.as_bytes());
        self.texts.insert(text.to_owned(), number);
        number
    }

    /// Returns the number of the function with this symbol.
    fn function(&mut self, symbol: &[u8], path: &str) -> u64 {
        let symbol = printable_bytes(symbol);
        let key = (symbol, path.to_owned());
        if let Some(number) = self.functions.get(&key) {
            return *number;
        }
        let number = self.functions.len() as u64 + 1;
        let (name, symbol, path) = (self.text(&demangle(key.0.as_bytes())), self.text(&key.0), self.text(path));
        self.out.bytes(5, &Message::of(&[number, name, symbol, path]).0);
        self.functions.insert(key, number);
        number
    }

    /// Adds a sample of functions, the innermost first, each with a line.
    fn sample(&mut self, frames: &[(u64, u64)], values: [u64; TYPES.len()]) {
        self.locations += 1;
        let mut location = Message::of(&[self.locations]);
        for (function, line) in frames {
            location.bytes(4, &Message::of(&[*function, *line]).0);
        }
        self.out.bytes(4, &location.0);
        let mut sample = Message::of(&[self.locations]);
        let values = values.map(|value| value.min(i64::MAX as u64));
        values.iter().for_each(|value| sample.number(2, *value));
        self.out.bytes(2, &sample.0);
    }

    /// Adds the lines that ran, of the file that each function is in. Returns the functions by the hashes of their names, with their first lines.
    fn lines(&mut self, profile: &Profile, mapping: &Mapping<'_>) -> HashMap<u64, (u64, u64)> {
        let format = profile.headings().first().map_or(Format::Text, |heading| heading.format);
        let counts = Counts::of(profile, format);
        let (mut functions, mut seen) = (HashMap::new(), HashSet::new());
        for function in mapping.functions().filter(|function| !function.is_dummy()) {
            let hash = function.name_hash();
            let Ok(regions) = mapping.decode(function) else { continue };
            let Ok(own) = mapping.alone(function, regions.path(0), &counts) else { continue };
            let (Some(first), true) = (own.lines.first(), seen.insert((hash, function.hash()))) else { continue };
            let (_, symbol) = split(mapping.name(hash).unwrap_or(b""));
            let number = self.function(symbol, &printable_bytes(mapping.path(regions.path(0))));
            functions.insert(hash, (number, first.first.into()));
            for lines in own.lines.iter().filter(|lines| lines.count > 0) {
                (lines.first..=lines.last).for_each(|line| self.sample(&[(number, line.into())], [0, 0, lines.count]));
            }
        }
        functions
    }

    /// Adds the functions that ran. Those of `mapped` have a number and a line already.
    fn records(&mut self, profile: &Profile, places: &Places, mapped: &HashMap<u64, (u64, u64)>) {
        for record in profile.records() {
            let counts = u64::try_from(sum(record)).unwrap_or(u64::MAX);
            if counts == 0 {
                continue;
            }
            let bytes = record.name.bytes.unwrap_or(b"");
            let (file, symbol) = split(bytes);
            let (line, callers) = places.find(bytes).map_or((None, &[][..]), |(line, callers)| (Some(line), callers));
            let own = mapped.get(&record.name.hash).copied().unwrap_or_else(|| {
                let file = file.split_last().map_or(&[][..], |(_, file)| file);
                let path = line.map_or_else(|| printable_bytes(file), |line| line.path.clone());
                let unknown = format!("function {:#018x}", record.name.hash);
                let symbol = if symbol.is_empty() { unknown.as_bytes() } else { symbol };
                (self.function(symbol, &path), line.map_or(0, |line| line.number))
            });
            let callers = callers.iter().map(|Frame { symbol, line }| (self.function(symbol, &line.path), line.number));
            let frames: Vec<(u64, u64)> = std::iter::once(own).chain(callers).collect();
            self.sample(&frames, [record.counters.first().copied().unwrap_or(0), counts, 0]);
        }
    }
}

/// Reads a profile, writes it as that of `pprof`, and returns the exit status. Errors: nothing can be read or written.
pub(super) fn convert(input: &PathBuf, programs: &[PathBuf], output: &Path) -> Result<u8> {
    let (profile, report) = profile(std::slice::from_ref(input), binaries(programs)?)?;
    let (mut places, mut mapping) = (Places::default(), Mapping::new());
    let files: Vec<Vec<u8>> = programs.iter().map(|path| read(path)).collect::<Result<_>>()?;
    for (path, bytes) in programs.iter().zip(&files) {
        if let Err(error) = places.add(path, bytes) {
            complainln!("{} {error:#}", Styled(WARNING, "note:"));
        }
        mapping.add(bytes).with_context(|| format!("{} is no object file", display(path)))?;
    }
    let mut writer = Writer::default();
    writer.text("");
    let has_lines = mapping.paths() > 0 && !profile.flags().has(Flags::IR);
    let mapped = if has_lines { writer.lines(&profile, &mapping) } else { HashMap::new() };
    writer.records(&profile, &places, &mapped);
    for name in TYPES {
        let (name, unit) = (writer.text(name), writer.text("count"));
        writer.out.bytes(1, &Message::of(&[name, unit]).0);
    }
    let shown = writer.text("counts");
    writer.out.number(14, shown);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    let packed =
        gzip.write_all(&writer.out.0).and_then(|()| gzip.finish()).context("the profile cannot be compressed")?;
    output::write(output, &packed)?;
    Ok(Verdict { damage: damage(&report), ..Verdict::default() }.end("convert"))
}
