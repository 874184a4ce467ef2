//! `profrt COMMAND`: runs the command that the command line names. Each command is a module of the library, and so is the grammar.

#![forbid(unsafe_code)]

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use profrt_tool::command_line::{Arguments, Task};
use profrt_tool::{check, convert, diff, llvm_profdata, merge, quality, rebuild, receive, show};
#[cfg(unix)]
use profrt_tool::{doctor, install, signals, watch};

fn main() -> ExitCode {
    #[cfg(unix)]
    signals::block();
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
        Task::Check(options) => check::main(&options),
        Task::Merge(options) => merge::main(&options),
        #[cfg(unix)]
        Task::Watch(options) => watch::main(&options),
        Task::Convert(options) => convert::main(&options),
        Task::Show(options) => show::main(&options),
        Task::Diff(options) => diff::main(&options),
        Task::Quality(options) => quality::main(&options),
        #[cfg(unix)]
        Task::Install(options) => install::main(&options),
        #[cfg(unix)]
        Task::Doctor(options) => doctor::main(&options),
        // `main` has taken these command lines.
        Task::LlvmProfdata { .. } => ExitCode::SUCCESS,
    })
}

/// False: not everything is as it should be, and the command has said what.
fn all_is_well(is_so: bool) -> ExitCode {
    if is_so { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs as `llvm-profdata` if this is the name of the program or of the command, and names it if the command line is one of its. Its command
/// lines are no command lines of clap's.
fn as_llvm_profdata() -> Option<ExitCode> {
    let mut arguments = std::env::args_os();
    let program = arguments.next()?;
    if llvm_profdata::is_name(Path::new(&program)) {
        return Some(llvm_profdata::main(Path::new(&program), arguments));
    }
    let command = arguments.next()?;
    if command == "llvm-profdata" {
        return Some(llvm_profdata::main(Path::new(&command), arguments));
    }
    let hint = llvm_profdata::hint(&command, arguments)?;
    let _ = writeln!(std::io::stderr(), "profrt: {hint}");
    Some(ExitCode::from(2))
}
