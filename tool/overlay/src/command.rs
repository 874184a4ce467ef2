//! The command `install`, of `profrt` and of `cargo xtask`.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::archive::archive_in;
use crate::compiler::Compiler;
use crate::in_place;
use crate::overlay::{Entries, overlay};

/// Where to put which archive.
#[derive(clap::Args, Debug)]
#[group(id = "install")]
pub struct Options {
    /// The compiler, by path or name; it is asked for its version and its resource directory
    #[arg(long, value_name = "PROGRAM", default_value = "clang")]
    clang: PathBuf,
    /// For programs of this target instead of the compiler's own: wasm32-wasip1
    #[arg(long, value_name = "TARGET", requires = "archive")]
    target: Option<String>,
    /// Make a resource directory here, with links to the compiler's own files, for `clang -resource-dir DIR`
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
    /// Take the archive from here: a directory that `cargo xtask build` has made, or /usr/lib/profrt of a package
    #[arg(long, value_name = "DIR", conflicts_with = "restore")]
    archive: Option<PathBuf>,
    /// Copy the compiler's own files instead of linking to them
    #[arg(long, requires = "prefix")]
    copy: bool,
    /// Replace the compiler's own archive; needs --yes-replace
    #[arg(long, conflicts_with = "prefix")]
    in_place: bool,
    /// Yes, replace the file that the compiler's package owns (it stays next to it as ….a.orig-llvm)
    #[arg(long, requires = "in_place")]
    yes_replace: bool,
    /// Put back what --in-place replaced
    #[arg(long, conflicts_with_all = ["prefix", "in_place"])]
    restore: bool,
}

/// Does what the options ask for, and returns what there is to say. `other` finds the archive for a compiler where `--archive` does not.
///
/// Errors: the compiler cannot be asked, no archive fits it, or files cannot be written.
pub fn run(options: &Options, other: impl Fn(&Compiler) -> Result<PathBuf>) -> Result<String> {
    let compiler = Compiler::ask_for(&options.clang, options.target.as_deref())?;
    let archive = || match &options.archive {
        Some(directory) => archive_in(directory, &compiler),
        None => other(&compiler),
    };
    let name = options.clang.display();
    if options.restore {
        restored(&compiler)
    } else if options.in_place {
        replaced(&compiler, options.yes_replace, archive)
    } else if let Some(prefix) = &options.prefix {
        let entries = if options.copy { Entries::Copy } else { Entries::Link };
        overlay(&compiler, &archive()?, prefix, entries)?;
        let target = options.target.as_ref().map(|target| format!(" --target={target}")).unwrap_or_default();
        Ok(format!(
            "clang {} emits raw version {}; its overlay is ready, for the command that links:\n\n    {name}{target} -resource-dir {} -fprofile-instr-generate …\n",
            compiler.version,
            compiler.raw()?,
            std::path::absolute(prefix)?.display()
        ))
    } else {
        bail!(
            "say where to: --prefix DIR lays an overlay of {name}'s resource directory there and changes nothing of the compiler"
        );
    }
}

fn replaced(compiler: &Compiler, is_meant: bool, archive: impl Fn() -> Result<PathBuf>) -> Result<String> {
    let places = compiler.profile_archives();
    if !is_meant {
        let owned = places.iter().filter(|place| place.is_file()).map(|place| place.display().to_string());
        bail!(
            "--in-place would replace a file of the compiler's package: {}\nSay --yes-replace as well if that is meant, or use --prefix, which changes nothing of the compiler",
            owned.collect::<Vec<_>>().join(", ")
        );
    }
    let line = |place: &PathBuf| {
        let backup = in_place::backup(place);
        format!("{} is profrt's; the compiler's is kept as {}\n", place.display(), backup.display())
    };
    Ok(in_place::install(&places, &archive()?)?.iter().map(line).collect())
}

fn restored(compiler: &Compiler) -> Result<String> {
    let restored = in_place::restore(&compiler.profile_archives())?;
    if restored.is_empty() {
        return Ok(format!("nothing to restore: {} has its own archive\n", compiler.clang.display()));
    }
    Ok(restored.iter().map(|place| format!("{} is the compiler's own again\n", place.display())).collect())
}
