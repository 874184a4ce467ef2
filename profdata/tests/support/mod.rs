//! What tests against the installed `llvm-profdata` share.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::path::Path;
use std::process::{Command, Output};

/// Seconds after which a run of LLVM's tool is taken for one that never ends.
const TIME_LIMIT: &str = "60";

/// Runs `llvm-profdata` in a directory. A run that never ends or that a signal ends is repeated: where two threads of the tool find an
/// error, both call `exit`, which may wait for itself.
pub fn run(command: &str, arguments: &[String], directory: &Path) -> Output {
    let run = || {
        let mut limited = Command::new("timeout");
        limited.args(["--signal=KILL", TIME_LIMIT, command]).args(arguments).current_dir(directory).output().unwrap()
    };
    // `timeout` kills itself too, or says that it has killed.
    let has_ended = |output: &Output| output.status.code().is_some_and(|code| code != 128 + 9);
    (0..4).map(|_| run()).find(has_ended).unwrap_or_else(run)
}
