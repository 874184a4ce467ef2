//! LLVM's words for errors.

use std::fmt::Write as _;

use profdata::error::{Error, ErrorKind};

use super::failure::Failure;

/// The words for bytes that are no profile.
pub(super) const UNRECOGNIZED: &str = "unrecognized instrumentation profile encoding format";
/// What `llvm-profdata` adds to them, except in a merge.
pub(super) const OTHER_KINDS: &str = "note: Perhaps you forgot to use the --sample or --memory option?";

/// Returns what `llvm-profdata` says of an error.
pub(super) fn of(error: &Error) -> String {
    let details = error.details();
    let found = || details.found.clone().unwrap_or_default();
    let text = match error.kind() {
        ErrorKind::Empty => "empty raw profile file",
        ErrorKind::Malformed if details.field == "Magic" => "invalid instrumentation profile data (bad magic)",
        ErrorKind::Truncated if is_of_traces(&details.field) => "end of File",
        ErrorKind::BadHeader => "invalid instrumentation profile data (file header is corrupt)",
        ErrorKind::Truncated | ErrorKind::TooLarge if is_of_header(&details.field) => {
            "invalid instrumentation profile data (file header is corrupt)"
        }
        ErrorKind::UnsupportedVersion
            if details.expected.as_deref().is_some_and(|known| !known.starts_with("1 to")) =>
        {
            return format!(
                "raw profile version mismatch: Profile uses raw profile format version = {}; expected version = 10\n\
                 PLEASE update this tool to version in the raw profile, or regenerate raw profile with expected version.",
                found()
            );
        }
        ErrorKind::UnsupportedVersion => "unsupported instrumentation profile format version",
        ErrorKind::UnsupportedHashType => "unsupported instrumentation profile hash type",
        ErrorKind::TooLarge => "too much profile data",
        ErrorKind::Truncated => "truncated profile data",
        ErrorKind::Malformed => {
            let mut text = "malformed instrumentation profile data".to_string();
            if let Some(more) = malformed(&details.field, &found(), details.expected.as_deref().unwrap_or_default()) {
                let _ = write!(text, ": {more}");
            }
            return text;
        }
        ErrorKind::MissingCorrelation => "debug info/binary for correlation is required",
        ErrorKind::UnexpectedCorrelation => "debug info/binary for correlation is not necessary",
        ErrorKind::UnableToCorrelate => return format!("unable to correlate profile: {}", correlation(error)),
        ErrorKind::CounterTooLarge => {
            return format!("excessively large counter value suggests corrupted profile data: {}", found());
        }
        ErrorKind::UncompressFailed => "failed to uncompress data (zlib)",
        ErrorKind::Incompatible if details.expected.as_deref().is_some_and(|text| text.contains("entries")) => {
            "unsupported instrumentation profile mode: counters of function entries only, and of blocks"
        }
        ErrorKind::Incompatible => "Merge IR generated profile with Clang generated profile.",
        _ => UNRECOGNIZED,
    };
    text.to_string()
}

fn is_of_traces(field: &str) -> bool {
    field.contains("temporal profile trace")
}

/// Returns what `llvm-profdata` prints of a file that cannot be read.
pub(super) fn failure(path: &[u8], error: &Error) -> Failure {
    let words = of(error);
    let failure = Failure::of_file(path, &words);
    if words == UNRECOGNIZED { failure.line(OTHER_KINDS) } else { failure }
}

/// Returns whether a field decides for LLVM whether the header of an indexed profile is sound.
fn is_of_header(field: &str) -> bool {
    matches!(
        field,
        "NumSummaryFields"
            | "NumCutoffEntries"
            | "HashOffset"
            | "NumBuckets"
            | "NumEntries"
            | "BinaryIdOffset"
            | "TemporalProfTracesOffset"
            | "VTableNamesOffset"
            | "MemProfOffset"
            | "HashType"
    )
}

fn malformed(field: &str, number: &str, expected: &str) -> Option<String> {
    let most = expected.strip_prefix("at most ");
    let above = |what: &str| most.map(|most| format!("{what} {number} is greater than the maximum {what} {most}"));
    Some(match field {
        "CounterPtr" | "BitmapPtr" => {
            let what = if field == "CounterPtr" { "counter offset" } else { "bitmap offset" };
            if number.starts_with('-') { format!("{what} {number} is negative") } else { above(what)? }
        }
        "NumCounters" if number == "0" => "number of counters is zero".to_string(),
        "NumCounters" => above("number of counters")?,
        "NumBitmapBytes" => above("number of bitmap bytes")?,
        "Names" if expected == "a name" => "symbol name is empty".to_string(),
        "number of counters" if number.starts_with("\"0\"") || number == "0" => {
            "number of counters is zero".to_string()
        }
        "function hash" | "number of counters" | "number of bitmap bytes" | "bitmap byte" => {
            format!("{field} is not a valid integer")
        }
        "count" | "number of value kinds" | "value kind" => format!("{field} is invalid"),
        "Header" => "not enough space for another header".to_string(),
        "BinaryIdsSize" => "corrupted binary ids".to_string(),
        "BinaryIdLen" if number == "0 bytes" => "binary id length is 0".to_string(),
        "BinaryIdLen" => "not enough data to read binary id data".to_string(),
        _ => return None,
    })
}

/// Returns the words about a binary or debug info that does not fit.
fn correlation(error: &Error) -> String {
    match error.details().field.as_ref() {
        section if section.starts_with("__llvm_") => format!("could not find section ({section})"),
        "build id" => format!("Missing build ID: {}", error.details().found.as_deref().unwrap_or_default()),
        _ => "could not find any profile data metadata in correlated file".to_string(),
    }
}
