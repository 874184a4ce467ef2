//! `profrt live mark`: sets a mark in a running `profrt live`.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use super::control::{VARIABLE, ask};

/// The mark.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// What begins now, as a test; what ran since the mark before is saved under its name. Without a name only that is done
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

const EXAMPLES: &str = "\
Example: what one request runs

    profrt live mark login
    curl http://localhost:8080/login
    profrt live mark

PROFRT_LIVE has the socket of `profrt live`, which prints it, and sets it for the program that it starts.
Exit status: 0 the mark is set; 2 it is not, or the one before could not be saved.";

/// Sets the mark, and returns the exit status. Errors: nobody listens; the mark before cannot be saved.
pub fn run(options: &Options) -> Result<u8> {
    let path = std::env::var_os(VARIABLE)
        .context("PROFRT_LIVE is not set; `profrt live` prints it, and sets it for the program that it starts")?;
    let said = ask(Path::new(&path), options.name.as_deref().unwrap_or_default())
        .with_context(|| format!("no profrt live answers at {}", crate::inputs::display(path.as_ref())))?;
    ensure!(said.is_empty(), "{said}");
    Ok(0)
}
