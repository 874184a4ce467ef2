//! The index of the functions of any number of object files.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use hashbrown::hash_map::Entry;
use hashbrown::{DefaultHashBuilder, HashMap, HashSet, HashTable};
use object::ReadRef;

use super::counter::Counter;
use super::function::{Builds, Function};
use super::index::Index;
use super::layout::Layout;
use super::lists::Lists;
use super::region::Regions;
use super::rules::Rules;
use super::units::{Stored, take_function, take_unit};
use super::{decode, malformed};
use crate::error::Error;
use crate::read::names::NameTable;
use crate::sections::{self, Sections};

/// The texts of file lists may take so many times the size of the file that they are in.
const TEXT_RATIO: usize = 6;
/// And so many bytes more: in small files lists are most of all.
const TEXT_FIRST: usize = 1 << 20;

/// The most paths of a function, which is decoded for each: compilers have one for the body, and one for each header with a macro that it uses.
const MOST_PATHS: usize = 1000;

/// The coverage mappings of executables, shared objects, relocatable objects and static archives.
///
/// Borrows the bytes of the files. Keeps each distinct record once: two are the same if name hash, structural hash, paths and regions are.
/// A dummy loses against a function of the same name at the same place, or another such dummy (see [`Mapping::by`]). Names are unpacked when the first is asked for.
#[derive(Debug, Default)]
pub struct Mapping<'a> {
    pub(super) lists: Lists<'a>,
    functions: Vec<Function<'a>>,
    /// The number of functions after each object.
    objects: Vec<u32>,
    /// The build id of what is added next.
    build: Option<&'a [u8]>,
    /// Functions that later objects have, too: their numbers, and the build ids of the objects.
    also: Vec<(u32, Option<&'a [u8]>)>,
    /// The numbers of functions, with the hashes of all they have.
    places: HashTable<(u32, u64)>,
    hasher: DefaultHashBuilder,
    names: Vec<&'a [u8]>,
    rules: Rules,
    table: OnceLock<NameTable>,
    index: OnceLock<Index>,
    sources: Option<&'a dyn Sources>,
}

/// Where sources are read from.
pub trait Sources: fmt::Debug + Sync {
    /// Returns the source with a [`path`](Mapping::path); `None`: it cannot be read.
    fn read(&self, path: &[u8]) -> Option<Vec<u8>>;
}

/// What [`Mapping::add`] has found in a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Added {
    /// Records of functions, those below too. 0: nothing in the file was compiled for coverage.
    pub functions: u64,
    /// Those that the mapping had already, from this file or another.
    pub known: u64,
    /// Those that are left out: the record is cut, or there is no file list for it.
    pub damaged: u64,
    /// The first error: of a translation unit whose version is unknown or whose file list is damaged, or of a record.
    pub error: Option<Error>,
}

