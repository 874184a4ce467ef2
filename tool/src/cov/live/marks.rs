//! Marks: what ran since one was set, and how that is saved as a profile.

use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use profdata::write::indexed::{HashEras, WriteOptions, write};

use super::functions::{Functions, Sums};
use crate::merge::target;
use crate::report::output;

/// The last mark: a copy of the counts.
#[derive(Default)]
pub(super) struct Mark {
    pub(super) name: Option<String>,
    pub(super) sums: Sums,
    directory: Option<PathBuf>,
    /// How many marks there were.
    pub(super) number: u64,
}

impl Mark {
    /// Returns a mark without a name. Those with a name are saved in a directory, if there is one.
    pub(super) fn new(directory: Option<PathBuf>) -> Mark {
        Mark { directory, ..Mark::default() }
    }

    /// Checks the name of a mark. Errors: it can be no name of a file.
    pub(super) fn check(name: &str) -> Result<()> {
        let is_sound = !name.is_empty() && !name.starts_with('.') && name.len() < 200;
        ensure!(
            is_sound && !name.chars().any(|c| c == '/' || c.is_control()),
            "`{}` cannot name a mark: it becomes the name of a file",
            crate::text::printable(name)
        );
        Ok(())
    }

    /// Takes the counts of now for those of the mark.
    pub(super) fn begin(&mut self, name: Option<String>, functions: &Functions) {
        self.name = name;
        self.sums.clone_from(&functions.sums);
        self.number += 1;
    }

    /// Writes what was counted since the mark, if it has a name, as `NAME.profdata`; what has that name already stays. Errors: those of the system.
    pub(super) fn save(&self, functions: &Functions) -> Result<()> {
        let (Some(directory), Some(name)) = (&self.directory, &self.name) else { return Ok(()) };
        let mut profile = functions.profile(functions.numbers(), &self.sums)?;
        profile.sort();
        let options = WriteOptions { sparse: true, hash_eras: HashEras::AsIs, ..WriteOptions::default() };
        let mut bytes = Vec::new();
        write(&profile, target::default(&profile), &options, &mut bytes).context("the mark cannot be saved")?;
        // A test can run more than once.
        let names = (1u32..).map(|number| match number {
            1 => format!("{name}.profdata"),
            _ => format!("{name}-{number}.profdata"),
        });
        let free = names.map(|name| directory.join(name)).find(|path| !path.exists());
        output::write(&free.unwrap_or_default(), &bytes)
    }
}
