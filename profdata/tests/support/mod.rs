//! What tests against the installed `llvm-profdata` share.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::path::Path;
use std::process::{Command, Output};

/// Returns the command of a release's `llvm-profdata`, if it is installed.
pub fn llvm_profdata(release: u32) -> Option<String> {
    let name = format!("llvm-profdata-{release}");
    match Command::new(&name).arg("--version").output() {
        Ok(_) => Some(name),
        _ => {
            println!("skipped: no {name}");
            None
        }
    }
}

/// Runs a command in a directory.
pub fn run(command: &str, arguments: &[String], directory: &Path) -> Output {
    Command::new(command).args(arguments).current_dir(directory).output().unwrap()
}
