//! `profrt COMMAND`: the command line, and nothing else. Each command is a module of the library.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use profrt_tool::{check, rebuild, receive};

/// Receives, rebuilds and checks raw profiles (.profraw)
#[derive(Parser)]
#[command(name = "profrt", version)]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Take profiles out of what a device prints (profrt_dump_frame), and pass everything else on to standard output
    Receive(receive::Options),
    /// Make a raw profile of an ELF file and counters: a counters-only dump, memory that a debugger saved, or a core file
    Rebuild(rebuild::Options),
    /// Say whether raw profiles are whole, else what is wrong where, why, and what can be saved
    Check(check::Options),
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("profrt: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// False: not everything is as it should be, and the command has said what.
fn run(command: Task) -> Result<bool> {
    match command {
        Task::Receive(options) => receive::run(&options),
        Task::Rebuild(options) => rebuild::run(&options).map(|()| true),
        Task::Check(options) => check::run(&options),
    }
}
