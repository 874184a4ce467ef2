//! Readers: bytes to records.

pub mod detect;
pub mod indexed;
pub mod names;
pub mod raw;
pub mod text;

use crate::correlate::Correlation;
use crate::error::{Error, ErrorKind};
use crate::finding::{Finding, FindingKind};
use crate::merge::{MergeOptions, Merger};
use crate::release::Release;
use crate::sink::Sink;
use indexed::IndexedOptions;
use raw::RawOptions;

pub use detect::{Detected, detect};

/// How to read an input.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions<'a> {
    /// Take what is complete of a damaged input, with a finding for each loss.
    pub salvage: bool,
    /// Refuse what `llvm-profdata` of this release refuses. `None`: read all versions.
    pub release: Option<Release>,
    /// Where to find the records and names that raw profiles lack ([`ElfFiles`](crate::correlate) have them).
    pub correlation: Option<&'a dyn Correlation>,
}

/// Reads an input of any format that this crate reads.
///
/// Errors: [`ErrorKind::Empty`] for an input without bytes, which [`crate::compat`] takes for a profile without records;
/// [`ErrorKind::SampleProfile`], [`ErrorKind::RawMemProf`] or [`ErrorKind::Unrecognized`], with what was found, for a format that this crate
/// does not read; and the errors of the reader.
///
/// ```
/// use profdata::Profile;
/// use profdata::error::ErrorKind;
/// use profdata::read::{ReadOptions, read};
///
/// let mut profile = Profile::new();
/// read(b":ir\nmain\n7\n2\n5\n1\n", &ReadOptions::default(), &mut profile)?;
/// assert_eq!(profile.record(0).unwrap().counters, [5, 1]);
///
/// let cut = b":ir\nmain\n7\n2\n5\n1\nother\n8\n3\n";
/// let error = read(cut, &ReadOptions::default(), &mut Profile::new()).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Truncated);
///
/// let mut kept = Profile::new();
/// read(cut, &ReadOptions { salvage: true, ..ReadOptions::default() }, &mut kept)?;
/// assert_eq!((kept.len(), kept.findings().len()), (1, 1));
/// # Ok::<(), profdata::Error>(())
/// ```
pub fn read(bytes: &[u8], options: &ReadOptions<'_>, sink: &mut (impl Sink + ?Sized)) -> Result<(), Error> {
    if bytes.is_empty() {
        return Err(Error::new(ErrorKind::Empty, "input"));
    }
    let Some(detected) = detect(bytes) else {
        let start = bytes.get(..16).unwrap_or(bytes);
        let found = format_args!("\"{}\"", start.escape_ascii()).to_string();
        return Err(Error::new(ErrorKind::Unrecognized, "magic").at(0u64).found(found));
    };
    match detected {
        Detected::Text => {
            text::read(bytes, &text::TextReadOptions { salvage: options.salvage, release: options.release }, sink)
        }
        Detected::Raw(_) => {
            let raw = if options.salvage { RawOptions::salvage() } else { RawOptions::default() };
            raw::read(bytes, &RawOptions { release: options.release, correlation: options.correlation, ..raw }, sink)
        }
        Detected::Indexed => {
            indexed::read(bytes, &IndexedOptions { salvage: options.salvage, release: options.release }, sink)
        }
        Detected::Partial => partial(bytes, options, sink),
        Detected::Sample(_) => Err(unreadable(ErrorKind::SampleProfile, detected)),
        Detected::RawMemProf(_) | Detected::MemProfYaml => Err(unreadable(ErrorKind::RawMemProf, detected)),
        Detected::Elf | Detected::Archive(_) => Err(unreadable(ErrorKind::Unrecognized, detected)),
    }
}

/// Reads a partial result: the profile that it would end in, with all its kinds and traces.
fn partial(bytes: &[u8], options: &ReadOptions<'_>, sink: &mut (impl Sink + ?Sized)) -> Result<(), Error> {
    // One file: whoever wrote it has decided what merges, and how much of it stays.
    let all = usize::MAX;
    let merge = MergeOptions { max_traces: all, max_trace_length: all, mix_kinds: true, ..MergeOptions::default() };
    let mut merger = Merger::new(merge);
    merger.add_partial("", 1, bytes)?;
    options.correlation.map_or(Ok(()), |correlation| merger.name_by(correlation))?;
    let (profile, report) = merger.finish()?;
    let damage = report.inputs.iter().find(|(id, _)| id.part == u32::MAX).and_then(|(_, input)| input.error.clone());
    match damage {
        Some(error) if !options.salvage => return Err(error),
        Some(_) => sink.finding(Finding::of_input(FindingKind::SectionLost)),
        None => {}
    }
    report.findings.into_iter().for_each(|finding| sink.finding(finding));
    profile.send_to(sink)
}

#[cold]
fn unreadable(kind: ErrorKind, detected: Detected) -> Error {
    Error::new(kind, "magic").at(0u64).expected("a raw, indexed, text or partial profile").found(detected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;

    #[test]
    fn an_error_says_what_the_input_is() {
        let error = |bytes: &[u8]| read(bytes, &ReadOptions::default(), &mut Profile::new()).unwrap_err();
        assert_eq!(error(b"").kind(), ErrorKind::Empty);
        assert_eq!(error(b"main:184019:0\n 4: 534\n").kind(), ErrorKind::SampleProfile);
        assert_eq!(error(b"\x81rforpm\xff").kind(), ErrorKind::RawMemProf);
        let expected =
            "magic at byte 0: not a profile; expected a raw, indexed, text or partial profile; found an ELF file";
        assert_eq!(error(b"\x7fELF\x02\x01\x01").to_string(), expected);
        assert_eq!(error(b"\x00\x01").to_string(), "magic at byte 0: not a profile; found \"\\x00\\x01\"");
    }

    #[test]
    fn text_is_read() {
        let mut profile = Profile::new();
        read(b":ir\nfoo\n1\n1\n7\n", &ReadOptions::default(), &mut profile).unwrap();
        assert_eq!(profile.record(0).unwrap().counters, [7]);
    }
}
