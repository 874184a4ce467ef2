//! Correlation with object files.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use object::{File, Object, ObjectSection};

use super::debug_info::{self, counters_address, unable};
use super::{Correlated, Correlation};
use crate::error::Error;
use crate::flags::Flags;
use crate::name::Name;
use crate::read::names::NameTable;
use crate::read::raw::RawFile;
use crate::sections;

/// Object files: programs, shared objects, or files with their debug info. A profile belongs to the file with its build id; if it has none
/// and only one file was added, to that. Names of functions that a damaged profile lacks come from any of them.
#[derive(Debug, Default)]
pub struct ObjectFiles {
    files: Vec<ObjectFile>,
    any: bool,
}

#[derive(Debug)]
struct ObjectFile {
    bytes: Vec<u8>,
    build_id: Vec<u8>,
    /// Names that are loaded with the program. Most profiles have them, too: they are read when one has not.
    names: OnceLock<NameTable>,
    /// What was found, for each version number and flags of a profile.
    found: Mutex<Vec<(FoundKey, Arc<Correlated>)>>,
}

type FoundKey = (u64, bool);

impl ObjectFiles {
    /// Returns no files.
    pub fn new() -> ObjectFiles {
        ObjectFiles::default()
    }

    /// Returns no files, of which the first that is added belongs to every profile whatever its build id, as for `llvm-profdata`.
    pub fn any() -> ObjectFiles {
        ObjectFiles { any: true, ..ObjectFiles::default() }
    }

    /// Returns the records and names that the debug info of each file has. Functions that are inlined everywhere have no address.
    ///
    /// Errors: [`ErrorKind::UnableToCorrelate`] for a file without any.
    pub fn debug_info(&self) -> Result<Vec<Correlated>, Error> {
        self.files.iter().map(|file| debug_info::read(&parse(&file.bytes)?)).collect()
    }

    /// Checks that the files have records in sections that are not loaded (`-profile-correlate=binary`).
    ///
    /// Errors: [`ErrorKind::UnableToCorrelate`].
    pub fn check_sections(&self) -> Result<(), Error> {
        for file in &self.files {
            parse(&file.bytes)?.section_by_name("__llvm_covdata").ok_or_else(|| unable("__llvm_covdata"))?;
        }
        Ok(())
    }

    /// Adds a file. Errors: it is no object file, no archive and no universal file.
    pub fn add(&mut self, bytes: Vec<u8>) -> Result<(), Error> {
        sections::for_each(&*bytes, drop)?;
        let file = File::parse(&*bytes).ok();
        let build_id = file.and_then(|file| file.build_id().ok().flatten().map(<[u8]>::to_vec)).unwrap_or_default();
        self.files.push(ObjectFile { bytes, build_id, names: OnceLock::new(), found: Mutex::default() });
        Ok(())
    }
}

impl Correlation for ObjectFiles {
    fn find(&self, profile: &RawFile<'_>) -> Result<Arc<Correlated>, Error> {
        let (ids, _) = profile.binary_ids();
        let file = match (ids.is_empty(), self.files.as_slice()) {
            (_, [first, ..]) if self.any => Some(first),
            (true, [only]) => Some(only),
            _ => self.files.iter().find(|file| ids.contains(&file.build_id.as_slice())),
        };
        let Some(file) = file else {
            let ids: Vec<String> = ids.iter().map(|id| id.iter().map(|byte| format!("{byte:02x}")).collect()).collect();
            let error = unable("build id").at(profile.start()).expected("a file with the build id of the profile");
            return Err(error.found(ids.join(", ")));
        };
        let debug_info = profile.flags().has(Flags::DEBUG_CORRELATE);
        let key = (profile.version_number(), debug_info);
        // What is in it is whole, even if a thread that held it has panicked.
        let mut found = file.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, correlated)) = found.iter().find(|(other, _)| *other == key) {
            return Ok(correlated.clone());
        }
        let elf = parse(&file.bytes)?;
        let correlated = Arc::new(if debug_info { debug_info::read(&elf)? } else { records(&elf, profile)? });
        found.push((key, correlated.clone()));
        Ok(correlated)
    }

    fn name(&self, hash: u64) -> Option<Name<'_>> {
        self.files.iter().find_map(|file| file.names.get_or_init(|| loaded_names(&file.bytes)).get(hash))
    }
}

/// Returns the names that are loaded with a program; none for a file of debug info.
fn loaded_names(bytes: &[u8]) -> NameTable {
    let mut names = Vec::new();
    _ = sections::for_each(bytes, |sections| names.extend(sections.names));
    NameTable::salvage_all(names).0
}

fn parse(bytes: &[u8]) -> Result<File<'_>, Error> {
    File::parse(bytes).map_err(|error| unable("object file").found(error))
}

/// Returns records and names of a program that was compiled with `-profile-correlate=binary`: both are in sections that are not loaded.
fn records(elf: &File<'_>, profile: &RawFile<'_>) -> Result<Correlated, Error> {
    let section = |name: &'static str| {
        let section = elf.section_by_name(name).ok_or_else(|| unable(name))?;
        section.data().map_err(|error| unable(name).found(error))
    };
    let bitmap = elf.section_by_name("__llvm_prf_bits").map_or(0, |section| section.address());
    let records = profile.absolute_records(section("__llvm_covdata")?, counters_address(elf)?, bitmap);
    let names = NameTable::read(section("__llvm_covnames")?)?;
    Ok(Correlated { records, names })
}
