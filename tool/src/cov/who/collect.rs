//! From profiles to the tests of each line.
//!
//! Lines that the same tests have run are a class, which has one set. A test splits the classes of which it has run a part. So memory is that of
//! the sets that differ, whatever the number of profiles, of which one at a time is read.

use std::collections::{BTreeMap, HashMap};

use indexmap::IndexSet;
use profdata::Profile;
use profdata::coverage::{Counts, Function, Mapping};
use profdata::sink::{Flags, Format};

use super::index::{FileTests, Index};
use super::set::TestSet;
use profrt_coverage::files::LAST_LINE;
use profrt_coverage::lines::name_of_all;
use profrt_coverage::paths::Source;

/// The class of lines without code.
const NO_CODE: u32 = u32::MAX;

/// Which lines profiles have run.
pub(in crate::cov) struct Lines<'m> {
    mapping: &'m Mapping<'m>,
    /// The place among the sources of each path of the mapping.
    places: HashMap<u32, usize>,
}

/// Lines that ran: the place of their source, the first and the last one.
pub(in crate::cov) type Run = (usize, u32, u32);

/// The lines that a profile has run, sorted, and some of them more than once.
pub(in crate::cov) struct Ran(Vec<Run>);

impl Ran {
    pub(in crate::cov) fn of(mut ran: Vec<Run>) -> Ran {
        ran.sort_unstable();
        Ran(ran)
    }

    /// Returns each line once.
    pub(in crate::cov) fn once(self) -> Vec<Run> {
        let mut once: Vec<Run> = Vec::new();
        for (place, first, last) in self.0 {
            match once.last_mut().filter(|before| before.0 == place && first <= before.2.saturating_add(1)) {
                Some(before) => before.2 = before.2.max(last),
                None => once.push((place, first, last)),
            }
        }
        once
    }
}

/// What the tests so far have run.
pub(super) struct Collected {
    files: Vec<File>,
    /// How many profiles there were.
    pub(super) profiles: u64,
    /// Records of functions that no program has, or that do not fit.
    pub(super) left_out: u64,
    /// What is lost of profiles, by their numbers.
    pub(super) damage: BTreeMap<u32, Vec<String>>,
}

struct File {
    path: String,
    functions: Vec<(u32, u32)>,
    names: Vec<String>,
    /// The class of each line, from 0.
    lines: Vec<u32>,
    classes: Vec<Class>,
}

/// Lines that the same tests have run.
#[derive(Default)]
struct Class {
    set: TestSet,
    lines: usize,
}

impl<'m> Lines<'m> {
    pub(in crate::cov) fn new(mapping: &'m Mapping<'m>, sources: &[Source]) -> Lines<'m> {
        let paths = |(place, source): (usize, &Source)| {
            source.numbers.iter().map(move |path| (*path, place)).collect::<Vec<_>>()
        };
        Lines { mapping, places: (0..).zip(sources).flat_map(paths).collect() }
    }

    /// Returns the lines that ran of a function with these counters; `None` if they do not fit.
    pub(in crate::cov) fn of(
        &self,
        function: &Function<'_>,
        counters: &[u64],
        flags: Flags,
        has_ended: bool,
    ) -> Option<Vec<Run>> {
        let ran = self
            .mapping
            .lines_of(function, counters, flags, has_ended)
            .ok()?
            .into_iter()
            .filter(|(_, run)| run.count > 0);
        Some(ran.filter_map(|(path, run)| Some((*self.places.get(&path)?, run.first, run.last))).collect())
    }

    /// Returns the lines that a profile has run, and the number of records that are left out.
    pub(in crate::cov) fn ran(&self, profile: &Profile) -> (Ran, u64) {
        let (mut ran, mut left_out) = (Vec::new(), 0);
        for record in profile.records().filter(|record| record.counters.iter().any(|count| *count > 0)) {
            let of_name = self.mapping.functions_named(record.name.hash);
            let mut fitting =
                of_name.filter(|function| function.hash() == record.hash && !function.is_dummy()).peekable();
            let mut is_out = fitting.peek().is_none();
            for function in fitting {
                match self.of(function, record.counters, profile.flags(), true) {
                    Some(lines) => ran.extend(lines),
                    None => is_out = true,
                }
            }
            left_out += u64::from(is_out);
        }
        (Ran::of(ran), left_out)
    }
}

