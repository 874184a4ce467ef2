//! Coverage for other programs than the command: the Python package.

use std::path::{Path, PathBuf};

use anyhow::Result;
use profdata::coverage::Rules;

use super::exclude::Exclusions;
use super::files::{FileReport, Report, Wanted};
use super::load::{Loaded, Programs};
use super::outputs::{Output, Pieces, Whole, json, lcov};
use super::paths::Paths;
use super::{Account, Exclude};

/// What ran of the source.
pub struct Coverage {
    /// What `--json` writes.
    pub json: String,
    /// What `--lcov` writes.
    pub lcov: String,
    /// What of the profiles is lost.
    pub damage: Vec<String>,
}

/// Reads profiles and the programs that wrote them. Errors: there is no result.
pub fn coverage(profiles: &[PathBuf], elf: &[PathBuf]) -> Result<Coverage> {
    let exclusions = Exclusions::default();
    let exclude = Exclude::new(&exclusions, &[])?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let programs = Programs::read(elf)?;
    let paths = Paths::default();
    let (loaded, mut mapping) = Loaded::with_mapping(profiles, &programs, Rules::Own, threads)?;
    mapping.set_sources(&paths);
    let (counts, _) = loaded.counts();
    let wanted =
        Wanted { mapping: &mapping, sources: &paths.files(&mapping)?.0, exclude: &exclude, changes: None, threads };
    let formats = [&json::FORMAT, &lcov::FORMAT];
    let pieces = Pieces { mapping: &mapping, instantiations: true, is_change: false, changes: None };
    let mut outputs = Output::begin(&formats.map(|format| (format, Path::new("-"))))?;
    outputs.iter_mut().try_for_each(Output::start)?;
    let look = |file: FileReport| formats.map(|format| (format.of_file)(&file, &pieces));
    let report = Report::of(&wanted, &counts, look, |pieces| {
        outputs.iter_mut().zip(pieces).try_for_each(|(output, piece)| output.add(piece?))
    })?;
    let account = Account::of(&loaded, &mapping, &counts, &report.damaged);
    let damage = loaded.damage().to_vec();
    let whole = Whole { report: &report, account: &account, comparison: None, status: u8::from(!damage.is_empty()) };
    outputs.iter_mut().try_for_each(|output| output.end(&whole))?;
    let mut texts = outputs.into_iter().map(Output::into_text);
    let [json, lcov] = [(); 2].map(|()| texts.next().unwrap_or_default());
    Ok(Coverage { json, lcov, damage })
}
