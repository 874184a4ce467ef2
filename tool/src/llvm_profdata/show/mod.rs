//! `llvm-profdata show`.

mod functions;
mod totals;

use std::io::{self, Write};

use profdata::Profile;
use profdata::error::{Error, ErrorKind};
use profdata::read::Summary;
use profdata::read::detect::{Detected, detect};
use profdata::read::indexed::Header;
use profdata::sink::{Flags, Format, Heading, RecordRef, Sink, Trace};
use profdata::summary::{CUTOFFS, SummaryPart};
use profdata::write::text::Symbols;

use super::failure::Failure;
use super::grammar::Parsed;
use super::{correlation, input, output, words};
use correlation::Part;
use functions::Functions;

/// Runs the command.
pub(super) fn run(program: &str, parsed: &Parsed) -> Result<(), Failure> {
    let file = parsed.files.first().map_or(&b""[..], Vec::as_slice);
    let output = parsed.texts("output").last().unwrap_or(b"-");
    let debug_info = parsed.text("debug-info");
    if file.is_empty() && debug_info.is_none() {
        let text = "the positional argument '<profdata-file>' is required unless '--debug-info' is provided";
        return Err(Failure::new(text));
    }
    if file == output {
        let text = "Input file name cannot be the same as the output file name!";
        return Err(Failure::of_line(format!("{program} show: {text}")));
    }
    if matches!(parsed.choice("kind"), "sample" | "memory") {
        let text = "sample and MemProf profiles are not supported by this tool; use llvm-profdata";
        return Err(Failure::new(text));
    }
    let format = parsed.choice("show-format");
    let kind = if debug_info.is_some() { "debug info correlation" } else { "instr profiles" };
    if format == "json" || parsed.flag("json") {
        return Err(Failure::new(format_args!("JSON output is not supported for {kind}")));
    }
    if format == "yaml" {
        let text = if debug_info.is_some() { "by this tool" } else { "for instr profiles" };
        return Err(Failure::new(format_args!("YAML output is not supported {text}")));
    }
    if let Some(path) = debug_info {
        let (_, found) = correlation::load(path, Part::debug_info(parsed))?;
        return output::write(output, |out| {
            if parsed.flag("show-prof-sym-list") {
                let mut names: Vec<_> =
                    found.iter().flat_map(|file| file.names.iter()).filter_map(|name| name.bytes).collect();
                names.sort_unstable();
                names.iter().try_for_each(|name| out.write_all(name).and_then(|()| out.write_all(b"\n")))?;
            }
            writeln!(out, "Found {} functions", found.iter().map(|file| file.records.len()).sum::<usize>())
        });
    }
    let bytes = input::load(file).map_err(|error| Failure::of_system(file, &error))?;
    let mut read = Kinds::default();
    if let Some(what) = input::unsupported(&bytes) {
        return Err(Failure::of_file(file, what).line(words::OTHER_KINDS));
    }
    match input::read(&bytes, None, &mut read) {
        Ok(()) => {}
        // The profile has been read.
        Err(error) if error.kind() == ErrorKind::CounterTooLarge => {
            warn_line!("warning: {}: {}", String::from_utf8_lossy(file), words::of(&error));
        }
        Err(error) => return Err(words::failure(file, &error)),
    }
    if parsed.flag("all-functions") && parsed.text("function").is_some() {
        warn_line!("warning: -function argument ignored: showing all functions");
    }
    let mut text = Vec::new();
    // A vector takes all bytes.
    let _ = show(&mut text, parsed, &read, &bytes);
    output::write(output, |out| out.write_all(&text))
}

fn show(out: &mut Vec<u8>, parsed: &Parsed, read: &Kinds, bytes: &[u8]) -> io::Result<()> {
    let profile = &read.profile;
    let (is_text, context_sensitive) = (parsed.flag("text"), parsed.flag("showcs"));
    // All records of a profile of the front end are shown, whatever their hashes.
    let chosen = |(flags, record): &(Flags, RecordRef<'_>)| {
        !flags.has(Flags::IR) || record.is_context_sensitive() == context_sensitive
    };
    let records: Vec<_> = read.records().filter(chosen).collect();
    if is_text && read.first().has(Flags::IR) {
        writeln!(out, ":ir")?;
    }
    let symbols = input::symbols(profile, bytes);
    let mut functions = Functions::new(parsed, &symbols);
    if parsed.flag("list-below-cutoff") && !is_text {
        writeln!(out, "The list of functions with the maximum counter less than {}:", functions.cutoff)?;
    }
    for (flags, record) in &records {
        functions.show(out, *record, flags.has(Flags::IR))?;
    }
    if is_text || parsed.flag("covered") {
        return Ok(());
    }
    let mut cutoffs = CUTOFFS.to_vec();
    let numbers = parsed.numbers("detailed-summary-cutoffs");
    if parsed.flag("detailed-summary") && !numbers.is_empty() {
        cutoffs = numbers.into_iter().map(|cutoff| cutoff as u32).collect();
        cutoffs.sort_unstable();
    }
    let summary =
        Summary::of(records.iter().map(|(_, record)| RecordRef { hash: 0, ..*record }), SummaryPart::Plain, &cutoffs);
    write_level(out, read.last())?;
    totals::write(out, parsed, &functions, &summary)?;
    if parsed.flag("detailed-summary") {
        totals::write_detailed(out, &summary)?;
    }
    if parsed.flag("binary-ids") {
        write_binary_ids(out, &read.binary_ids, bytes)?;
    }
    if parsed.flag("profile-version") {
        writeln!(out, "Profile version: {}", version(bytes))?;
    }
    if parsed.flag("temporal-profile-traces") {
        write_traces(out, profile, &symbols)?;
    }
    Ok(())
}