impl Collected {
    /// Returns the lines of sources, which no test has run.
    pub(super) fn new(mapping: &Mapping<'_>, sources: &[Source]) -> Collected {
        let nothing = Profile::new();
        let counts = Counts::of(&nothing, Format::Text);
        let file = |source: &Source| {
            // Damaged functions are in no report, and their records do not fit.
            let united = mapping.united(&source.numbers, &counts, |_, _| {});
            let functions = united.functions.iter().map(|(start, function)| (start.line, function.end.line)).collect();
            let names = united.functions.iter().map(|(_, function)| name_of_all(mapping, function)).collect();
            let (path, lines, classes) = (source.path.clone(), Vec::new(), vec![Class::default()]);
            let mut file = File { path, functions, names, lines, classes };
            united.lines.iter().for_each(|run| file.lines(run.first, run.last).for_each(|line| file.know(line)));
            file
        };
        let files = sources.iter().map(file).collect();
        Collected { files, profiles: 0, left_out: 0, damage: BTreeMap::new() }
    }

    /// Adds a profile of a test, which may have several.
    pub(super) fn add(&mut self, test: u32, (Ran(ran), left_out): (Ran, u64)) {
        for in_file in ran.chunk_by(|(one, ..), (other, ..)| one == other) {
            if let Some(file) = in_file.first().and_then(|(place, ..)| self.files.get_mut(*place)) {
                file.add(test, in_file);
            }
        }
        self.profiles += 1;
        self.left_out += left_out;
    }

    /// Returns what was collected of tests with these names.
    pub(super) fn finish(self, tests: Vec<String>) -> Index {
        let mut sets = IndexSet::new();
        let mut index = Index { tests, files: Vec::new(), sets: Vec::new() };
        for file in self.files {
            let mut lines: Vec<(u32, u32, u32)> = Vec::new();
            for (line, class) in (0..).zip(&file.lines) {
                let Some(class) = file.classes.get(*class as usize) else { continue };
                let set = sets.insert_full(class.set.clone()).0 as u32;
                match lines.last_mut().filter(|(_, last, of)| (*last + 1, *of) == (line, set)) {
                    Some((_, last, _)) => *last = line,
                    None => lines.push((line, line, set)),
                }
            }
            index.files.push((file.path, FileTests { functions: file.functions, names: file.names, lines }));
        }
        index.sets = sets.into_iter().collect();
        index
    }
}

impl File {
    /// Returns the lines of a run that a source can have.
    fn lines(&self, first: u32, last: u32) -> impl Iterator<Item = u32> + use<> {
        first..=last.min(LAST_LINE)
    }

    /// Takes a line for one with code.
    fn know(&mut self, line: u32) {
        let place = line as usize;
        if self.lines.len() <= place {
            self.lines.resize(place + 1, NO_CODE);
        }
        if let (Some(class), Some(none)) = (self.lines.get_mut(place), self.classes.first_mut())
            && *class == NO_CODE
        {
            *class = 0;
            none.lines += 1;
        }
    }

    /// Adds the lines that a test has run: sorted, and some of them more than once.
    fn add(&mut self, test: u32, ran: &[Run]) {
        // The lines of each class that are new.
        let mut new: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut next = 0;
        for (_, first, last) in ran {
            for line in self.lines((*first).max(next), *last) {
                self.know(line);
                let Some(class) = self.lines.get(line as usize) else { continue };
                if self.classes.get(*class as usize).is_some_and(|class| !class.set.has(test)) {
                    new.entry(*class).or_default().push(line);
                }
            }
            next = next.max(last.saturating_add(1));
        }
        for (number, lines) in new {
            let own = self.classes.len() as u32;
            let Some(class) = self.classes.get_mut(number as usize) else { continue };
            if lines.len() == class.lines {
                class.set.insert(test);
                continue;
            }
            class.lines -= lines.len();
            let mut set = class.set.clone();
            set.insert(test);
            self.classes.push(Class { set, lines: lines.len() });
            for line in lines {
                self.lines.get_mut(line as usize).into_iter().for_each(|class| *class = own);
            }
        }
    }
}
