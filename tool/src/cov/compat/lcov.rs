//! `llvm-cov export -format=lcov`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use profdata::compat::sort_as_libstdcxx;
use profdata::coverage::{FileCoverage, Position, lines};

use super::Files;

/// A branch: the line that it is listed at, and how often it was true and false, in 32 bits, whatever the counts are.
type Branch = (u32, [u32; 2]);

/// Returns the trace file.
pub(super) fn text(files: &Files<'_>) -> Result<String> {
    let mut text = String::new();
    files.for_each(|name, file| {
        files.record(&mut text, name, &file);
        Ok(())
    })?;
    Ok(text)
}

impl Files<'_> {
    /// Writes a file. A string takes everything, so that errors of writing cannot be.
    fn record(&self, text: &mut String, name: &str, file: &FileCoverage<'_>) {
        let _ = writeln!(text, "SF:{name}");
        for (function, start, _) in &file.functions {
            let _ = writeln!(text, "FN:{},{}", start.line, self.name(function));
        }
        for (function, _, count) in &file.functions {
            let _ = writeln!(text, "FNDA:{count},{}", self.name(function));
        }
        let sum = &file.summary;
        let _ = writeln!(text, "FNF:{}\nFNH:{}", sum.functions.count, sum.functions.covered);
        for run in lines(&file.segments, self.release.rules()) {
            for line in run.first..=run.last {
                let _ = writeln!(text, "DA:{line},{}", run.count);
            }
        }
        let branches = if self.release.has_vectors() { united(file) } else { sorted(file) };
        for on_line in branches.chunk_by(|(one, _), (other, _)| one == other) {
            for (block, (line, counts)) in on_line.iter().enumerate() {
                for (side, count) in counts.iter().enumerate() {
                    let taken = if *counts == [0; 2] { "-".to_owned() } else { count.to_string() };
                    let _ = writeln!(text, "BRDA:{line},{block},{},{taken}", 2 * block + side);
                }
            }
        }
        let _ = writeln!(text, "BRF:{}\nBRH:{}", sum.branches.count, sum.branches.covered);
        let _ = writeln!(text, "LF:{}\nLH:{}\nend_of_record", sum.lines.count, sum.lines.covered);
    }
}

/// Returns the branches of a file and of its expansions, of which each is on the line where the body has it, in the column that it has itself.
fn sorted(file: &FileCoverage<'_>) -> Vec<Branch> {
    let own = file.branches.iter().map(|(region, counts)| (region, region.start.line, *counts));
    let expanded = file.expansions.iter().flat_map(|expansion| {
        let line = expansion.region.start.line;
        expansion.branches.iter().map(move |branch| (&branch.region, line, branch.counts))
    });
    let mut all: Vec<_> = own.chain(expanded).collect();
    // Branches of one line are numbered in this order, which up to LLVM 19 is that of `std::sort`.
    sort_as_libstdcxx(&mut all, |(region, line, _)| (*line, region.start.column));
    all.retain(|(region, ..)| !region.kind.is_constant());
    all.into_iter().map(|(_, line, counts)| (line, counts.map(|count| count as u32))).collect()
}

/// Returns the same, with the counts of all branches of one place added up: those that start there, and those in expansions to which the ways
/// start there.
fn united(file: &FileCoverage<'_>) -> Vec<Branch> {
    let mut all: BTreeMap<Vec<Position>, [u32; 2]> = BTreeMap::new();
    let own = file.branches.iter().map(|(region, counts)| (region, vec![region.start], *counts));
    let expanded = file.expansions.iter().flat_map(|expansion| &expansion.branches);
    let expanded =
        expanded.map(|branch| (&branch.region, branch.way.iter().map(|(start, _)| *start).collect(), branch.counts));
    for (_, way, counts) in own.chain(expanded).filter(|(region, ..)| !region.kind.is_constant()) {
        let sums = all.entry(way).or_default();
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum = sum.wrapping_add(count as u32));
    }
    let line = |way: &[Position]| way.first().map_or(0, |start| start.line);
    all.into_iter().map(|(way, counts)| (line(&way), counts)).collect()
}
