//! What ran of a file, in any instantiation of any build.
//!
//! `llvm-cov` draws all functions of a file over each other, so that code that ran in one instantiation can be hidden by what did not run in
//! another. Here each function is looked at alone, and what it says of a line, a region or a branch is added to what others say of it.

use std::collections::BTreeMap;

use super::counted::Counted;
use super::counter::Counter;
use super::counts::Counts;
use super::function::Function;
use super::lines::{Lines, lines};
use super::mapping::Mapping;
use super::region::{Kind, Position, Region};
use super::rules::Rules;
use super::segments::segments;
use super::sites::Sites;
use crate::error::Error;
use crate::flags::Flags;

/// A piece of a file: where it starts, and where it ends.
pub type Range = (Position, Position);

/// What ran of a file.
///
/// Counts are sums over all functions that have the line, region or branch; of byte coverage 0 or 1.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct United {
    /// The lines with code, in rising order.
    pub lines: Vec<Lines>,
    /// The regions of code, with their counts.
    pub regions: BTreeMap<Range, u64>,
    /// The branches.
    pub branches: BTreeMap<Place, [Option<u64>; 2]>,
    /// The decisions, with whether each of their conditions was shown to decide alone (MC/DC).
    pub decisions: BTreeMap<Place, Vec<bool>>,
    /// The functions whose bodies are in the file, by where they start.
    pub functions: BTreeMap<Position, UnitedFunction>,
}

/// Where a branch or a decision is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Place {
    /// In the file. Of what is in a macro, where the function has the macro.
    pub range: Range,
    /// In the macro: the number of the path of its file, and the range there. What one macro has several times in another is one place.
    pub in_macro: Option<(u32, Range)>,
}

/// All instantiations of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct UnitedFunction {
    /// The end of its body.
    pub end: Position,
    /// How often all of them were called.
    pub count: u64,
    /// For each the hash of its name ([`Mapping::name`]), and how often it was called, in the order of these hashes.
    pub instantiations: Vec<(u64, u64)>,
}

impl Mapping<'_> {
    /// Returns what ran of a file, which has these numbers: several where builds have it under several paths.
    ///
    /// Functions that the profile has with another structural hash only are left out, and those that it does not have did not run. Calls
    /// `damaged` with each function whose mapping is damaged, or does not fit its record; it is left out.
    pub fn united<'m>(
        &'m self,
        paths: &[u32],
        counts: &Counts<'_>,
        mut damaged: impl FnMut(&'m Function<'m>, Error),
    ) -> United {
        let is_byte = counts.flags().has(Flags::BYTE_COVERAGE);
        let in_path = |path: &u32| self.functions_in(*path).map(|function| (*path, function)).collect::<Vec<_>>();
        let mut functions: Vec<_> = paths.iter().flat_map(in_path).collect();
        functions.sort_by_key(|(_, function)| function.key());
        let mut united = United::default();
        // Builds with other bodies but the same hash have one record: it counts once.
        for same in functions.chunk_by(|(_, one), (_, other)| one.key() == other.key()) {
            let mut alone = United::default();
            for (path, function) in same {
                match self.alone(function, *path, counts) {
                    Ok(own) => alone.join(own, &|sum, count| *sum = (*sum).max(count)),
                    Err(error) => damaged(function, error),
                }
            }
            if same.len() > 1 {
                alone.lines = combine(&alone.lines, How::Largest);
            }
            united.join(alone, &|sum, count| add(sum, count, is_byte));
        }
        united.lines = combine(&united.lines, if is_byte { How::Largest } else { How::Sum });
        united
    }

    /// Returns what ran of a file, which has this number, in one function alone: one instantiation of one build. Nothing if the profile has the
    /// function with another structural hash only.
    ///
    /// Errors: the mapping is damaged, or the record does not fit it.
    pub fn alone(&self, function: &Function<'_>, path: u32, counts: &Counts<'_>) -> Result<United, Error> {
        let Some(counted) = self.counted(function, counts, Rules::Own)? else { return Ok(United::default()) };
        let (regions, is_byte) = (&counted.regions, counted.is_byte);
        let (decisions, sites) = (counted.decisions()?, Sites::of(regions));

        // A region that the function has several times is a macro's, and adds up.
        let mut own = United::default();
        let mut spans = counted.spans(|file| regions.path(file) == path).collect();
        own.lines.extend(lines(&segments(&mut spans, Rules::Own, is_byte), Rules::Own));
        for (region, [count, other]) in counted.iter() {
            match region.kind {
                Kind::Code(_) if regions.path(region.file) == path => {
                    add(own.regions.entry((region.start, region.end)).or_default(), count, is_byte);
                }
                Kind::Branch(counters) | Kind::Condition { counters, .. } => {
                    let Some(place) = sites.place(regions, region, path) else { continue };
                    let sums = own.branches.entry(place).or_default();
                    for ((sum, counter), count) in sums.iter_mut().zip(counters).zip([count, other]) {
                        if counter != Counter::ZERO {
                            add(sum.get_or_insert_default(), count, is_byte);
                        }
                    }
                }
                _ => {}
            }
        }
        for decision in decisions {
            if let Some(place) = sites.place(regions, &decision.region, path) {
                let covered = decision.conditions.into_iter().flatten().collect();
                unite_conditions(own.decisions.entry(place).or_default(), covered);
            }
        }
        if let Some((body, count)) = body(&counted, path) {
            let instantiations = vec![(function.name_hash(), count)];
            own.functions.insert(body.start, UnitedFunction { end: body.end, count, instantiations });
        }
        Ok(own)
    }
}

