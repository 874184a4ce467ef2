//! The change to look at: a unified diff, or what git says since a revision.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use profrt_coverage::changes::Diff;

use crate::text::{display, printable_bytes};

/// The change to look at.
#[derive(clap::Args, Debug)]
#[group(multiple = false)]
pub(super) struct Since {
    /// Only what has changed since the branch left this revision (with --baseline and in `cov who`: since the revision itself), as `git diff`
    /// says: what is not committed, too, and sources that git does not know
    #[arg(long, value_name = "REV")]
    since: Option<String>,
    /// Only what this unified diff changes; `-` is standard input
    #[arg(long, value_name = "FILE")]
    diff: Option<PathBuf>,
}

/// The same text whatever the user's settings are, and .gitattributes. `--indent-heuristic`: a new function is not shown as one that begins before
/// the last brace of another.
const GIT_DIFF: &str = "-c core.quotePath=false diff --unified=0 --diff-algorithm=myers --submodule=short --indent-heuristic --text --no-color \
     --no-ext-diff --no-textconv --no-renames --no-relative --src-prefix=a/ --dst-prefix=b/ --end-of-options";

impl Since {
    /// Returns the change; `None`: all lines are wanted. `exact`: old lines are those of the revision, and not of where the branch has left it.
    ///
    /// Errors: git fails, or the text is no unified diff.
    pub(super) fn diff(&self, exact: bool) -> Result<Option<Diff>> {
        if let Some(revision) = &self.since {
            let root = git(&["rev-parse", "--show-toplevel"])?;
            let root = PathBuf::from(String::from_utf8_lossy(&root).trim_end_matches('\n'));
            // Without a common revision, or of two (`A..B`), what is said.
            let base = if exact { None } else { git(&["merge-base", "--end-of-options", revision, "HEAD"]).ok() };
            let base = base.map(|base| String::from_utf8_lossy(&base).trim_end().to_owned());
            let arguments: Vec<&str> = GIT_DIFF.split(' ').chain([base.as_deref().unwrap_or(revision), "--"]).collect();
            let diff = git(&arguments)?;
            let untracked = git(&["ls-files", "--others", "--exclude-standard", "--full-name", "-z", ":/"])?;
            let mut diff = Diff::new(root, true, &diff)?;
            diff.add_untracked(untracked.split(|byte| *byte == 0).map(printable_bytes));
            return Ok(Some(diff));
        }
        let Some(path) = &self.diff else { return Ok(None) };
        let text = if path == Path::new("-") {
            let mut text = Vec::new();
            std::io::Read::read_to_end(&mut std::io::stdin(), &mut text).context("standard input cannot be read")?;
            text
        } else {
            crate::text::read(path)?
        };
        // The working directory is a guess.
        let diff = Diff::new(std::env::current_dir()?, false, &text);
        diff.map(Some).with_context(|| format!("{} is no unified diff", display(path)))
    }
}

/// Runs git in the working directory, which it does not change. Errors: it is not there, or fails.
pub(super) fn git(arguments: &[&str]) -> Result<Vec<u8>> {
    let mut git = Command::new("git");
    let output = git.args(arguments).env("GIT_OPTIONAL_LOCKS", "0").output().context("git cannot be run")?;
    if !output.status.success() {
        bail!("git: {}", printable_bytes(output.stderr.trim_ascii()));
    }
    Ok(output.stdout)
}
