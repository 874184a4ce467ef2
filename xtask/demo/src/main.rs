//! `cargo xtask COMMAND`: runs the demo, and hands every other command to the package `xtask`, which compiles what the demo does without.

#![forbid(unsafe_code)]

use std::env;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use clap::Parser;
use testkit::dist::compile;

/// Profile a real program with profrt, rebuild it with the profile, and show what that gained
#[derive(Parser)]
#[command(name = "cargo xtask demo", bin_name = "cargo xtask demo")]
struct Arguments {
    #[command(flatten)]
    options: demo::Options,
}

fn main() -> ExitCode {
    let words: Vec<_> = env::args_os().skip(1).collect();
    let error = if words.first().is_some_and(|command| command == "demo") {
        demo::run(&Arguments::parse_from(words).options).err()
    } else {
        // In the directory of the user, which paths among the words are relative to.
        let mut cargo = Command::new(compile::cargo().get_program());
        compile::without_outer_cargo(&mut cargo);
        Some(cargo.args(["run", "--package", "xtask", "--"]).args(words).exec().into())
    };
    let Some(error) = error else { return ExitCode::SUCCESS };
    eprintln!("{error:#}");
    ExitCode::FAILURE
}
