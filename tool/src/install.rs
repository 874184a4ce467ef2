//! `profrt install`: puts profrt's archive where a clang looks for its own. The work is that of the crate `profrt-overlay`.

use std::path::PathBuf;

use anyhow::{Context, Result};
use profrt_overlay::archive::archive_in;
use profrt_overlay::command;

use crate::report::print;

/// Which compiler, and where to.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct Options {
    #[command(flatten)]
    install: command::Options,
}

const EXAMPLE: &str = "\
Example: an overlay of clang 22's resource directory, for the command that links

    profrt install --clang clang-22 --prefix profrt-22
    clang-22 -resource-dir profrt-22 -fprofile-instr-generate app.c -o app

Without --archive the archives are those of the package that this program is in.

Exit status: 0; 2 after a message.";

/// Installs, and returns the exit status. Errors: nothing is installed.
pub fn run(options: &Options) -> Result<u8> {
    let said = command::run(&options.install, |compiler| {
        let archives = archives().context(
            "this program is in no package that has archives; name a directory that `cargo xtask build` has made with --archive",
        )?;
        archive_in(&archives, compiler)
    })?;
    print(&said)?;
    Ok(0)
}

/// Returns the directory of archives of the package that this program is in: `lib/profrt` beside its `bin`.
pub fn archives() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?.canonicalize().ok()?;
    let archives = program.parent()?.parent()?.join("lib/profrt");
    archives.is_dir().then_some(archives)
}
