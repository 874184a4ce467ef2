//! Binaries of profiles: what is only in them (`-profile-correlate`), and the names of functions, which a torn profile lacks.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use anyhow::{Context, Result};
use profdata::correlate::{Correlated, Correlation, ElfFiles};
use profdata::error::Error;
use profdata::name::Name;
use profdata::read::raw::RawFile;

use super::display;

/// Reads ELF files: programs, shared objects, or their debug info; `None` if there are none. Errors: one cannot be read, or is no ELF file.
pub fn binaries(paths: &[PathBuf]) -> Result<Option<Arc<dyn Correlation>>> {
    let mut files = ElfFiles::new();
    for path in paths {
        let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", display(path)))?;
        files.add(bytes).with_context(|| format!("{} is no ELF file", display(path)))?;
    }
    Ok((!paths.is_empty()).then(|| Arc::new(files) as Arc<dyn Correlation>))
}

/// Returns the same, read when a profile lacks something. What cannot be read, and what is no program, has nothing.
pub fn when_needed(paths: Vec<PathBuf>) -> Arc<dyn Correlation> {
    Arc::new(WhenNeeded { paths, files: OnceLock::new() })
}

#[derive(Debug)]
struct WhenNeeded {
    paths: Vec<PathBuf>,
    files: OnceLock<ElfFiles>,
}

impl WhenNeeded {
    fn files(&self) -> &ElfFiles {
        self.files.get_or_init(|| {
            let mut files = ElfFiles::new();
            self.paths.iter().filter_map(|path| std::fs::read(path).ok()).for_each(|bytes| _ = files.add(bytes));
            files
        })
    }
}

impl Correlation for WhenNeeded {
    fn find(&self, profile: &RawFile<'_>) -> std::result::Result<Arc<Correlated>, Error> {
        self.files().find(profile)
    }

    fn name(&self, hash: u64) -> Option<Name<'_>> {
        self.files().name(hash)
    }
}
