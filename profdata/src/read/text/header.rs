//! The header of the text form: lines that begin with `:`, and the temporal traces.

use crate::error::{Error, ErrorKind};
use crate::flags::Flags;
use crate::name::name_hash;
use crate::read::ReadOptions;
use crate::read::text::lines::{Line, Lines};
use crate::read::text::{malformed, number, require};
use crate::sink::{Format, Heading, Sink, Trace};

const NUMBER: &str = "a number";

/// Reads the header and hands it over.
pub(super) fn read(
    lines: &mut Lines<'_>,
    options: &ReadOptions<'_>,
    sink: &mut (impl Sink + ?Sized),
) -> Result<(), Error> {
    let mut heading = Heading { format: Format::Text, flags: Flags::NONE, says_front_end: false, kind_unknown: true };
    let mut traces = None;
    while let Some(line) = lines.peek() {
        let Some(word) = line.bytes.strip_prefix(b":") else { break };
        lines.next();
        match word.to_ascii_lowercase().as_slice() {
            b"ir" => heading.flags |= Flags::IR,
            b"fe" => {
                heading.says_front_end = true;
                // In LLVM 13 the last word decides.
                if !options.reads(14) {
                    heading.flags = heading.flags.without(Flags::IR);
                }
            }
            b"csir" => heading.flags |= Flags::IR | Flags::CONTEXT_SENSITIVE,
            b"entry_first" => heading.flags |= Flags::ENTRY_FIRST,
            b"not_entry_first" => heading.flags = heading.flags.without(Flags::ENTRY_FIRST),
            b"instrument_loop_entries" if options.reads(20) => heading.flags |= Flags::LOOP_ENTRIES,
            b"single_byte_coverage" if options.reads(17) => heading.flags |= Flags::BYTE_COVERAGE,
            b"temporal_prof_traces" if options.reads(17) => {
                heading.flags |= Flags::TEMPORAL;
                let (all, stream_size) = traces.get_or_insert_with(|| (Vec::new(), 0));
                *stream_size = read_traces(lines, options, all)?;
            }
            _ => return Err(unknown(line)),
        }
    }
    if !heading.flags.has(Flags::IR) {
        heading.flags = heading.flags.without(Flags::CONTEXT_SENSITIVE);
    }
    heading.kind_unknown = !heading.says_front_end && !heading.flags.has(Flags::IR);
    sink.heading(&heading)?;
    if let Some((traces, stream_size)) = traces {
        sink.traces(&traces, stream_size);
    }
    Ok(())
}

#[cold]
fn unknown(line: Line<'_>) -> Error {
    Error::new(ErrorKind::BadHeader, "header")
        .at(line.offset as u64)
        .expected(
            ":ir, :fe, :csir, :entry_first, :not_entry_first, :instrument_loop_entries, :single_byte_coverage or \
             :temporal_prof_traces",
        )
        .found(line)
}

/// Reads the traces, appends those that name a function, and returns the number of traces that were ever seen.
fn read_traces(lines: &mut Lines<'_>, options: &ReadOptions<'_>, traces: &mut Vec<Trace>) -> Result<u64, Error> {
    let count = read_number(lines, "number of temporal profile traces")?;
    let stream_size = read_number(lines, "temporal profile trace stream size")?;
    for _ in 0..count {
        let weight = read_number(lines, "weight of a temporal profile trace")?;
        let names = require(lines, "functions of a temporal profile trace")?;
        // LLVM takes blanks between two commas for the empty name.
        let is_name = |name: &&[u8]| !name.is_empty() && (options.release.is_some() || !name.trim_ascii().is_empty());
        let names = names.bytes.split(|byte| *byte == b',').filter(is_name).map(<[u8]>::trim_ascii);
        traces.push(Trace { weight, functions: names.map(name_hash).collect() });
    }
    Ok(stream_size)
}

fn read_number(lines: &mut Lines<'_>, field: &'static str) -> Result<u64, Error> {
    let line = require(lines, field)?;
    number::any_radix(line.bytes).ok_or_else(|| malformed(line, field, NUMBER))
}
