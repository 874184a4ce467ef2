//! An input of any format.

use crate::error::Error;
use crate::finding::{Finding, FindingKind};
use crate::merge::{MergeOptions, Merger};
use crate::read::{self, Detected, ReadOptions, detect};
use crate::sink::Sink;

/// Reads an input of any format that this crate reads.
///
/// Errors: [`ErrorKind::Empty`] for an input without bytes, which [`crate::compat`] takes for a profile without records;
/// [`ErrorKind::SampleProfile`], [`ErrorKind::RawMemProf`] or [`ErrorKind::Unrecognized`], with what was found, for a format that this crate
/// does not read; and the errors of the reader.
///
/// ```
/// use profdata::Profile;
/// use profdata::error::ErrorKind;
/// use profdata::read;
/// use profdata::read::ReadOptions;
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
    match detect(bytes) {
        Some(Detected::Partial) => partial(bytes, options, sink),
        _ => read::read(bytes, options, sink),
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