impl<'a> Mapping<'a> {
    /// Returns an index of no files.
    pub fn new() -> Mapping<'a> {
        Mapping::default()
    }

    /// Returns an index of no files, for [`Mapping::listed`] by these rules: for `llvm-cov` a dummy loses against functions of its own object
    /// only, wherever they are, and functions of later objects are hidden by it.
    pub fn by(rules: Rules) -> Mapping<'a> {
        Mapping { rules, ..Mapping::default() }
    }

    /// Lets lines have counts only where the sources have code, from the next count of lines on. Without, or without one of them, blank lines,
    /// comments and what only began on a line before have counts, too.
    pub fn set_sources(&mut self, sources: &'a dyn Sources) {
        self.sources = Some(sources);
    }

    /// Says which build id the files have that are added next.
    pub fn set_build(&mut self, id: Option<&'a [u8]>) {
        self.build = id;
    }

    /// Adds an object file, a static archive, or a universal file with all its slices. What cannot be read of a sound object is in [`Added`].
    ///
    /// Errors: the bytes are none of these; one of them, or a file in it, is damaged: the files before that one have been added.
    pub fn add(&mut self, bytes: &'a [u8]) -> Result<Added, Error> {
        self.add_file(bytes)
    }

    /// Adds the same from a file of which only what is needed is read: [`object::ReadCache`].
    ///
    /// Errors: as above, and those of reading.
    pub fn add_file(&mut self, file: impl ReadRef<'a>) -> Result<Added, Error> {
        let mut added = Added::default();
        let size = file.len().ok().and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
        let mut budget = size.saturating_mul(TEXT_RATIO).saturating_add(TEXT_FIRST);
        (self.table, self.index) = (OnceLock::new(), OnceLock::new());
        sections::for_each(file, |sections| self.add_object(&sections, &mut budget, &mut added))?;
        Ok(added)
    }

    fn add_object(&mut self, sections: &Sections<'a>, budget: &mut usize, added: &mut Added) {
        let lists = self.add_units(sections, budget, added);
        for section in &sections.functions {
            let mut rest = *section;
            while let Some(stored) = take_function(section, &mut rest, sections.order) {
                added.functions = added.functions.saturating_add(1);
                let is_new = stored.and_then(|stored| match lists.get(&stored.list) {
                    Some(Some(list)) => self.add_function(stored, *list),
                    Some(None) => Err(malformed("file list").expected("one list of each reference, undamaged")),
                    None => Err(malformed("file list").expected("the list that a function refers to").found("none")),
                });
                match is_new {
                    Ok(true) => {}
                    Ok(false) => added.known = added.known.saturating_add(1),
                    Err(error) => {
                        added.damaged = added.damaged.saturating_add(1);
                        added.error.get_or_insert(error);
                    }
                }
            }
        }
        self.objects.push(self.functions.len() as u32);
        if sections.is_stripped {
            let error = malformed("names").expected("the custom section `name`, of which a part names data segments");
            added.error.get_or_insert(error.found("a stripped module"));
        }
        let names = if sections.names.is_empty() { &sections.unloaded_names } else { &sections.names };
        self.names.extend(names);
    }

    /// Reads the file lists of an object. Returns their numbers by their references; `None` for two lists of one reference, and for a
    /// damaged one.
    fn add_units(
        &mut self,
        sections: &Sections<'a>,
        budget: &mut usize,
        added: &mut Added,
    ) -> HashMap<u64, Option<u32>> {
        let mut lists = HashMap::new();
        for section in &sections.units {
            let mut rest = *section;
            while let Some(unit) = take_unit(section, &mut rest, sections.order) {
                let reference = unit.as_ref().ok().map(|unit| crate::name::name_hash(unit.list));
                let list = unit.and_then(|unit| self.lists.add(unit, self.rules, budget));
                let list = list.map_err(|error| added.error.get_or_insert(error)).ok();
                let Some(reference) = reference else { continue };
                match lists.entry(reference) {
                    Entry::Vacant(entry) => _ = entry.insert(list),
                    Entry::Occupied(mut entry) if *entry.get() != list => _ = entry.insert(None),
                    Entry::Occupied(_) => {}
                }
            }
        }
        lists
    }

    /// Adds a function. Returns whether it is new. Errors: there are 2^32; it has too many paths.
    fn add_function(&mut self, stored: Stored<'a>, list: u32) -> Result<bool, Error> {
        let Stored { name_hash, hash, mapping, .. } = stored;
        let mut function = Function { name_hash, hash, mapping, list, build: self.build, is_dummy: false };
        let has_counters = |regions: Regions| regions.iter().any(|region| region.kind.counters() != [Counter::ZERO; 2]);
        function.is_dummy = hash == 0 && self.decode(&function).is_ok_and(|regions| !has_counters(regions));
        // Few have as many expansions.
        if function.files().nth(MOST_PATHS).is_some()
            && function.paths(&self.lists).collect::<HashSet<_>>().len() > MOST_PATHS
        {
            return Err(malformed("files").expected(format_args!("at most {MOST_PATHS} paths of a function")));
        }
        let Mapping { functions, places, hasher, lists, objects, also, .. } = self;
        let new = u32::try_from(functions.len()).map_err(|_| malformed("__llvm_covfun").found("2^32 functions"))?;
        let hash = function.hash_of(lists, hasher);
        let is_same = |number: u32| functions.get(number as usize).is_some_and(|other| other.is_same(&function, lists));
        let same = |(number, other): &(u32, u64)| *other == hash && is_same(*number);
        let (place, _) = *places.entry(hash, same, |(_, hash)| *hash).or_insert((new, hash)).get();
        if place == new {
            functions.push(function);
        } else if objects.last().is_some_and(|end| place < *end) {
            also.push((place, function.build));
        }
        Ok(place == new)
    }

    pub(super) fn index(&self) -> &Index {
        let place = |function: &Function<'_>| self.decode(function).ok()?.place_of_body();
        self.index.get_or_init(|| Index::new(&self.functions, &self.objects, &self.lists, self.rules, place))
    }

    fn numbered<'m>(&'m self, numbers: &'m [u32]) -> impl Iterator<Item = &'m Function<'a>> {
        numbers.iter().filter_map(|number| self.functions.get(*number as usize))
    }

    /// Returns all functions, in the order in which they, or their dummies in the same object, were added, without the dummies that lose.
    pub fn functions(&self) -> impl Iterator<Item = &Function<'a>> {
        self.numbered(&self.index().kept)
    }

    /// Returns the functions whose names have a hash: several if object files of different builds were added. To look up records of a
    /// profile: there is one of the same structural hash, or others (the object is of another build), or none (of another program).
    pub fn functions_named(&self, name_hash: u64) -> impl Iterator<Item = &Function<'a>> {
        self.numbered(self.index().named(&self.functions, name_hash))
    }

    /// Returns the functions that have the name hash and the structural hash of another one, with the build ids of the objects that have them.
    pub(super) fn of_several_images(&self) -> BTreeMap<u32, (&Function<'a>, Builds<'a>)> {
        let function = |number: &u32| self.functions.get(*number as usize).filter(|function| !function.is_dummy());
        let mut several = BTreeMap::new();
        for same in self.index().by_name.chunk_by(|one, other| {
            let name = |number| function(number).map(Function::name_hash);
            name(one) == name(other)
        }) {
            let is_twice = |one: &Function<'_>| {
                same.iter().filter_map(function).filter(|other| other.key() == one.key()).count() > 1
            };
            for (number, function) in same.iter().filter_map(|number| Some((*number, function(number)?))) {
                if same.len() > 1 && is_twice(function) {
                    several.insert(number, (function, Builds::from([function.build])));
                }
            }
        }
        for (number, build) in &self.also {
            several.get_mut(number).into_iter().for_each(|(_, builds)| _ = builds.insert(*build));
        }
        several
    }

    /// Returns the functions that have regions in the file with this number, in the order in which they were added.
    pub fn functions_in(&self, path: u32) -> impl Iterator<Item = &Function<'a>> {
        self.numbered(self.index().in_file(path))
    }

    /// Returns where code stands in the source with this number; `None`: it is not read.
    pub(super) fn layout(&self, path: u32) -> Option<&Layout> {
        let look = || {
            let name = self.path(path);
            Some(Layout::of(&self.sources?.read(name)?, name))
        };
        self.index().layout(path)?.get_or_init(look).as_ref()
    }

    /// Returns the number of paths, which are numbered from 0 in the order in which they came.
    pub fn paths(&self) -> u32 {
        self.lists.paths.len() as u32
    }

    /// Returns the path with a number: absolute, or as the compiler got it. Names in file lists are joined to the compilation directory
    /// (since format 6) and then have no `.` and `..`. Empty if there are not so many.
    pub fn path(&self, number: u32) -> &[u8] {
        self.lists.paths.get(number)
    }

    /// Returns the PGO name with a hash. The first call unpacks the names of all files; damaged ones are missing.
    pub fn name(&self, name_hash: u64) -> Option<&[u8]> {
        let table = self.table.get_or_init(|| NameTable::salvage_all(self.names.iter().copied()).0);
        table.get(name_hash)?.bytes
    }

    /// Reads the regions of a function of this mapping.
    ///
    /// Errors: its mapping is damaged: it ends too early, has an unknown kind of region, or refers to what it does not have.
    pub fn decode(&self, function: &Function<'_>) -> Result<Regions, Error> {
        decode::decode(function.mapping, self.lists.get(function.list))
    }
}
