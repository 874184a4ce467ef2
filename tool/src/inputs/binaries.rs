//! Binaries of profiles: what is only in them (`-profile-correlate`), and the names of functions, which a torn profile lacks.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use profdata::correlate::{Correlation, ElfFiles};

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
