//! Writes the text form: the bytes that `llvm-profdata merge -text` of a release writes.
//!
//! The text form has no place for binary ids, MemProf, uniformity bits, and names of vtables and targets that nothing refers to. A target
//! whose name is not among the records (or, of a vtable, among [`Profile::vtable_names`]) is written as `** External Symbol **`. A name that
//! is empty, has a line end or a NUL, begins with `#` or `$`, begins with `:` and comes first, or is a decimal number, would read back as
//! something else: LLVM writes such a record, [`write()`] leaves it out and says so. The same goes for a record without counters, which no
//! reader takes, and in a temporal trace for a name with a comma, or with a blank at its start or end.
//!
//! Readers recognize the form by its first bytes. Where the first name would hide it, [`write()`] begins with a comment line.

mod left_out;
mod symbols;

use std::io::{self, Write};

use crate::error::{Error, ErrorKind};
use crate::finding::{Finding, FindingKind};
use crate::flags::Flags;
use crate::name::Name;
use crate::profile::Profile;
use crate::read::{Detected, detect};
use crate::release::Release;
use crate::sink::{RecordRef, sum_of};
use crate::values::{KindSites, Value};

pub use symbols::Symbols;

/// How to write the text form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextWriteOptions {
    /// The release whose bytes to write.
    pub release: Release,
}

/// What was written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct WrittenText {
    /// Number of records.
    pub records: u64,
    /// What the text form of the release has no place for, and was left out.
    pub findings: Vec<Finding>,
    /// Sum of the counters of records that were left out.
    pub counts_lost: u128,
}

/// Writes a profile in the text form, sorted by name and hash. The profile has one record for each name and hash.
///
/// What the release does not know is left out, with a finding: flags, traces, bitmaps and kinds of values of later releases. So is what no
/// text has: records without a name, binary ids, MemProf, uniformity bits, and names of vtables and targets that nothing refers to.
///
/// Errors: [`ErrorKind::Io`] when `out` fails.
///
/// ```
/// use profdata::Profile;
/// use profdata::read;
/// use profdata::read::ReadOptions;
/// use profdata::write::Release;
/// use profdata::write::text::{TextWriteOptions, write};
///
/// let mut profile = Profile::new();
/// read(b":ir\nmain\n7\n2\n5\n1\n$1\n0x3\n", &ReadOptions::default(), &mut profile)?;
/// let release = Release::new(16).expect("13 to 23");
/// let written = write(&profile, &TextWriteOptions { release }, &mut Vec::new())?;
/// assert_eq!(written.findings[0].to_string(), "the bitmaps of 1 record are left out");
/// # Ok::<(), profdata::Error>(())
/// ```
pub fn write(profile: &Profile, options: &TextWriteOptions, out: &mut impl Write) -> Result<WrittenText, Error> {
    let mut symbols = Symbols::of(profile);
    symbols.retain(|name| is_in_form(name, false));
    let mut written = WrittenText::default();
    let mut all: Vec<_> = named_records(profile).collect();
    all.sort_by_key(|(name, record)| (*name, record.hash));
    let mut records = Vec::with_capacity(all.len());
    for (name, record) in all {
        let kind = match (is_in_form(name, records.is_empty()), record.counters) {
            (true, [_, ..]) => {
                records.push((name, record));
                continue;
            }
            (true, []) => FindingKind::NoCounters,
            (false, _) if name.is_empty() => FindingKind::NoName,
            (false, _) => FindingKind::NameNotInForm,
        };
        written.findings.push(Finding::of_function(record.name.hash, record.hash, kind));
        let counts = if record.is_pseudo() { 0 } else { sum_of(record.counters) };
        written.counts_lost = written.counts_lost.saturating_add(counts);
    }
    written.records = records.len() as u64;
    written.findings.extend(left_out::findings(profile, &records, &symbols, options.release.number()));
    let has_traces = profile.flags().has(Flags::TEMPORAL) || !profile.traces().is_empty();
    let io = |error: io::Error| Error::new(ErrorKind::Io, "output").found(error);
    let release = options.release.number();
    let flags = profile.flags();
    let has_header = written_flags(release).bits() & flags.bits() != 0 || has_traces && self::has_traces(release);
    if !has_header && records.first().is_some_and(|(name, _)| !is_recognized(name)) {
        out.write_all(b"# Instrumentation profile\n").map_err(io)?;
    }
    write_flags(flags, release, out).map_err(io)?;
    if has_traces && self::has_traces(release) {
        // A line without any name is no line: readers would take the next one for the trace.
        write_traces(profile, |function| trace_name(&symbols, function), b",", out).map_err(io)?;
    }
    write_records(records, &symbols, options, out).map_err(io)?;
    Ok(written)
}

