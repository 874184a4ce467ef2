//! The same for other programs than the command.

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use profdata::coverage::Rules;

use super::files::{Report, Wanted};
use super::load::{self, Loaded};
use super::{Account, Exclude, Options, json, lcov};

/// What ran of the source.
pub struct Coverage {
    /// What `--json` writes.
    pub json: String,
    /// What `--lcov` writes.
    pub lcov: Vec<u8>,
    /// What of the profiles is lost.
    pub damage: Vec<String>,
}

/// The options of a command line.
#[derive(Parser)]
struct Line {
    #[command(flatten)]
    options: Options,
}

/// Reads profiles and the programs that wrote them. Errors: there is no result.
pub fn coverage(profiles: &[PathBuf], elf: &[PathBuf]) -> Result<Coverage> {
    let Options { paths, exclude, .. } = Line::try_parse_from(["", "-", "--elf", "-"])?.options;
    let exclude = Exclude::new(&exclude)?;
    let loaded = Loaded::read(profiles, &load::expand(elf)?)?;
    let (mapping, counts) = (loaded.mapping(Rules::Own)?, loaded.counts());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let wanted = Wanted { exclude: &exclude, changes: None };
    let report = Report::of(&mapping, &counts, &paths.files(&mapping)?, &wanted, threads)?;
    let account = Account::of(&loaded, &mapping, &counts, &report.damaged);
    let damage = loaded.damage().to_vec();
    let mut trace = Vec::new();
    lcov::write(&mut trace, &report, &mapping)?;
    let json = json::text(&report, &account, None, u8::from(!damage.is_empty()), true, &mapping)?;
    Ok(Coverage { json, lcov: trace, damage })
}
