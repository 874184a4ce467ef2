//! What formats by lines have in common.

use std::collections::BTreeMap;

use profdata::coverage::{Mapping, Place, UnitedFunction};

use crate::general::general;
use crate::names::{demangle, split};
use crate::text::printable_bytes;

/// A branch and how often its sides ran.
pub type Branch = (Place, [Option<u64>; 2]);

/// Returns the branches of each line together.
pub fn branches_by_line(branches: &[Branch]) -> impl Iterator<Item = &[Branch]> {
    branches.chunk_by(|(one, _), (other, _)| one.range.0.line == other.range.0.line)
}

/// Returns for each line with branches how many sides they have, and how many of these ran.
pub fn sides(branches: &[Branch]) -> BTreeMap<u32, [u64; 2]> {
    let by_line = branches_by_line(branches).filter_map(|on_line| {
        let sides = || on_line.iter().flat_map(|(_, counts)| counts).flatten();
        let (all, ran) = (sides().count() as u64, sides().filter(|count| **count > 0).count() as u64);
        Some((on_line.first()?.0.range.0.line, [all, ran]))
    });
    by_line.filter(|(_, [all, _])| *all > 0).collect()
}

/// Returns lines in rising order as runs from the first to the last line.
pub fn runs(lines: impl IntoIterator<Item = u32>) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    lines.into_iter().for_each(|line| append(&mut runs, line));
    runs
}

/// Adds a line behind runs.
pub(crate) fn append(runs: &mut Vec<(u32, u32)>, line: u32) {
    match runs.last_mut().filter(|(_, last)| last.checked_add(1) == Some(line)) {
        Some((_, last)) => *last = line,
        None => runs.push((line, line)),
    }
}

/// Returns the lines that did not run, as runs.
pub fn not_run(lines: &[(u32, u64)]) -> Vec<(u32, u32)> {
    runs(lines.iter().filter(|(_, count)| *count == 0).map(|(line, _)| *line))
}

/// Returns a run as text: `3-5` or `9`.
pub fn range(first: u32, last: u32) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// Returns runs as text: `3-5, 9`.
pub fn ranges(runs: Vec<(u32, u32)>) -> String {
    runs.into_iter().map(|(first, last)| range(first, last)).collect::<Vec<_>>().join(", ")
}

/// Returns a name as people write it.
pub fn name(mapping: &Mapping<'_>, hash: u64) -> String {
    mapping.name(hash).map_or_else(|| format!("function {hash:#018x}"), demangle)
}

/// Returns the name of a function: of several instantiations what they have in common.
pub fn name_of_all(mapping: &Mapping<'_>, function: &UnitedFunction) -> String {
    let mut names = function.instantiations.iter().map(|(hash, _)| name(mapping, *hash));
    let first = names.next().unwrap_or_default();
    let common = names.next().map(|next| (general(&first), general(&next))).filter(|(one, other)| one == other);
    match common {
        Some((common, _)) if names.all(|name| general(&name) == common) => common,
        _ => first,
    }
}

/// Returns the symbol of a function, without the file that local ones have before it.
pub fn symbol(mapping: &Mapping<'_>, name: u64) -> String {
    let Some(name) = mapping.name(name) else { return format!("function-{name:016x}") };
    printable_bytes(split(name).1)
}