/// Writes a profile as LLVM does ([`crate::compat`]), which reports nothing: a record without a name ends the text before the first record.
pub fn write_as_llvm(profile: &Profile, options: &TextWriteOptions, out: &mut impl Write) -> io::Result<()> {
    write_flags(profile.flags(), options.release.number(), out)?;
    let mut records: Vec<_> = named_records(profile).collect();
    if records.iter().any(|(name, _)| name.is_empty()) {
        return Ok(());
    }
    records.sort_by_key(|(name, record)| (*name, record.hash));
    let symbols = Symbols::of(profile);
    if profile.flags().has(Flags::TEMPORAL) && has_traces(options.release.number()) {
        write_traces(profile, |function| symbols.get(function), b"", out)?;
    }
    write_records(records, &symbols, options, out)
}

fn write_records(
    records: Vec<(&[u8], RecordRef<'_>)>,
    symbols: &Symbols<'_>,
    options: &TextWriteOptions,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut line = Vec::new();
    for (name, record) in records {
        line.clear();
        push_record(&mut line, name, record, options.release.number(), symbols);
        out.write_all(&line)?;
    }
    Ok(())
}

/// Returns whether the text form can have a name, of the first record or another.
fn is_in_form(name: &[u8], is_first: bool) -> bool {
    let begins = |byte: u8| name.first() == Some(&byte);
    let is_number = name.iter().all(u8::is_ascii_digit);
    // LLVM's readers end a text at a NUL.
    let has_end = name.iter().any(|byte| matches!(byte, b'\n' | b'\r' | 0));
    !(is_number || has_end || begins(b'#') || begins(b'$') || is_first && begins(b':'))
}

/// Returns whether all readers take a text that begins with this name for a profile. LLVM's readers want 8 characters of ASCII.
fn is_recognized(name: &[u8]) -> bool {
    let is_ascii = name.iter().take(8).all(|byte| byte.is_ascii_graphic() || *byte == b' ');
    is_ascii && detect(&[name, b"\n1\n1\n1\n"].concat()) == Some(Detected::Text)
}

/// Returns the name of a function in a temporal trace: a list with commas, whose readers remove blanks around each name.
fn trace_name<'a>(symbols: &Symbols<'a>, function: u64) -> Option<&'a [u8]> {
    let is_blank = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_whitespace() || *byte == 0x0b);
    symbols.get(function).filter(|name| !name.contains(&b',') && !is_blank(name.first()) && !is_blank(name.last()))
}

/// Returns all records with their names, which are empty where only a hash is known.
fn named_records(profile: &Profile) -> impl Iterator<Item = (&[u8], RecordRef<'_>)> {
    profile.records().map(|record| (name_bytes(record.name), record))
}

fn has_bitmaps(release: u32) -> bool {
    release >= 18
}

fn has_traces(release: u32) -> bool {
    release >= 17
}

/// Returns the number of value kinds that a release knows.
fn value_kinds(release: u32) -> usize {
    if release >= 19 { 3 } else { 2 }
}

/// Writes one record as [`write()`] does, with the names of targets from `symbols`.
pub fn write_record(
    record: RecordRef<'_>,
    symbols: &Symbols<'_>,
    options: &TextWriteOptions,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut line = Vec::new();
    push_record(&mut line, name_bytes(record.name), record, options.release.number(), symbols);
    out.write_all(&line)
}

fn name_bytes(name: Name<'_>) -> &[u8] {
    name.bytes.unwrap_or(&[])
}

/// Flags with a line of their own, and the first release that knows it.
const LINES: [(Flags, u32, &[u8]); 3] = [
    (Flags::ENTRY_FIRST, 13, b"# Always instrument the function entry block\n:entry_first\n"),
    (Flags::LOOP_ENTRIES, 20, b"# Always instrument the loop entry blocks\n:instrument_loop_entries\n"),
    (Flags::BYTE_COVERAGE, 17, b"# Instrument block coverage\n:single_byte_coverage\n"),
];

