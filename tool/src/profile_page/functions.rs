//! The functions of the page: those of the profiles, and those of the programs that no profile has.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use profdata::Profile;
use profdata::sink::{Name, RecordRef};
use serde::Serialize;

use super::excerpts::{Excerpt, Excerpts};
use crate::inputs::printable_bytes;
use crate::places::Places;
use crate::quality::Cover;
use crate::report::hot::{Class, Kinds};
use crate::report::names::name;
use crate::show::sum;

/// Functions, and the sources that they are in.
#[derive(Serialize)]
pub(super) struct Functions {
    paths: Vec<String>,
    functions: Vec<Function>,
}

#[derive(Default, Serialize)]
struct Function {
    name: String,
    symbol: String,
    hash: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    context_sensitive: bool,
    /// The number of the path, and the line.
    place: Option<(usize, u64)>,
    /// Why compilers do not use its counts.
    state: Option<&'static str>,
    /// Of a hot function.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Excerpt>,
    /// What each profile has of it.
    sides: Vec<Option<Counts>>,
}

/// Its name, the hash of that, and its own hash.
type Key<'a> = (Option<&'a [u8]>, u64, u64);

/// The most counters that the page has of a function.
const MOST: usize = 64;

/// The first counter, the largest one, their sum, how hot that is, and all counters, if there are several that counted.
#[derive(Serialize)]
struct Counts(u64, u64, u128, Class, #[serde(skip_serializing_if = "Vec::is_empty")] Vec<u64>);

impl Counts {
    fn of(record: RecordRef<'_>, kinds: &Kinds) -> Counts {
        let counters = if record.is_pseudo() { &[] } else { record.counters };
        let (first, largest) = (counters.first().copied(), counters.iter().copied().max());
        let shown = counters.iter().take(if counters.len() > 1 && largest > Some(0) { MOST } else { 0 });
        Counts(first.unwrap_or(0), largest.unwrap_or(0), sum(record), kinds.class(&record), shown.copied().collect())
    }
}

impl Functions {
    /// Collects the functions. Those of one name and hash are one. `cover` and `excerpts` are of the last profile.
    pub(super) fn of(
        profiles: &[Profile],
        cover: Option<&Cover>,
        places: &Places,
        mut excerpts: Excerpts<'_>,
    ) -> Functions {
        let mut all: BTreeMap<Key<'_>, Vec<Option<RecordRef<'_>>>> = BTreeMap::new();
        for (side, profile) in profiles.iter().enumerate() {
            for record in profile.records() {
                let sides = all
                    .entry((record.name.bytes, record.name.hash, record.hash))
                    .or_insert_with(|| vec![None; profiles.len()]);
                if let Some(place) = sides.get_mut(side) {
                    *place = Some(record);
                }
            }
        }
        let kinds: Vec<Kinds> = profiles.iter().map(Kinds::of).collect();
        let mut sources = Sources { places, paths: IndexSet::new() };
        let mut functions = Vec::new();
        for ((bytes, hash, own_hash), sides) in all {
            let is_last = sides.last().is_some_and(Option::is_some);
            let counts = sides.iter().zip(&kinds).map(|(record, kinds)| record.map(|record| Counts::of(record, kinds)));
            let counts: Vec<_> = counts.collect();
            let is_hot = counts.last().is_some_and(|last| last.as_ref().is_some_and(|counts| counts.3 == Class::Hot));
            let is_context_sensitive = |(record, kinds): (&Option<RecordRef<'_>>, &Kinds)| {
                record.as_ref().is_some_and(|record| kinds.is_context_sensitive(record))
            };
            functions.push(Function {
                hash: Some(format!("{own_hash:#x}")),
                context_sensitive: sides.iter().zip(&kinds).any(is_context_sensitive),
                state: cover.filter(|_| is_last).and_then(|cover| cover.reason(hash, own_hash)),
                source: is_hot.then(|| excerpts.find(hash, own_hash)).flatten(),
                sides: counts,
                ..sources.function(bytes, hash)
            });
        }
        for (hash, bytes) in cover.map_or(&[][..], |cover| &cover.missing) {
            let own = sources.function(bytes.as_deref(), *hash);
            functions.push(Function {
                state: Some("no record"),
                sides: profiles.iter().map(|_| None).collect(),
                ..own
            });
        }
        Functions { paths: sources.paths.into_iter().map(str::to_owned).collect(), functions }
    }
}

/// The sources that functions are in.
struct Sources<'p> {
    places: &'p Places,
    paths: IndexSet<&'p str>,
}

impl Sources<'_> {
    /// Returns what the name of a function says.
    fn function(&mut self, bytes: Option<&[u8]>, hash: u64) -> Function {
        let place = bytes.and_then(|name| self.places.find(name)).map(|(line, _)| {
            let (number, _) = self.paths.insert_full(&line.path);
            (number, line.number)
        });
        Function {
            name: name(Name { bytes, hash }),
            symbol: printable_bytes(bytes.unwrap_or(b"")),
            place,
            ..Function::default()
        }
    }
}
