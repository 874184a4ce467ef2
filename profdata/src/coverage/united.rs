//! What ran of a file, in any instantiation of any build.
//!
//! `llvm-cov` draws all functions of a file over each other, so that code that ran in one instantiation can be hidden by what did not run in
//! another. Here each function is looked at alone, and what it says of a line, a region or a branch is added to what others say of it.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::counted::counted;
use super::counter::Counter;
use super::counts::Counts;
use super::function::Function;
use super::mapping::Mapping;
use super::region::{Kind, Position, Range, Region, Regions};
use super::rules::Rules;
use super::runs::{Lines, push};
use crate::error::Error;
use crate::flags::Flags;

/// What ran of a file.
///
/// Counts are sums over all functions that have the region or branch; of byte coverage 0 or 1. A line has the largest of the sums over the
/// instantiations of each function that has it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct United {
    /// The lines with code, in rising order.
    pub lines: Vec<Lines>,
    /// The regions of code, with their counts, in rising order.
    pub regions: Vec<(Range, u64)>,
    /// The branches, in rising order, and how often each was true, and false; `None`: it never can be.
    pub branches: Vec<(Place, [Option<u64>; 2])>,
    /// The decisions, in rising order, with whether each of their conditions was shown to decide alone (MC/DC).
    pub decisions: Vec<(Place, Vec<bool>)>,
    /// The functions whose bodies are in the file, by where they start. Those that end at one place are one function: where the first region of a
    /// constructor starts depends on the types of what it initializes, and on the compiler.
    pub functions: Vec<(Position, UnitedFunction)>,
}

/// Where a branch or a decision is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Place {
    /// In the file. Of what is in a macro, where the function has the macro.
    pub range: Range,
    /// In the macro: the number of the path of its file, and the range there.
    pub in_macro: Option<(u32, Range)>,
    /// Which it is of those of one function there, from 0, in the order of the mapping: what a macro has several times in another, or several
    /// conditions in one argument of a macro.
    pub number: u32,
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
        let body = |(path, _, regions): &(u32, _, Result<Regions, Error>)| regions.as_ref().ok()?.body(*path);
        let mut functions = Vec::new();
        for path in paths {
            let before = functions.len();
            functions.extend(self.functions_in(*path).map(|function| (*path, function, self.decode(function))));
            self.bodies_of(*path, || functions.iter().skip(before).filter_map(body).collect());
        }
        // Together what has one key, else in the order of the source: what comes of it is almost sorted.
        let mut order = HashMap::with_capacity(functions.len());
        functions.sort_by_cached_key(|(_, function, _)| {
            let next = order.len();
            *order.entry(function.key()).or_insert(next)
        });
        let (mut united, mut lines) = (United::default(), Vec::new());
        // Those that share a record count once.
        let is_same = |one: &Function<'_>, other: &Function<'_>| {
            one.key() == other.key() && !counts.is_own(one) && !counts.is_own(other)
        };
        for same in functions.chunk_by_mut(|(_, one, _), (_, other, _)| is_same(one, other)) {
            let (is_alone, known) = (same.len() == 1, united.functions.len());
            let mut largest = United::default();
            for (path, function, regions) in same {
                let (mut own, regions) = (United::default(), || std::mem::replace(regions, Ok(Regions::default())));
                let to = if is_alone { &mut united } else { &mut own };
                if let Err(error) = self.append(function, *path, counts, regions, to) {
                    damaged(function, error);
                }
                own.fold(&|sum, count| add(sum, count, is_byte));
                largest.append(own);
            }
            // Builds with other bodies but the same hash have one record: it counts once.
            largest.lines = combine(largest.lines, How::Largest);
            largest.fold(&|sum, count| *sum = (*sum).max(count));
            united.append(largest);
            let end = united.functions.get(known..).and_then(|new| new.first()).map(|(_, function)| function.end);
            lines.extend(united.lines.drain(..).map(|run| (end, run)));
        }
        // The instantiations of a function add up. A closure, or another function that has a line with it, does not.
        lines.sort_by_key(|(end, run)| (*end, run.first));
        for same in lines.chunk_by(|(end, _), (other, _)| end == other) {
            let runs = same.iter().map(|(_, run)| *run).collect();
            united.lines.append(&mut combine(runs, if is_byte { How::Largest } else { How::Sum }));
        }
        united.lines = combine(united.lines, How::Largest);
        united.fold(&|sum, count| add(sum, count, is_byte));
        united
    }

    /// Returns what ran of a file, which has this number, in one function alone: one instantiation of one build. Nothing if the profile has the
    /// function with another structural hash only.
    ///
    /// Errors: the mapping is damaged, or the record does not fit it.
    pub fn alone(&self, function: &Function<'_>, path: u32, counts: &Counts<'_>) -> Result<United, Error> {
        let mut own = United::default();
        self.append(function, path, counts, || self.decode(function), &mut own)?;
        own.fold(&|sum, count| add(sum, count, counts.flags().has(Flags::BYTE_COVERAGE)));
        Ok(own)
    }

    /// Appends this function's lines to those of others. Regions that it has several times are a macro's, and still to be added.
    fn append(
        &self,
        function: &Function<'_>,
        path: u32,
        counts: &Counts<'_>,
        regions: impl FnOnce() -> Result<Regions, Error>,
        to: &mut United,
    ) -> Result<(), Error> {
        let Some(counted) = counted(function, counts, Rules::Own, regions)? else { return Ok(()) };
        let regions = &counted.regions;
        let (decisions, body) = (counted.decisions()?, regions.body(path));
        let (branches_before, decisions_before) = (to.branches.len(), to.decisions.len());
        to.lines.append(&mut self.lines_in(&counted, path, body));
        for (region, [count, other]) in counted.iter() {
            match region.kind {
                Kind::Code(_) if regions.path(region.file) == path => {
                    to.regions.push(((region.start, region.end), count));
                }
                Kind::Branch(counters) | Kind::Condition { counters, .. } => {
                    let Some(place) = regions.place(region, path) else { continue };
                    let side = |counter, count| (counter != Counter::ZERO).then_some(count);
                    let [on_true, on_false] = counters;
                    to.branches.push((place, [side(on_true, count), side(on_false, other)]));
                }
                _ => {}
            }
        }
        for decision in decisions {
            if let Some(place) = regions.place(&decision.region, path) {
                to.decisions.push((place, decision.conditions.into_iter().flatten().collect()));
            }
        }
        number(to.branches.get_mut(branches_before..));
        number(to.decisions.get_mut(decisions_before..));
        if let Some((start, end)) = body {
            let file = regions.main_file(path);
            let count = counted.iter().find(|(region, _)| Some(region.file) == file).map_or(0, |(_, [count, _])| count);
            let instantiations = vec![(function.name_hash(), count)];
            to.functions.push((start, UnitedFunction { end, count, instantiations }));
        }
        Ok(())
    }
}

