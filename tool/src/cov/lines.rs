//! What formats by lines have in common.

use std::collections::BTreeMap;

use profdata::coverage::{Mapping, Place};

use crate::report::names::split;
use crate::text::printable_bytes;

/// A branch and how often its sides ran.
pub(super) type Branch = (Place, [Option<u64>; 2]);

/// Returns the branches of each line together.
pub(super) fn branches_by_line(branches: &[Branch]) -> impl Iterator<Item = &[Branch]> {
    branches.chunk_by(|(one, _), (other, _)| one.range.0.line == other.range.0.line)
}

/// Returns for each line with branches how many sides they have, and how many of these ran.
pub(super) fn sides(branches: &[Branch]) -> BTreeMap<u32, [u64; 2]> {
    let by_line = branches_by_line(branches).filter_map(|on_line| {
        let sides = || on_line.iter().flat_map(|(_, counts)| counts).flatten();
        let (all, ran) = (sides().count() as u64, sides().filter(|count| **count > 0).count() as u64);
        Some((on_line.first()?.0.range.0.line, [all, ran]))
    });
    by_line.filter(|(_, [all, _])| *all > 0).collect()
}

/// Returns lines in rising order as text: `3-5, 9`.
pub(super) fn ranges(lines: &[u32]) -> String {
    let runs = lines.chunk_by(|one, next| one.checked_add(1) == Some(*next));
    let shown = runs.map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        run => run.iter().map(u32::to_string).collect(),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// Returns the symbol of a function, without the file that local ones have before it.
pub(super) fn symbol(mapping: &Mapping<'_>, name: u64) -> String {
    let Some(name) = mapping.name(name) else { return format!("function-{name:016x}") };
    printable_bytes(split(name).1)
}
