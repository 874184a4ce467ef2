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

/// Random numbers that are the same in each run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 3
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.number() % limit
    }

    /// Returns true once in `n` times.
    pub fn once_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }
}