/// Returns the flags that the text form of a release has.
fn written_flags(release: u32) -> Flags {
    let lines = LINES.iter().filter(|(_, since, _)| release >= *since);
    lines.fold(Flags::IR | Flags::CONTEXT_SENSITIVE, |flags, (flag, ..)| flags | *flag)
}

fn write_flags(flags: Flags, release: u32, out: &mut impl Write) -> io::Result<()> {
    if flags.has(Flags::CONTEXT_SENSITIVE) {
        out.write_all(b"# CSIR level Instrumentation Flag\n:csir\n")?;
    } else if flags.has(Flags::IR) {
        out.write_all(b"# IR level Instrumentation Flag\n:ir\n")?;
    }
    for (flag, since, text) in LINES {
        if flags.has(flag) && release >= since {
            out.write_all(text)?;
        }
    }
    Ok(())
}

/// Writes the traces, and `none` for one without functions.
fn write_traces<'a>(
    profile: &Profile,
    name: impl Fn(u64) -> Option<&'a [u8]>,
    none: &[u8],
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, ":temporal_prof_traces\n# Num Temporal Profile Traces:\n{}", profile.traces().len())?;
    writeln!(out, "# Temporal Profile Trace Stream Size:\n{}", profile.trace_stream_size())?;
    for trace in profile.traces() {
        writeln!(out, "# Weight:\n{}", trace.weight)?;
        for function in &trace.functions {
            out.write_all(name(*function).unwrap_or(b""))?;
            out.write_all(b",")?;
        }
        if trace.functions.is_empty() {
            out.write_all(none)?;
        }
        out.write_all(b"\n")?;
    }
    out.write_all(b"\n")
}

fn push_record(out: &mut Vec<u8>, name: &[u8], record: RecordRef<'_>, release: u32, symbols: &Symbols<'_>) {
    out.extend_from_slice(name);
    out.extend_from_slice(b"\n# Func Hash:\n");
    push_line(out, record.hash);
    out.extend_from_slice(b"# Num Counters:\n");
    push_line(out, record.counters.len() as u64);
    out.extend_from_slice(b"# Counter Values:\n");
    for counter in record.counters {
        push_line(out, *counter);
    }
    if !record.bitmap.is_empty() && has_bitmaps(release) {
        push_bitmap(out, record.bitmap);
    }
    push_values(out, record, release, symbols);
    out.push(b'\n');
}

fn push_bitmap(out: &mut Vec<u8>, bitmap: &[u8]) {
    out.extend_from_slice(b"# Num Bitmap Bytes:\n$");
    push_line(out, bitmap.len() as u64);
    out.extend_from_slice(b"# Bitmap Byte Values:\n");
    for byte in bitmap {
        // A vector takes everything.
        let _ = writeln!(out, "{byte:#x}");
    }
    out.push(b'\n');
}

fn push_values(out: &mut Vec<u8>, record: RecordRef<'_>, release: u32, symbols: &Symbols<'_>) {
    const NAMES: [&[u8]; 3] = [b"IPVK_IndirectCallTarget", b"IPVK_MemOPSize", b"IPVK_VTableTarget"];
    let Some(values) = record.values else { return };
    let known = value_kinds(release);
    let present = || values.kinds.iter().zip(NAMES).enumerate().take(known).filter(|(_, (sites, _))| !sites.is_empty());
    let count = present().count();
    if count == 0 {
        return;
    }
    out.extend_from_slice(b"# Num Value Kinds:\n");
    push_line(out, count as u64);
    for (kind, (sites, name)) in present() {
        out.extend_from_slice(b"# ValueKind = ");
        out.extend_from_slice(name);
        out.extend_from_slice(b":\n");
        push_line(out, kind as u64);
        out.extend_from_slice(b"# NumValueSites:\n");
        push_line(out, sites.len() as u64);
        push_sites(out, kind, sites, symbols);
    }
}

fn push_sites(out: &mut Vec<u8>, kind: usize, sites: &KindSites, symbols: &Symbols<'_>) {
    const EXTERNAL: &[u8] = b"** External Symbol **";
    for site in sites.sites() {
        push_line(out, site.len() as u64);
        for Value { value, count } in site {
            match kind {
                1 => push_number(out, *value),
                _ => out.extend_from_slice(symbols.get(*value).unwrap_or(EXTERNAL)),
            }
            out.push(b':');
            push_line(out, *count);
        }
    }
}

fn push_line(out: &mut Vec<u8>, number: u64) {
    push_number(out, number);
    out.push(b'\n');
}

fn push_number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}
