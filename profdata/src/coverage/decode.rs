//! Decodes the mapping of a function.

use super::counter::{Counter, Term};
use super::malformed;
use super::region::{Kind, Position, Region, Regions};
use crate::error::Error;
use crate::leb128;

/// The least bytes of a region.
const REGION: usize = 5;

/// Stands in the end column of gaps.
const GAP: u32 = 1 << 31;

/// Returns the regions of a mapping, whose file list has the paths with these numbers.
pub(super) fn decode(mapping: &[u8], list: &[u32]) -> Result<Regions, Error> {
    let mut cursor = Cursor { start: mapping.len(), rest: mapping };
    let mut paths = Vec::with_capacity(cursor.count("files", 1)?);
    for _ in 0..paths.capacity() {
        let place = cursor.number("file")?;
        paths.push(*list.get(place as usize).ok_or_else(|| cursor.wrong("file"))?);
    }
    let mut expressions = Vec::with_capacity(cursor.count("expressions", 2)?);
    for _ in 0..expressions.capacity() {
        expressions.push([cursor.counter()?, cursor.counter()?]);
    }
    let mut regions = Vec::with_capacity(cursor.rest.len() / REGION);
    for file in 0..paths.len() as u32 {
        let mut line = 0;
        for _ in 0..cursor.count("regions", REGION)? {
            regions.push(cursor.region(file, &mut line)?);
        }
    }
    let sites = vec![None; paths.len()];
    let mut regions = Regions { paths, sites, expressions, regions };
    check_expressions(&regions).map_err(|()| cursor.wrong("expression"))?;
    find_sites(&mut regions).map_err(|()| cursor.wrong("expansion"))?;
    count_expansions(&mut regions);
    Ok(regions)
}

/// Checks that each expression is there, and either a sum or a difference: only what refers to it says which.
fn check_expressions(regions: &Regions) -> Result<(), ()> {
    let mut terms = vec![None; regions.expressions.len()];
    let mut check = |counter: &Counter| {
        if let Term::Subtract(number) | Term::Add(number) = counter.term() {
            let is_sum = matches!(counter.term(), Term::Add(_));
            let term = terms.get_mut(number as usize).ok_or(())?;
            if *term.get_or_insert(is_sum) != is_sum {
                return Err(());
            }
        }
        Ok(())
    };
    regions.expressions.iter().flatten().try_for_each(&mut check)?;
    regions.regions.iter().try_for_each(|region| region.kind.counters().iter().try_for_each(&mut check))
}

/// Finds for each file the outermost expansion that it is in. Checks that the file of an expansion comes after that which it is in.
fn find_sites(regions: &mut Regions) -> Result<(), ()> {
    for (number, region) in (0..).zip(&regions.regions) {
        if let Kind::Expansion { file, .. } = region.kind {
            let around = regions.sites.get(region.file as usize).copied().flatten();
            let site = regions.sites.get_mut(file as usize).filter(|_| file > region.file).ok_or(())?;
            *site = around.or(Some(number));
        }
    }
    Ok(())
}

/// Gives each expansion the counter of the first region in its file: the regions of that are complete when the last one that expands to it is
/// met from behind.
fn count_expansions(regions: &mut Regions) {
    let mut first = vec![Counter::ZERO; regions.paths.len()];
    for region in regions.regions.iter_mut().rev() {
        if let Kind::Expansion { file, counter } = &mut region.kind {
            *counter = first.get(*file as usize).copied().unwrap_or_default();
        }
        let [counter, _] = region.kind.counters();
        first.get_mut(region.file as usize).into_iter().for_each(|first| *first = counter);
    }
}

/// A mapping that is being read.
struct Cursor<'m> {
    start: usize,
    rest: &'m [u8],
}

impl Cursor<'_> {
    /// Returns an error about the part before which the mapping is at.
    #[cold]
    fn wrong(&self, part: &'static str) -> Error {
        malformed(part).at(self.start.saturating_sub(self.rest.len()) as u64)
    }

    #[inline]
    fn number(&mut self, part: &'static str) -> Result<u32, Error> {
        let number = leb128::take(&mut self.rest).and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| self.wrong(part))
    }

    /// Takes a number of things that have so many bytes or more each.
    fn count(&mut self, part: &'static str, bytes: usize) -> Result<usize, Error> {
        let count = self.number(part)? as usize;
        if count.saturating_mul(bytes) > self.rest.len() {
            return Err(self.wrong(part).found(count));
        }
        Ok(count)
    }

    #[inline]
    fn counter(&mut self) -> Result<Counter, Error> {
        Ok(Counter::of(self.number("counter")?))
    }

    fn counters(&mut self) -> Result<[Counter; 2], Error> {
        Ok([self.counter()?, self.counter()?])
    }

    fn kind(&mut self) -> Result<Kind, Error> {
        let header = self.number("region")?;
        if header & 3 != 0 {
            return Ok(Kind::Code(Counter::of(header)));
        }
        if header & 4 != 0 {
            return Ok(Kind::Expansion { file: header >> 3, counter: Counter::ZERO });
        }
        match header >> 3 {
            0 => Ok(Kind::Code(Counter::ZERO)),
            2 => Ok(Kind::Skipped),
            4 => Ok(Kind::Branch(self.counters()?)),
            5 => Ok(Kind::Decision { bitmap: self.number("decision")?, conditions: self.condition()? }),
            6 => {
                let counters = self.counters()?;
                let [id, on_true, on_false] = [self.condition()?, self.condition()?, self.condition()?];
                let id = id.checked_sub(1).ok_or_else(|| self.wrong("condition"))?;
                Ok(Kind::Condition { counters, id, next: [on_true.checked_sub(1), on_false.checked_sub(1)] })
            }
            kind => Err(self.wrong("region").expected("a kind that LLVM 11 to 23 have").found(kind)),
        }
    }

    /// Takes the number of a condition, or how many there are.
    fn condition(&mut self) -> Result<u16, Error> {
        u16::try_from(self.number("condition")?).map_err(|_| self.wrong("condition"))
    }

    /// Takes a region, whose line is counted from that of the one before.
    fn region(&mut self, file: u32, line: &mut u32) -> Result<Region, Error> {
        let mut kind = self.kind()?;
        let [down, mut column, lines, mut last] = {
            let mut next = || self.number("range");
            [next()?, next()?, next()?, next()?]
        };
        let is_gap = last & GAP != 0;
        last &= !GAP;
        if is_gap {
            let Kind::Code(counter) = kind else { return Err(self.wrong("gap")) };
            kind = Kind::Gap(counter);
        }
        // Whole lines.
        if (column, last) == (0, 0) {
            (column, last) = (1, u32::MAX);
        }
        *line = line.checked_add(down).ok_or_else(|| self.wrong("line"))?;
        let end = line.checked_add(lines).ok_or_else(|| self.wrong("line"))?;
        let (start, end) = (Position { line: *line, column }, Position { line: end, column: last });
        if end < start {
            return Err(self.wrong("range").expected("an end that is not before the start"));
        }
        Ok(Region { kind, file, start, end })
    }
}
