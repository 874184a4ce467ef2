//! What a page is of: the repository and its revision, and the day on which the page is made.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use profrt_coverage::files::FileReport;
use profrt_coverage::paths::{located, root};

use crate::cov::since::git;

const SECONDS_OF_DAY: u64 = 24 * 60 * 60;

#[derive(Serialize)]
pub(super) struct Origin {
    /// The name of the repository's directory; `None`: no source is in it.
    project: Option<String>,
    revision: Option<String>,
    /// Days since 1970. A page that is made again on the same day is the same.
    day: u64,
}

impl Origin {
    /// Asks git in the working directory, as `--since` does.
    pub(super) fn of(files: &[FileReport]) -> Origin {
        let is_here = files.iter().any(|file| located(&file.path).starts_with(root()));
        let project = root().file_name().filter(|_| is_here).map(|name| name.to_string_lossy().into_owned());
        let describe = ["-c", "core.fsmonitor=false", "describe", "--always", "--dirty", "--exclude=*"];
        let revision = project.as_ref().and_then(|_| git(&describe).ok());
        let revision = revision.map(|said| String::from_utf8_lossy(said.trim_ascii()).into_owned());
        let given = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Origin { project, revision, day: given.unwrap_or_else(now) / SECONDS_OF_DAY }
    }
}
