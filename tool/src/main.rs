//! `profrt COMMAND`: the command line, and nothing else. Each command is a module of the library.

#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use profrt_tool::{check, diff, llvm_profdata, merge, rebuild, receive, show};

/// Merges, shows and compares profiles of any compiler; receives, rebuilds and checks raw ones
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
    /// Merge profiles of any compiler to what a chosen one reads, and say what was lost
    Merge(merge::Options),
    /// Show what a profile says: totals, hottest functions, call targets, memory sizes, one function
    Show(show::Options),
    /// Show what is different between two profiles
    Diff(diff::Options),
    /// Do what llvm-profdata of LLVM 22 does, with its command lines: profrt llvm-profdata merge -sparse -o out a.profraw
    #[command(name = "llvm-profdata", disable_help_flag = true)]
    LlvmProfdata {
        /// Arguments of llvm-profdata
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    if let Some(code) = as_llvm_profdata() {
        return code;
    }
    match run(Arguments::parse().command) {
        Ok(status) => status,
        Err(error) => {
            // Standard error may be closed.
            let _ = writeln!(std::io::stderr(), "profrt: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Task) -> Result<ExitCode> {
    Ok(match command {
        Task::Receive(options) => all_is_well(receive::run(&options)?),
        Task::Rebuild(options) => rebuild::run(&options).map(|()| ExitCode::SUCCESS)?,
        Task::Check(options) => all_is_well(check::run(&options)?),
        Task::Merge(options) => merge::main(&options),
        Task::Show(options) => show::main(&options),
        Task::Diff(options) => diff::main(&options),
        // `main` has taken these command lines.
        Task::LlvmProfdata { .. } => ExitCode::SUCCESS,
    })
}

/// False: not everything is as it should be, and the command has said what.
fn all_is_well(is_so: bool) -> ExitCode {
    if is_so { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs as `llvm-profdata` if this is the name of the program or of the command. Its command lines are no command lines of clap's.
fn as_llvm_profdata() -> Option<ExitCode> {
    let mut arguments = std::env::args_os();
    let program = arguments.next()?;
    if llvm_profdata::is_name(Path::new(&program)) {
        return Some(llvm_profdata::main(Path::new(&program), arguments));
    }
    let command = arguments.next()?;
    (command == "llvm-profdata").then(|| llvm_profdata::main(Path::new(&command), arguments))
}
