//! The output of a merge from its sum, for commands that merge again and again.

use std::io::Write;

use anyhow::Result;
use profdata::merge::{Merger, Report};
use profdata::release::Target;
use profdata::write::indexed::WriteOptions;

use super::{Hashes, names, target};

/// For whom an output is, and what is in it: options that mean the same as those of `profrt merge`.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Output {
    /// Who reads the output: clang-16, rustc-1.85, indexed-9. Without it, the compiler that made the inputs, and later ones
    #[arg(long = "for", value_name = "COMPILER")]
    target: Option<String>,
    /// Leave out functions that never ran
    #[arg(long)]
    sparse: bool,
    /// What to do with front-end profiles whose function hashes the compiler of --for computes by another rule
    #[arg(long, value_enum, default_value_t)]
    hashes: Hashes,
    /// Keep the names of local functions as they are: a compiler before LLVM 18 does not find those of a later one
    #[arg(long)]
    keep_names: bool,
}

/// An output.
pub(crate) struct Derived {
    pub(crate) bytes: Vec<u8>,
    pub(crate) version: u32,
    /// The releases that read it.
    pub(crate) readers: String,
    pub(crate) functions: u64,
    /// What became of the inputs.
    pub(crate) report: Report,
}

impl Output {
    /// Checks the name of the compiler.
    pub(crate) fn check(&self) -> Result<()> {
        self.target().map(drop)
    }

    fn target(&self) -> Result<Option<Target>> {
        self.target.as_deref().map(target::named).transpose()
    }

    /// Returns the bytes that `profrt merge` with these options writes for the sum.
    ///
    /// Errors: no file can have it for this compiler.
    pub(crate) fn derive(&self, merger: Merger) -> Result<Derived> {
        let names::Finished { profile, mut report, target, .. } =
            names::finish(merger, self.target()?, self.keep_names).map_err(anyhow::Error::new)?;
        target::check_hashes(&profile, target, self.hashes)?;
        let settings = WriteOptions { sparse: self.sparse, vtable_names: true, hash_eras: self.hashes.into() };
        let mut bytes = Vec::new();
        let mut out: &mut dyn Write = &mut bytes;
        let written =
            profdata::write::indexed::write(&profile, target, &settings, &mut out).map_err(target::refused)?;
        report.findings.extend(written.findings);
        let (version, readers) = (target.version(), target::readers(target));
        Ok(Derived { bytes, version, readers, functions: written.records, report })
    }
}
