//! The sources of functions with their counts, where a program has a coverage mapping: the counters of `-fprofile-generate` belong to no lines.

use std::collections::BTreeMap;
use std::time::SystemTime;

use profdata::Profile;
use profdata::coverage::{Counts, Mapping};
use profdata::sink::{Flags, Format};
use profrt_coverage::paths::{is_newer, source};
use serde::Serialize;

use crate::text::printable_bytes;

/// The most lines that the page has of a function.
const MOST: usize = 400;

/// The lines of a function, from its first one with a count on: their texts, and how often each ran if there is code on it.
#[derive(Serialize)]
pub(super) struct Excerpt {
    pub(super) path: String,
    pub(super) first: u32,
    lines: Vec<(String, Option<u64>)>,
}

/// Finds the sources of functions.
pub(super) struct Excerpts<'m> {
    mapping: Option<&'m Mapping<'m>>,
    counts: Counts<'m>,
    linked: Option<SystemTime>,
    /// The sources that were read.
    texts: BTreeMap<String, Option<String>>,
}

impl<'m> Excerpts<'m> {
    /// `mapping`: of the programs that wrote the profile; `linked`: when the last one was. In a newer source lines may be others.
    pub(super) fn of(
        profile: &'m Profile,
        mapping: Option<&'m Mapping<'m>>,
        linked: Option<SystemTime>,
    ) -> Excerpts<'m> {
        let format = profile.headings().first().map_or(Format::Text, |heading| heading.format);
        let mapping = mapping.filter(|_| !profile.flags().has(Flags::IR));
        Excerpts { mapping, counts: Counts::of(profile, format), linked, texts: BTreeMap::new() }
    }

    /// Returns the source of the function that has these hashes of its name and its structure; `None`: it is not there, or newer.
    pub(super) fn find(&mut self, name: u64, hash: u64) -> Option<Excerpt> {
        let mapping = self.mapping?;
        let function = mapping.functions_named(name).find(|function| function.hash() == hash)?;
        let number = mapping.decode(function).ok()?.path(0);
        let runs = mapping.alone(function, number, &self.counts).ok()?.lines;
        let (first, last) = (runs.first()?.first, runs.last()?.last);
        let path = printable_bytes(mapping.path(number));
        let read = || {
            source(&path)
                .filter(|_| !is_newer(&path, self.linked))
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        let text = self.texts.entry(path.clone()).or_insert_with(read).as_ref()?;
        let count = |line| runs.iter().find(|run| (run.first..=run.last).contains(&line)).map(|run| run.count);
        let lines = (first..=last).zip(text.lines().skip(first.saturating_sub(1) as usize)).take(MOST);
        Some(Excerpt { path, first, lines: lines.map(|(line, text)| (text.to_owned(), count(line))).collect() })
    }
}