impl United {
    /// Adds another one; its lines come behind. `each` does it for a count.
    fn join(&mut self, other: United, each: &impl Fn(&mut u64, u64)) {
        self.lines.extend(other.lines);
        for (range, count) in other.regions {
            each(self.regions.entry(range).or_default(), count);
        }
        for (place, counts) in other.branches {
            let sums = self.branches.entry(place).or_default();
            for (sum, count) in sums.iter_mut().zip(counts) {
                if let Some(count) = count {
                    each(sum.get_or_insert_default(), count);
                }
            }
        }
        for (place, covered) in other.decisions {
            unite_conditions(self.decisions.entry(place).or_default(), covered);
        }
        for (start, function) in other.functions {
            let new = UnitedFunction { end: function.end, count: 0, instantiations: Vec::new() };
            let united = self.functions.entry(start).or_insert(new);
            each(&mut united.count, function.count);
            for (name, count) in function.instantiations {
                // Builds with another body have the same name, and come one after the other.
                match united.instantiations.last_mut().filter(|(last, _)| *last == name) {
                    Some((_, sum)) => each(sum, count),
                    None => united.instantiations.push((name, count)),
                }
            }
        }
    }
}

fn add(sum: &mut u64, count: u64, is_byte: bool) {
    *sum = if is_byte { *sum | count } else { sum.saturating_add(count) };
}

fn unite_conditions(sum: &mut Vec<bool>, covered: Vec<bool>) {
    if sum.len() < covered.len() {
        sum.resize(covered.len(), false);
    }
    sum.iter_mut().zip(covered).for_each(|(sum, covered)| *sum |= covered);
}

/// Returns the first region of a function whose body is in the file with a number, and how often the function was called.
fn body<'c>(function: &'c Counted<'_>, path: u32) -> Option<(&'c Region, u64)> {
    let file = function.main_file(path)?;
    let (region, [count, _]) = function.iter().find(|(region, _)| region.file == file)?;
    Some((region, count))
}

/// What becomes of the counts of a line.
#[derive(Clone, Copy, PartialEq)]
enum How {
    Sum,
    Largest,
}

/// Makes one run of lines of those that meet.
fn combine(runs: &[Lines], how: How) -> Vec<Lines> {
    // Where runs begin, and the lines after their ends.
    let starts = runs.iter().map(|run| (u64::from(run.first), true, run.count));
    let ends = runs.iter().map(|run| (u64::from(run.last).saturating_add(1), false, run.count));
    let mut edges: Vec<(u64, bool, u64)> = starts.chain(ends).collect();
    edges.sort_unstable();
    let mut combined: Vec<Lines> = Vec::new();
    // The counts of open runs, how many there are of each, and their sum.
    let (mut open, mut sum, mut from): (BTreeMap<u64, u64>, u128, u64) = (BTreeMap::new(), 0, 0);
    for (line, is_start, count) in edges {
        if let Some((largest, _)) = open.last_key_value()
            && from < line
        {
            let count = if how == How::Sum { u64::try_from(sum).unwrap_or(u64::MAX) } else { *largest };
            let [first, last] = [from, line.saturating_sub(1)].map(|line| u32::try_from(line).unwrap_or(u32::MAX));
            match combined.last_mut().filter(|run| run.last.checked_add(1) == Some(first) && run.count == count) {
                Some(run) => run.last = last,
                None => combined.push(Lines { first, last, count }),
            }
        }
        from = line;
        let number = open.entry(count).or_default();
        if is_start {
            *number = number.saturating_add(1);
            sum = sum.saturating_add(count.into());
        } else {
            *number = number.saturating_sub(1);
            if *number == 0 {
                open.remove(&count);
            }
            sum = sum.saturating_sub(count.into());
        }
    }
    combined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(first: u32, last: u32, count: u64) -> Lines {
        Lines { first, last, count }
    }

    #[test]
    fn lines_of_several_functions_are_added() {
        let runs = [run(1, 10, 2), run(5, 6, 0), run(6, 12, 3), run(20, 20, 0), run(21, 21, 0)];
        assert_eq!(combine(&runs, How::Sum), [run(1, 5, 2), run(6, 10, 5), run(11, 12, 3), run(20, 21, 0)]);
        assert_eq!(combine(&runs, How::Largest), [run(1, 5, 2), run(6, 12, 3), run(20, 21, 0)]);
        let all = [run(1, u32::MAX, u64::MAX), run(1, 1, 7)];
        assert_eq!(combine(&all, How::Sum), [run(1, u32::MAX, u64::MAX)]);
        assert_eq!(combine(&[], How::Sum), []);
    }
}