impl Regions {
    /// Returns the place of a branch or decision, if that is in the file with a number.
    fn place(&self, region: &Region, path: u32) -> Option<Place> {
        let own = (region.start, region.end);
        let site = self.sites.get(region.file as usize).copied().flatten();
        let (file, range, in_macro) = match site.and_then(|number| self.regions.get(number as usize)) {
            None => (region.file, own, None),
            Some(site) => (site.file, (site.start, site.end), Some((self.path(region.file), own))),
        };
        (self.path(file) == path).then_some(Place { range, in_macro, number: 0 })
    }
}

impl United {
    /// Puts another one behind this one.
    fn append(&mut self, other: United) {
        self.lines.extend(other.lines);
        self.regions.extend(other.regions);
        self.branches.extend(other.branches);
        self.decisions.extend(other.decisions);
        self.functions.extend(other.functions);
    }

    /// Sorts everything but lines, and makes one of what is at one place: `each` does it for a count.
    fn fold(&mut self, each: &impl Fn(&mut u64, u64)) {
        fold(&mut self.regions, |sum, count| each(sum, *count));
        let sides = |sums: &mut [Option<u64>; 2], counts: &mut [Option<u64>; 2]| {
            for (sum, count) in sums.iter_mut().zip(counts) {
                if let Some(count) = count {
                    each(sum.get_or_insert_default(), *count);
                }
            }
        };
        fold(&mut self.branches, sides);
        fold(&mut self.decisions, unite_conditions);
        let first = |function: &UnitedFunction| function.instantiations.first().map(|(name, _)| *name);
        self.functions.sort_by_key(|(start, function)| (function.end, first(function), *start));
        self.functions.dedup_by(|(start, function), (first_start, united)| {
            let is_same = function.end == united.end;
            if is_same {
                *first_start = (*first_start).min(*start);
                each(&mut united.count, function.count);
                for (name, count) in function.instantiations.drain(..) {
                    // Builds with another body have the same name, and come one after the other.
                    match united.instantiations.last_mut().filter(|(last, _)| *last == name) {
                        Some((_, sum)) => each(sum, count),
                        None => united.instantiations.push((name, count)),
                    }
                }
            }
            is_same
        });
        self.functions.sort_by_key(|(start, _)| *start);
    }
}