/// A profile, and the kind of each of its records: several profiles of one file may be of several kinds.
#[derive(Default)]
struct Kinds {
    profile: Profile,
    /// The number of the first record of each kind.
    kinds: Vec<(usize, Flags)>,
    /// The binary ids of all profiles of the file.
    binary_ids: Vec<Vec<u8>>,
    text: bool,
    /// The last bitmap of a text, which LLVM's reader gives to each record without one.
    stale: Vec<u8>,
}

impl Kinds {
    fn first(&self) -> Flags {
        self.kinds.first().map_or(Flags::NONE, |(_, flags)| *flags)
    }

    fn last(&self) -> Flags {
        self.kinds.last().map_or(Flags::NONE, |(_, flags)| *flags)
    }

    fn records(&self) -> impl Iterator<Item = (Flags, RecordRef<'_>)> {
        self.profile.records().enumerate().map(|(number, record)| {
            let kind = self.kinds.partition_point(|(first, _)| *first <= number).checked_sub(1);
            let flags = kind.and_then(|kind| self.kinds.get(kind)).map_or(Flags::NONE, |(_, flags)| *flags);
            (flags, record)
        })
    }
}

impl Sink for Kinds {
    fn heading(&mut self, heading: &Heading) -> Result<(), Error> {
        self.kinds.push((self.profile.len(), heading.flags));
        self.text = heading.format == Format::Text;
        self.profile.heading(heading)
    }

    fn record(&mut self, record: RecordRef<'_>) -> Result<(), Error> {
        if !self.text {
            return Sink::record(&mut self.profile, record);
        }
        if !record.bitmap.is_empty() {
            self.stale.clear();
            self.stale.extend_from_slice(record.bitmap);
        }
        Sink::record(&mut self.profile, RecordRef { bitmap: &self.stale, ..record })
    }

    fn binary_id(&mut self, id: &[u8]) {
        self.binary_ids.push(id.to_vec());
    }

    fn vtable_name(&mut self, name: &[u8]) {
        self.profile.vtable_name(name);
    }

    fn traces(&mut self, traces: &[Trace], stream_size: u64) {
        Sink::traces(&mut self.profile, traces, stream_size);
    }
}

fn write_level(out: &mut impl Write, flags: Flags) -> io::Result<()> {
    if !flags.has(Flags::IR) {
        return writeln!(out, "Instrumentation level: Front-end");
    }
    let (entry, loops) = (u8::from(flags.has(Flags::ENTRY_FIRST)), u8::from(flags.has(Flags::LOOP_ENTRIES)));
    writeln!(out, "Instrumentation level: IR  entry_first = {entry}  instrument_loop_entries = {loops}")
}

fn write_binary_ids(out: &mut impl Write, ids: &[Vec<u8>], bytes: &[u8]) -> io::Result<()> {
    let may_have_none = matches!(detect(bytes), Some(Detected::Indexed));
    if detect(bytes) == Some(Detected::Text) || ids.is_empty() && !may_have_none {
        return Ok(());
    }
    writeln!(out, "Binary IDs: ")?;
    for id in ids {
        id.iter().try_for_each(|byte| write!(out, "{byte:02x}"))?;
        writeln!(out)?;
    }
    Ok(())
}

/// Returns the version word of a raw profile with its flags, the version of an indexed one, or 0.
fn version(bytes: &[u8]) -> u64 {
    let word: [u8; 8] = bytes.get(8..16).and_then(|word| word.try_into().ok()).unwrap_or_default();
    match detect(bytes) {
        Some(Detected::Raw(encoding)) if encoding.u64_bytes(1) == 1u64.to_le_bytes() => u64::from_le_bytes(word),
        Some(Detected::Raw(_)) => u64::from_be_bytes(word),
        Some(Detected::Indexed) => Header::parse(bytes).map_or(0, |header| header.version.into()),
        _ => 0,
    }
}

fn write_traces(out: &mut impl Write, profile: &Profile, names: &Symbols<'_>) -> io::Result<()> {
    let (traces, seen) = (profile.traces(), profile.trace_stream_size());
    writeln!(out, "Temporal Profile Traces (samples={} seen={seen}):", traces.len())?;
    for (number, trace) in traces.iter().enumerate() {
        let count = trace.functions.len();
        writeln!(out, "  Temporal Profile Trace {number} (weight={} count={count}):", trace.weight)?;
        for function in &trace.functions {
            out.write_all(b"    ")?;
            out.write_all(names.get(*function).unwrap_or(b""))?;
            out.write_all(b"\n")?;
        }
    }
    Ok(())
}
