//! Binaries of profiles: what is only in them (`-profile-correlate`), and the names of functions, which a torn profile lacks.

use std::path::PathBuf;

use anyhow::{Context, Result};
use object::{File, Object, ObjectSection};
use profdata::correlate::ElfFiles;
use profdata::merge::Merger;
use profdata::read::names::NameTable;
use profdata::read::raw::RawOptions;

use super::display;

/// ELF files: programs, shared objects, or their debug info.
#[derive(Debug)]
pub struct Binaries {
    files: ElfFiles,
    names: Vec<NameTable>,
}

impl Binaries {
    /// Reads files; `None` if there are none. Errors: one cannot be read, or is no ELF file.
    pub fn read(paths: &[PathBuf]) -> Result<Option<Binaries>> {
        let (mut files, mut names) = (ElfFiles::new(), Vec::new());
        for path in paths {
            let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", display(path)))?;
            if let Ok(elf) = File::parse(&*bytes) {
                let section = elf.section_by_name("__llvm_prf_names").and_then(|section| section.data().ok());
                names.extend(section.map(|section| NameTable::salvage(section).0));
            }
            files.add(bytes).with_context(|| format!("{} is no ELF file", display(path)))?;
        }
        Ok((!paths.is_empty()).then_some(Binaries { files, names }))
    }

    /// Returns how to read raw profiles of them.
    pub(super) fn raw_options(&self) -> RawOptions<'_> {
        RawOptions { correlation: Some(&self.files), ..RawOptions::salvage() }
    }

    /// Names functions of which no input has the name. Errors: there are 2^32 names.
    pub fn name_functions(&self, merger: &mut Merger) -> Result<(), profdata::Error> {
        self.names.iter().try_for_each(|names| merger.name_functions(names))
    }
}
