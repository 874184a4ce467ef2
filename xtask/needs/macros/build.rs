//! Has tests that were ignored for lack of a program compiled again once programs were installed, or removed.

use std::env;

fn main() {
    println!("cargo::rerun-if-env-changed=PATH");
    for directory in env::split_paths(&env::var_os("PATH").unwrap_or_default()).filter(|directory| directory.is_dir()) {
        println!("cargo::rerun-if-changed={}", directory.display());
    }
}
