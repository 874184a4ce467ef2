//! Binaries and debug info that have the records of raw profiles.

use std::path::PathBuf;
use std::sync::Arc;

use profdata::correlate::{Correlated, Correlation, ObjectFiles};
use profdata::error::{Error, ErrorKind};
use profdata::read::raw::RawFile;

use super::failure::Failure;
use super::grammar::Parsed;
use super::{path_of, words};

/// Which part of a file has the records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// Its debug info. Of functions without an address as many are named on standard error; 0: all.
    DebugInfo { warnings: usize },
    /// Sections that are not loaded.
    Sections,
}

impl Part {
    /// Returns the part of debug info, with the limit of the command line.
    pub(super) fn debug_info(parsed: &Parsed) -> Part {
        let warnings = parsed.number("max-debug-info-correlation-warnings").unwrap_or(5);
        Part::DebugInfo { warnings: usize::try_from(warnings).unwrap_or(usize::MAX) }
    }

    /// Checks that files have the part. Returns what their debug info has.
    fn check(self, files: &ObjectFiles) -> Result<Vec<Correlated>, Error> {
        let Part::DebugInfo { warnings } = self else { return files.check_sections().map(|()| Vec::new()) };
        let found = files.debug_info()?;
        let names = found.iter().flat_map(|file| {
            let inlined = file.records.iter().filter(|record| record.function_pointer == 0);
            inlined.filter_map(|record| file.names.get(record.name_ref)?.bytes)
        });
        let all = names.clone().count();
        let shown = if warnings == 0 { all } else { warnings };
        for name in names.take(shown) {
            warn_line!("warning: Could not find address of function {}", String::from_utf8_lossy(name));
        }
        if let hidden @ 1.. = all.saturating_sub(shown) {
            warn_line!("warning: Suppressed {hidden} additional warnings");
        }
        Ok(found)
    }
}

/// Reads the file. Also returns what its debug info has, if that has the records.
pub(super) fn load(path: &[u8], part: Part) -> Result<(ObjectFiles, Vec<Correlated>), Failure> {
    let bytes = std::fs::read(path_of(path)).map_err(|error| Failure::of_system(path, &error))?;
    let mut files = ObjectFiles::any();
    let added = files.add(bytes);
    added.map_err(|_| Failure::of_file(path, "The file was not recognized as a valid object file"))?;
    let found = part.check(&files).map_err(|error| Failure::of_file(path, words::of(&error)))?;
    Ok((files, found))
}

/// Where the binaries of profiles are.
#[derive(Debug)]
pub(super) enum Source {
    /// This one is that of all profiles.
    File(ObjectFiles),
    /// In directories, by their build ids.
    Directories { directories: Vec<PathBuf>, part: Part },
}

impl Source {
    /// Returns the error about a profile that needs no binary.
    pub(super) fn unexpected(&self, profile: &RawFile<'_>) -> Error {
        let error = || Error::new(ErrorKind::UnexpectedCorrelation, "Version").at(profile.start());
        match self {
            Source::File(_) => error(),
            Source::Directories { .. } => self.find(profile).err().unwrap_or_else(error),
        }
    }
}

impl Correlation for Source {
    fn find(&self, profile: &RawFile<'_>) -> Result<Arc<Correlated>, Error> {
        let (directories, part) = match self {
            Source::File(files) => return files.find(profile),
            Source::Directories { directories, part } => (directories, *part),
        };
        let (ids, _) = profile.binary_ids();
        let ids: Vec<String> = ids.iter().map(|id| data_encoding::HEXLOWER.encode(id)).collect();
        let paths = ids.iter().filter_map(|id| id.split_at_checked(2)).flat_map(|(first, rest)| {
            directories.iter().map(move |directory| directory.join(format!(".build-id/{first}/{rest}.debug")))
        });
        let Some(bytes) = paths.into_iter().find_map(|path| std::fs::read(path).ok()) else {
            return Err(Error::new(ErrorKind::UnableToCorrelate, "build id").found(ids.join(", ")));
        };
        let mut files = ObjectFiles::any();
        files.add(bytes)?;
        if part != Part::Sections {
            part.check(&files)?;
        }
        files.find(profile)
    }
}

/// Stands for the binary that nobody has given: without it LLVM takes a profile for one without records.
#[derive(Debug)]
pub(super) struct Nothing;

impl Correlation for Nothing {
    fn find(&self, _profile: &RawFile<'_>) -> Result<Arc<Correlated>, Error> {
        Ok(Arc::default())
    }
}
