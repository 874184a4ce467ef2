//! Options that say which sources count, and what of them does not.

use std::path::PathBuf;

use anyhow::Result;
use glob::Pattern;
use profrt_coverage::exclude::Exclude;
use profrt_coverage::paths::{PathMap, Paths, Source, path_map};
use regex::Regex;

/// Paths of sources.
#[derive(clap::Args, Debug)]
pub(super) struct PathOptions {
    /// Leave out files whose path this regular expression matches, before --path-map
    #[arg(long, value_name = "REGEX")]
    ignore: Vec<Regex>,
    /// Only files whose path, or the part below the repository or the working directory, this pattern matches; `*` matches `/` too
    #[arg(long, value_name = "GLOB")]
    only: Vec<Pattern>,
    /// Report files outside of the repository, too: libraries', the toolchain's. Without a repository: outside of the working directory
    #[arg(long)]
    outside: bool,
    /// Write paths that begin with FROM with TO instead; of several the longest FROM counts
    #[arg(long, value_name = "FROM=TO", requires = "object", value_parser = path_map)]
    path_map: Vec<PathMap>,
    /// What relative paths are relative to
    #[arg(long, value_name = "DIR")]
    compilation_dir: Option<PathBuf>,
    /// Write absolute paths instead of those below the repository, or without one below the working directory
    #[arg(long)]
    absolute_paths: bool,
}

impl PathOptions {
    /// Returns what the options say.
    pub(super) fn paths(&self) -> Paths {
        let PathOptions { ignore, only, outside, path_map, compilation_dir, absolute_paths } = self;
        Paths {
            ignore: ignore.clone(),
            only: only.clone(),
            outside: *outside,
            maps: path_map.clone(),
            directory: compilation_dir.clone(),
            absolute: *absolute_paths,
        }
    }
}

/// What to leave out, besides what markers in sources say.
#[derive(clap::Args, Debug)]
pub(super) struct Exclusions {
    /// Leave out lines whose text this regular expression matches
    #[arg(long, value_name = "REGEX")]
    exclude_lines: Vec<Regex>,
    /// Leave out branches on lines whose text this regular expression matches
    #[arg(long, value_name = "REGEX")]
    exclude_branches: Vec<Regex>,
    /// Leave out functions whose name, demangled, this regular expression matches
    #[arg(long, value_name = "REGEX")]
    exclude_functions: Vec<Regex>,
    /// Leave out of Rust: derives, lines with unreachable!, tests (#[test], #[rstest], #[cfg(test)], with the files of modules), what is in tests,
    /// examples and benches, what build scripts wrote
    #[arg(long)]
    rust: bool,
}

impl Exclusions {
    /// Returns the rules for sources. Errors: none, for the expressions are sound.
    pub(super) fn rules(&self, sources: &[Source]) -> Result<Exclude> {
        let mut rules = Exclude::new(self.rust.then_some(sources))?;
        rules.lines.clone_from(&self.exclude_lines);
        rules.branches.clone_from(&self.exclude_branches);
        rules.functions.clone_from(&self.exclude_functions);
        Ok(rules)
    }
}
