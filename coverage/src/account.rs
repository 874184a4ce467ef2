//! Where each record of the profiles and each function of the programs ended: each in one class.

use std::collections::{HashMap, HashSet};

use profdata::coverage::{Counts, Function, Mapping};
use profdata::read::Lookup;
use serde::Serialize;

use crate::load::Loaded;
use crate::text::{display, exact};

/// What became of a record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Function and record belong together.
    Used,
    /// A function that no profile has: it did not run.
    NotRun,
    /// The name is known, and the structural hash is another one.
    Stale,
    /// The same, and the profiles are of programs with other build ids.
    OtherBuild,
    /// The compiler made no code of the function.
    Dummy,
    /// A record that no function of the programs has.
    Unknown,
    /// The mapping contradicts itself, or the record.
    Damaged,
}

const ALL: [Class; 7] =
    [Class::Used, Class::NotRun, Class::Stale, Class::OtherBuild, Class::Dummy, Class::Unknown, Class::Damaged];

impl Class {
    /// Returns the name of the class.
    pub fn name(self) -> &'static str {
        match self {
            Class::Used => "used",
            Class::NotRun => "not run",
            Class::Stale => "stale",
            Class::OtherBuild => "other build",
            Class::Dummy => "dummy",
            Class::Unknown => "unknown",
            Class::Damaged => "damaged",
        }
    }

    /// Returns why a record is of this class, and what to do about it.
    fn explanation(self) -> [&'static str; 2] {
        match self {
            Class::Used | Class::NotRun => ["", ""],
            Class::Stale => ["the function has changed between two builds", "profile the programs that --object names"],
            Class::OtherBuild => [
                "the profiles are of other builds: none has a build id of the programs",
                "give the programs that wrote the profiles to --object",
            ],
            Class::Dummy => ["not compiled (unused inline or generic); counted as not run", "none is needed"],
            Class::Unknown => [
                "no program has the function's mapping",
                "give all programs and libraries to --object, or compile the function's file with -fcoverage-mapping; what is in \
                 system headers (-isystem), or made by their macros, has none without -mllvm -system-headers-coverage",
            ],
            Class::Damaged => {
                ["the mapping contradicts itself, or does not fit the counters", "build the program again"]
            }
        }
    }
}

/// All records by class.
#[derive(Default)]
pub struct Account {
    /// Functions of programs, by name hash and structural hash.
    functions: HashMap<Class, Vec<(u64, u64)>>,
    /// Records of profiles.
    records: HashMap<Class, Vec<(u64, u64)>>,
    /// Build ids of the profiles.
    pub builds: Vec<String>,
    /// Libraries that the programs need, and that are not given.
    libraries: Vec<String>,
}

/// Records of a class that is not counted.
#[derive(Serialize)]
pub struct LeftOut {
    /// The name of the class.
    pub class: &'static str,
    /// Functions of programs, or records of profiles.
    pub what: &'static str,
    /// Why they are not counted.
    pub cause: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
    /// How many there are.
    pub number: usize,
    /// Structural hash and name of each.
    pub names: Vec<(String, String)>,
}

impl LeftOut {
    /// Returns the same with the first names only.
    pub fn shortened(mut self, most: usize) -> LeftOut {
        self.names.truncate(most);
        self
    }
}

/// How many records a class has, for JSON.
#[derive(Serialize)]
pub struct Row {
    class: Class,
    functions: u64,
    records: u64,
}

impl Account {
    /// Sorts everything. `damaged`: functions of that class.
    pub fn of(
        loaded: &Loaded<'_>,
        mapping: &Mapping<'_>,
        counts: &Counts<'_>,
        damaged: &HashSet<(u64, u64)>,
    ) -> Account {
        let stale = if loaded.is_of_other_builds() { Class::OtherBuild } else { Class::Stale };
        let mut account = Account { builds: loaded.builds(), ..Account::default() };
        let mut used = HashSet::with_capacity(loaded.profile.len());
        for function in mapping.functions() {
            let key = (function.name_hash(), function.hash());
            let class = match counts.find(function) {
                _ if damaged.contains(&key) => Class::Damaged,
                _ if function.is_dummy() => Class::Dummy,
                Lookup::Found(_) => Class::Used,
                Lookup::HashMismatch => stale,
                Lookup::Unknown => Class::NotRun,
            };
            if class == Class::Used {
                used.insert(key);
            }
            account.functions.entry(class).or_default().push(key);
        }
        for key in loaded.profile.keys() {
            // One with this hash is of a program whose build id no profile has.
            let is_known = |function: &Function<'_>| !function.is_dummy() && function.hash() != key.1;
            let class = match () {
                () if damaged.contains(&key) => Class::Damaged,
                () if used.contains(&key) => Class::Used,
                () if mapping.functions_named(key.0).any(is_known) => stale,
                () => Class::Unknown,
            };
            account.records.entry(class).or_default().push(key);
        }
        if account.records(Class::Unknown) > 0 {
            account.libraries = loaded.missing_libraries().iter().map(|path| display(path)).collect();
        }
        account
    }

    /// Returns the number of functions of programs.
    pub fn mappings(&self, class: Class) -> u64 {
        self.functions.get(&class).map_or(0, Vec::len) as u64
    }

    /// Returns the number of records of profiles.
    pub fn records(&self, class: Class) -> u64 {
        self.records.get(&class).map_or(0, Vec::len) as u64
    }

    /// Returns the numbers of all classes that have records.
    pub fn rows(&self) -> Vec<Row> {
        let rows = ALL.map(|class| Row { class, functions: self.mappings(class), records: self.records(class) });
        rows.into_iter().filter(|row| row.functions + row.records > 0).collect()
    }

    /// Returns a line about the records not counted, if there are any that should have.
    pub fn line(&self) -> Option<String> {
        let odd = [Class::Stale, Class::OtherBuild, Class::Unknown, Class::Damaged];
        let said = odd.into_iter().filter_map(|class| {
            let (functions, records) = (self.mappings(class), self.records(class));
            (functions + records > 0)
                .then(|| format!("{} {} functions, {} records", class.name(), exact(functions), exact(records)))
        });
        let said: Vec<String> = said.collect();
        let libraries = match self.libraries.as_slice() {
            [] => String::new(),
            missing => format!("; --object lacks {}, which they may be of", missing.join(", ")),
        };
        (!said.is_empty()).then(|| format!("left out: {}{libraries}; --explain lists them", said.join("; ")))
    }

    /// Returns the records not counted, by class, those of programs before those of profiles, by name: `name` returns it for a hash.
    pub fn left_out(&self, name: impl Fn(u64) -> String) -> Vec<LeftOut> {
        let classes = [Class::Stale, Class::OtherBuild, Class::Unknown, Class::Damaged, Class::Dummy];
        let sides = [("functions of programs", &self.functions), ("records of profiles", &self.records)];
        let all = classes.iter().flat_map(|class| sides.map(|(what, all)| (*class, what, all.get(class))));
        let left_out = all.filter_map(|(class, what, keys)| {
            let [cause, remedy] = class.explanation();
            let names = keys?.iter().map(|(hash, structural)| (format!("{structural:#018x}"), name(*hash)));
            let mut names: Vec<_> = names.collect();
            names.sort_by(|(hash, name), (other_hash, other)| (name, hash).cmp(&(other, other_hash)));
            Some(LeftOut { class: class.name(), what, cause, remedy, number: names.len(), names })
        });
        left_out.collect()
    }
}
