//! Coverage for other programs than the command: the Python package.

use std::path::PathBuf;

use anyhow::Result;
use profdata::coverage::Rules;
use profrt_coverage::exclude::Exclude;
use profrt_coverage::paths::Paths;
use profrt_coverage::{formats, texts};

use super::load;

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
    let (programs, paths) = (load::programs(elf)?, Paths::default());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (loaded, damage, mut mapping) = load::with_mapping(profiles, &programs, Rules::Own, threads)?;
    mapping.set_sources(&paths);
    let formats: Vec<_> = ["json", "lcov"].into_iter().filter_map(formats::find).collect();
    let status = u8::from(!damage.is_empty());
    let mut texts = texts(&loaded, &mapping, &paths, &Exclude::new(None)?, &formats, status)?.into_iter();
    let [json, lcov] = [(); 2].map(|()| texts.next().unwrap_or_default());
    Ok(Coverage { json, lcov, damage })
}
