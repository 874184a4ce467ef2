//! Reads one profile as `llvm-profdata` reads it.

use std::fs;
use std::io::{self, Read};
use std::sync::Arc;

use profdata::Profile;
use profdata::error::{Error, ErrorKind};
use profdata::read::ReadOptions;
use profdata::read::indexed::{self, Header, is_indexed};
use profdata::read::names::NameTable;
use profdata::read::raw::{self, RawFile};
use profdata::read::text;
use profdata::sink::{Format, Heading, RecordRef, Sink};
use profdata::write::indexed::vtable_names_of_input;
use profdata::write::text::Symbols;

use super::correlation::{Nothing, Source};
use super::failure::reason;
use super::{path_of, release};

/// Why a profile cannot be read.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// The system refuses.
    System(io::Error),
    /// This tool does not read such profiles at all.
    Unsupported(&'static str),
}

impl Unreadable {
    /// Returns LLVM's words.
    pub(super) fn words(&self) -> String {
        match self {
            Unreadable::System(error) => reason(error),
            Unreadable::Unsupported(what) => (*what).to_string(),
        }
    }
}

/// Returns the bytes of a file; of standard input for `-`.
pub(super) fn load(path: &[u8]) -> io::Result<Vec<u8>> {
    if path != b"-" {
        return fs::read(path_of(path));
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the format that a profile has and this tool does not read.
pub(super) fn unsupported(bytes: &[u8]) -> Option<&'static str> {
    let raw_memprof = bytes.starts_with(b"\xffmprofr\x81") || bytes.starts_with(b"\x81rforpm\xff");
    if raw_memprof {
        Some("raw MemProf profiles are not supported by this tool")
    } else if bytes.starts_with(b"---\n") {
        Some("MemProf profiles as YAML are not supported by this tool")
    } else {
        None
    }
}

/// Returns whether the records of a raw profile are only in its binary.
pub(super) fn needs_binary(bytes: &[u8]) -> bool {
    raw::is_raw(bytes) && RawFile::parse(bytes, 0).is_ok_and(|file| file.needs_correlation())
}

/// Hands a profile to a sink, with what LLVM 22 refuses refused.
pub(super) fn read(bytes: &[u8], correlation: Option<&Source>, sink: &mut dyn Sink) -> Result<(), Error> {
    if bytes.is_empty() {
        return Err(Error::new(ErrorKind::Empty, "input"));
    }
    let release = release();
    if is_indexed(bytes) {
        let header = Header::parse(bytes)?;
        if header.version > release.indexed() {
            return Err(Error::new(ErrorKind::UnsupportedVersion, "Version").at(8u64).found(header.version));
        }
        return indexed::read(
            bytes,
            &ReadOptions { release: Some(release), ..ReadOptions::default() },
            &mut Ordered::new(sink),
        );
    }
    if raw::is_raw(bytes) {
        if let Some(source) = correlation {
            let file = RawFile::parse(bytes, 0)?;
            if !file.needs_correlation() {
                return Err(source.unexpected(&file));
            }
        }
        let options = ReadOptions {
            release: Some(release),
            correlation: Some(match correlation {
                Some(source) => source,
                None => &Nothing,
            }),
            ..ReadOptions::default()
        };
        return raw::read(bytes, &options, &mut Ordered::new(sink));
    }
    text::read(bytes, &ReadOptions { release: Some(release), ..ReadOptions::default() }, &mut Ordered::new(sink))
}

/// Returns all names of functions in a raw profile.
pub(super) fn names(bytes: &[u8]) -> Arc<NameTable> {
    if !raw::is_raw(bytes) {
        return Arc::default();
    }
    RawFile::parse(bytes, 0).map_or_else(|_| Arc::default(), |file| file.names().0)
}

/// Collects the names by which LLVM shows functions, targets and vtables.
pub(super) fn symbols<'a>(profile: &'a Profile, bytes: &'a [u8]) -> Symbols<'a> {
    let mut symbols = Symbols::of(profile);
    let text = matches!(profile.headings().first(), Some(heading) if heading.format == Format::Text);
    if text {
        // LLVM's text reader knows every name in the text, not only those of records.
        for line in bytes.split(|byte| *byte == b'\n') {
            if let Some(colon) = line.iter().rposition(|byte| *byte == b':') {
                symbols.add(line.get(..colon).unwrap_or(&[]));
            }
        }
    }
    symbols
}

/// Hands on what LLVM's reader has: of several profiles in a file the heading of the first, and the names of vtables in its order, at the end.
struct Ordered<'a> {
    sink: &'a mut dyn Sink,
    has_heading: bool,
    vtable_names: Vec<Vec<u8>>,
}

impl<'a> Ordered<'a> {
    fn new(sink: &'a mut dyn Sink) -> Ordered<'a> {
        Ordered { sink, has_heading: false, vtable_names: Vec::new() }
    }
}

impl Drop for Ordered<'_> {
    fn drop(&mut self) {
        for name in vtable_names_of_input(&self.vtable_names) {
            self.sink.vtable_name(&name);
        }
    }
}

impl Sink for Ordered<'_> {
    fn heading(&mut self, heading: &Heading) -> Result<(), Error> {
        if std::mem::replace(&mut self.has_heading, true) { Ok(()) } else { self.sink.heading(heading) }
    }

    fn record(&mut self, record: RecordRef<'_>) -> Result<(), Error> {
        self.sink.record(record)
    }

    fn vtable_name(&mut self, name: &[u8]) {
        self.vtable_names.push(name.to_vec());
    }

    fn next(&mut self) -> Option<&mut dyn Sink> {
        Some(self.sink)
    }
}