/// Numbers what a function has at one place.
fn number<V>(all: Option<&mut [(Place, V)]>) {
    let all = all.unwrap_or_default();
    // Most have one at each place, in order.
    if all.is_sorted_by(|(one, _), (other, _)| one < other) {
        return;
    }
    all.sort_by_key(|(place, _)| *place);
    for same in all.chunk_by_mut(|(one, _), (other, _)| one == other) {
        (0..).zip(same).for_each(|(number, (place, _))| place.number = number);
    }
}

/// Sorts values by their keys, and makes one of those with one key.
fn fold<K: Ord, V>(all: &mut Vec<(K, V)>, unite: impl Fn(&mut V, &mut V)) {
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    all.dedup_by(|(key, value), (kept, sum)| {
        let is_same = key == kept;
        if is_same {
            unite(sum, value);
        }
        is_same
    });
}

fn add(sum: &mut u64, count: u64, is_byte: bool) {
    *sum = if is_byte { *sum | count } else { sum.saturating_add(count) };
}

fn unite_conditions(sum: &mut Vec<bool>, covered: &mut Vec<bool>) {
    if sum.len() < covered.len() {
        sum.resize(covered.len(), false);
    }
    sum.iter_mut().zip(covered).for_each(|(sum, covered)| *sum |= *covered);
}

/// What becomes of the counts of a line.
#[derive(Clone, Copy, PartialEq)]
enum How {
    Sum,
    Largest,
}

/// Makes one run of lines of those that meet.
fn combine(mut runs: Vec<Lines>, how: How) -> Vec<Lines> {
    runs.sort_unstable_by_key(|run| run.first);
    let mut combined = Vec::new();
    let mut rest = runs.as_slice();
    while let Some(run) = rest.first() {
        let mut last = run.last;
        let meets = |run: &&Lines| {
            let meets = run.first <= last;
            last = last.max(run.last);
            meets
        };
        let (same, others) = rest.split_at(rest.iter().take_while(meets).count());
        match same {
            // Most lines are of one function.
            [alone] => push(&mut combined, *alone),
            _ => add_up(same, how, &mut combined),
        }
        rest = others;
    }
    combined
}

/// Adds runs of lines that meet to those before them.
fn add_up(runs: &[Lines], how: How, combined: &mut Vec<Lines>) {
    // Where runs begin, and the lines after their ends.
    let starts = runs.iter().map(|run| (u64::from(run.first), true, run.count));
    let ends = runs.iter().map(|run| (u64::from(run.last).saturating_add(1), false, run.count));
    let mut edges: Vec<(u64, bool, u64)> = starts.chain(ends).collect();
    edges.sort_unstable();
    // The counts of open runs, how many there are of each, and their sum.
    let (mut open, mut sum, mut from): (BTreeMap<u64, u64>, u128, u64) = (BTreeMap::new(), 0, 0);
    for (line, is_start, count) in edges {
        if let Some((largest, _)) = open.last_key_value()
            && from < line
        {
            let count = if how == How::Sum { u64::try_from(sum).unwrap_or(u64::MAX) } else { *largest };
            let [first, last] = [from, line.saturating_sub(1)].map(|line| u32::try_from(line).unwrap_or(u32::MAX));
            push(combined, Lines { first, last, count });
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
        assert_eq!(combine(runs.to_vec(), How::Sum), [run(1, 5, 2), run(6, 10, 5), run(11, 12, 3), run(20, 21, 0)]);
        assert_eq!(combine(runs.to_vec(), How::Largest), [run(1, 5, 2), run(6, 12, 3), run(20, 21, 0)]);
        let all = [run(1, u32::MAX, u64::MAX), run(1, 1, 7)];
        assert_eq!(combine(all.to_vec(), How::Sum), [run(1, u32::MAX, u64::MAX)]);
        assert_eq!(combine(Vec::new(), How::Sum), []);
    }
}
