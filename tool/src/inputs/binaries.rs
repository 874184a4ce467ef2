//! Binaries of profiles: what is only in them (`-profile-correlate`), and the names of functions, which a torn profile lacks.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhow::{Context, Result};
use profdata::correlate::{Correlated, Correlation, ObjectFiles};
use profdata::error::Error;
use profdata::name::Name;
use profdata::read::raw::RawFile;

use super::display;

/// Reads object files: programs, libraries, or their debug info; `None` if there are none. Errors: one cannot be read, or is no object file.
pub fn binaries(paths: &[PathBuf]) -> Result<Option<Arc<dyn Correlation>>> {
    let mut files = ObjectFiles::new();
    for path in paths {
        let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", display(path)))?;
        files.add(bytes).with_context(|| format!("{} is no object file", display(path)))?;
    }
    Ok((!paths.is_empty()).then(|| Arc::new(files) as Arc<dyn Correlation>))
}

/// Returns whether a file is an object file that a linker made.
pub(crate) fn is_linked(path: &Path) -> bool {
    let mut head = [0; 18];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok()
        && match head {
            // The type, in either byte order: an executable or a shared object.
            [0x7f, b'E', b'L', b'F', .., 2 | 3, 0] | [0x7f, b'E', b'L', b'F', .., 0, 2 | 3] => true,
            // A program, library or bundle of macOS.
            [0xce | 0xcf, 0xfa, 0xed, 0xfe, _, _, _, _, _, _, _, _, 2 | 6 | 8, ..] => true,
            // A universal file. Java's classes have a version there, from 45 on.
            [0xca, 0xfe, 0xba, 0xbe | 0xbf, 0, 0, 0, ..45, ..] | [b'M', b'Z', ..] => true,
            [0, b'a', b's', b'm', ..] => path.extension().is_none_or(|extension| extension != "o"),
            _ => false,
        }
}

/// Returns whether a file is called like an object file that a compiler made, or a static archive. Rust's are parts of programs, and old ones are
/// kept.
pub(crate) fn is_compiled(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    [".o", ".obj", ".a", ".lib"].iter().any(|end| name.ends_with(end)) && !name.ends_with(".rcgu.o")
}

/// Returns what object files have, read when a profile lacks something. What cannot be read, and what is no program, has nothing.
pub fn when_needed(paths: Vec<PathBuf>) -> Arc<dyn Correlation> {
    Arc::new(WhenNeeded { paths, files: OnceLock::new() })
}

#[derive(Debug)]
struct WhenNeeded {
    paths: Vec<PathBuf>,
    files: OnceLock<ObjectFiles>,
}

impl WhenNeeded {
    fn files(&self) -> &ObjectFiles {
        self.files.get_or_init(|| {
            let mut files = ObjectFiles::new();
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
