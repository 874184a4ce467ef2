//! Functions of raw profiles that are whole, but whose name is not among those of the file: a merge leaves them out.

use profdata::finding::FindingKind;
use profdata::merge::{MergeOptions, Merger};
use profdata::read::raw::RawFile;
use profrt_format::layout::Part;

use super::verdict::{Fault, State, Verdict};
use crate::text::many;

/// Returns where the first record stands that has no name in its own profile, of those that begin at `starts`. A profile without any name
/// is not asked: it has them in its binary.
pub(super) fn first(bytes: &[u8], starts: impl Iterator<Item = usize>) -> Option<u64> {
    starts.into_iter().find_map(|start| {
        let file = RawFile::parse(bytes, start).ok().filter(|file| !file.needs_correlation())?;
        let names = file.names().0;
        let mut next = 0;
        let is_nameless = |hash: u64| names.get_after(hash, &mut next).is_none();
        let index = file.records().map(|head| head.name_ref).position(is_nameless).filter(|_| !names.is_empty())?;
        let data = file.plan().chunk(Part::Data);
        let size = data.len.checked_div(file.num_records() as u64)?;
        Some(file.start() + data.offset + index as u64 * size)
    })
}

/// Adds to the verdict on a whole file what a merge of it leaves out. `at`: the first record without a name.
pub(super) fn add(verdict: &mut Verdict, bytes: &[u8], at: u64) {
    let mut merger = Merger::new(MergeOptions::default());
    let Ok((_, report)) = merger.add_bytes("", 1, bytes).and_then(|_| merger.finish()) else { return };
    let functions = report.findings.iter().filter(|finding| finding.kind == FindingKind::NoName).count() as u64;
    // Another profile of the file may have the name.
    if functions == 0 {
        return;
    }
    verdict.state = State::Damaged;
    verdict.damage.push(Fault {
        profile_offset: None,
        field: "NameRef".into(),
        offset: Some(at),
        expected: Some("the hash of a name in the file".into()),
        found: Some(format!("another one, of {}", many(functions, "function"))),
        cause: "the bytes were overwritten, in memory, on the disk or on the way; or the program was linked without some names".into(),
        remedy: Some("make or copy the file again; of a program that has the names, `profrt merge --elf PROGRAM` finds them".into()),
    });
    let counts = u64::try_from(report.total.counts_lost).unwrap_or(u64::MAX);
    verdict.lost.push(format!("{} of {}", many(counts, "count"), many(functions, "function")));
    verdict.salvage.push("all other functions".into());
    verdict.is_raw = false;
}
