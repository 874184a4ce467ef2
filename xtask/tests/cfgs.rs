//! The runtime is compiled by stable Rust: no condition of its sources is one of which only nightly tells.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::{paths, run};

const TARGETS: [&str; 6] = [
    "x86_64-unknown-linux-gnu",
    "thumbv6m-none-eabi",
    "thumbv7em-none-eabihf",
    "thumbv8m.main-none-eabi",
    "armv7a-none-eabi",
    "riscv32imac-unknown-none-elf",
];

/// What the compiler tells of a target.
fn told(target: &str, nightly: bool) -> BTreeSet<String> {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "cfg", "--target", target]).env("RUSTC_BOOTSTRAP", if nightly { "1" } else { "0" });
    run::stdout(&mut rustc).unwrap().lines().map(str::to_owned).collect()
}

/// The Rust file with this path, or those below it, without comments.
fn code(path: &Path) -> String {
    if path.is_dir() {
        return fs::read_dir(path).unwrap().map(|entry| code(&entry.unwrap().path())).collect();
    }
    if path.extension().is_none_or(|extension| extension != "rs") {
        return String::new();
    }
    let text = fs::read_to_string(path).unwrap();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect()
}

#[test]
fn stable_rust_tells_all_conditions() {
    let text = ["runtime", "build.rs"].map(|path| code(&paths::root().join(path))).concat();
    for target in TARGETS {
        let stable = told(target, false);
        let only_nightly: Vec<String> = told(target, true).difference(&stable).cloned().collect();
        assert!(!only_nightly.is_empty(), "{target}");
        for cfg in only_nightly {
            let (name, value) = cfg.split_once('=').unwrap_or((&cfg, ""));
            let condition = if value.is_empty() { format!("({name})") } else { format!("{name} = {value}") };
            assert!(!text.contains(&condition), "{condition} of {target}");
        }
    }
}
