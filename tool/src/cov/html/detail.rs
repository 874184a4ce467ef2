//! What one function alone says: the counts of an instantiation, and the test vectors of decisions.

use std::collections::{BTreeMap, HashMap, HashSet};

use profdata::coverage::{Counts, Function, Kind, Mapping, Place, Position, Range, Regions, Rules, Vectors};
use serde::Serialize;

use super::pack::{Instance, Packer, runs};
use profrt_coverage::files::FileReport;
use profrt_coverage::lines::name;

/// The most test vectors that are shown of a decision.
const MOST_VECTORS: usize = 64;

/// A decision (MC/DC).
#[derive(Serialize)]
pub(super) struct Decision {
    range: [u64; 4],
    /// For each condition whether it was shown to decide alone; `None` of a constant.
    shown: Vec<Option<bool>>,
    /// The ranges of the conditions; empty of a decision in a macro, and of a condition that is one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conditions: Vec<Vec<u64>>,
    /// Values of the conditions, and the result: `T`, `F`, and `-` of a condition that was not evaluated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    vectors: Vec<String>,
}

/// The instantiations of functions, by where these end.
pub(super) struct Instances(HashMap<Position, Vec<Instance>>);

/// Returns the functions that have regions in the file with these numbers, each with its number.
fn functions<'m>(mapping: &'m Mapping<'m>, numbers: &[u32]) -> impl Iterator<Item = (u32, &'m Function<'m>)> {
    numbers.iter().flat_map(|number| mapping.functions_in(*number).map(|function| (*number, function)))
}

impl Instances {
    /// Looks at each instantiation of the functions that have several.
    pub(super) fn of(file: &FileReport, numbers: &[u32], packer: &mut Packer<'_>, counts: &Counts<'_>) -> Instances {
        let several = file.functions.iter().filter(|(_, function)| function.instantiations.len() > 1);
        let wanted: HashSet<u64> =
            several.flat_map(|(_, function)| &function.instantiations).map(|(name, _)| *name).collect();
        let mut instances = Instances(HashMap::new());
        let mapping = packer.mapping;
        for (number, function) in
            functions(mapping, numbers).filter(|(_, function)| wanted.contains(&function.name_hash()))
        {
            let Ok(alone) = mapping.alone(function, number, counts) else { continue };
            let Some((_, body)) = alone.functions.first() else { continue };
            let lines = alone.lines.iter().flat_map(|run| (run.first..=run.last).map(|line| (line, run.count)));
            let name = name(mapping, function.name_hash());
            let instance = Instance { name, count: body.count, lines: runs(lines), pieces: packer.pieces_of(&alone) };
            instances.0.entry(body.end).or_default().push(instance);
        }
        instances
    }

    /// Returns the instantiations of a function with this end, if there are several, those that ran most first.
    pub(super) fn take(&mut self, end: Position) -> Vec<Instance> {
        let mut instances = self.0.remove(&end).filter(|instances| instances.len() > 1).unwrap_or_default();
        instances.sort_by(|one, other| (other.count, &one.name).cmp(&(one.count, &other.name)));
        instances
    }
}

/// Returns the decisions of a file.
pub(super) fn decisions(file: &FileReport, numbers: &[u32], packer: &Packer<'_>, counts: &Counts<'_>) -> Vec<Decision> {
    let mut tables: BTreeMap<Place, Table> = BTreeMap::new();
    if !file.decisions.is_empty() {
        for (number, function) in functions(packer.mapping, numbers) {
            let Ok(Some(coverage)) = packer.mapping.function(function, counts, Rules::Own) else { continue };
            let decisions = coverage.regions.decisions();
            let mut seen: HashMap<Range, u32> = HashMap::new();
            for (decision, found) in decisions.iter().zip(&coverage.decisions) {
                if coverage.regions.path(found.region.file) != number {
                    continue;
                }
                let range = (found.region.start, found.region.end);
                let next = seen.entry(range).or_default();
                let place = Place { range, in_macro: None, number: *next };
                *next += 1;
                let table = tables
                    .entry(place)
                    .or_insert_with(|| Table::of(&coverage.regions, &decision.conditions, found.region.file, packer));
                table.add(&found.vectors, &found.conditions);
            }
        }
    }
    let decisions = file.decisions.iter().map(|(place, shown)| {
        let alone = || Table { shown: shown.iter().copied().map(Some).collect(), ..Table::default() };
        let Table { shown, conditions, vectors } = tables.remove(place).unwrap_or_else(alone);
        Decision { range: packer.range(place.range), shown, conditions, vectors }
    });
    decisions.collect()
}

/// What functions say of a decision.
#[derive(Default)]
struct Table {
    shown: Vec<Option<bool>>,
    conditions: Vec<Vec<u64>>,
    vectors: Vec<String>,
}

impl Table {
    /// Returns a table without vectors. `conditions` are numbers of regions.
    fn of(regions: &Regions, conditions: &[usize], file: u32, packer: &Packer<'_>) -> Table {
        let range = |number: &usize| {
            let region = regions
                .iter()
                .nth(*number)
                .filter(|region| region.file == file && matches!(region.kind, Kind::Condition { .. }));
            region.map_or(Vec::new(), |region| packer.range((region.start, region.end)).to_vec())
        };
        Table {
            shown: vec![None; conditions.len()],
            conditions: conditions.iter().map(range).collect(),
            vectors: Vec::new(),
        }
    }

    /// Adds what one function says: its vectors that are not there yet, and which conditions they show to decide alone.
    fn add(&mut self, vectors: &Vectors, shown: &[Option<bool>]) {
        for (sum, shown) in self.shown.iter_mut().zip(shown) {
            *sum = (*sum).max(*shown);
        }
        for (values, result) in vectors.iter() {
            if self.vectors.len() >= MOST_VECTORS {
                break;
            }
            let sign = |value| match value {
                Some(true) => 'T',
                Some(false) => 'F',
                None => '-',
            };
            let vector: String = values.map(sign).chain([sign(Some(result))]).collect();
            if !self.vectors.contains(&vector) {
                self.vectors.push(vector);
            }
        }
    }
}
