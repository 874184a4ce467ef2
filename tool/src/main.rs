//! `profrt COMMAND`: runs the command that the command line names. Each command is a module of the library, and so is the grammar.

#![forbid(unsafe_code)]

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use profrt_tool::command_line::{Arguments, Task};
use profrt_tool::report::exit;
use profrt_tool::{check, convert, cov, diff, llvm_profdata, merge, profile_page, quality, rebuild, receive, show};
#[cfg(unix)]
use profrt_tool::{doctor, install, signals, watch};

fn main() -> ExitCode {
    #[cfg(unix)]
    signals::block();
    if let Some(code) = as_llvm_profdata() {
        return code;
    }
    let (name, result) = match Arguments::parse().command {
        Task::Receive(options) => ("receive", receive::run(&options)),
        Task::Rebuild(options) => ("rebuild", rebuild::run(&options)),
        Task::Check(options) => ("check", check::run(&options)),
        Task::Merge(options) => ("merge", merge::run(&options)),
        #[cfg(unix)]
        Task::Watch(options) => ("watch", watch::run(&options)),
        Task::Convert(options) => ("convert", convert::run(&options)),
        Task::Show(options) => ("show", show::run(&options)),
        Task::Diff(options) => ("diff", diff::run(&options)),
        Task::Quality(options) => ("quality", quality::run(&options)),
        Task::Report(options) => ("report", profile_page::run(&options)),
        Task::Cov(options) => ("cov", cov::run(&options)),
        Task::Who(options) => ("who", cov::who::run(&options)),
        #[cfg(unix)]
        Task::Live(options) => ("live", cov::live::run(&options)),
        #[cfg(unix)]
        Task::Mark(options) => ("mark", cov::live::mark::run(&options)),
        #[cfg(unix)]
        Task::Install(options) => ("install", install::run(&options)),
        #[cfg(unix)]
        Task::Doctor(options) => ("doctor", doctor::run(&options)),
        // `as_llvm_profdata` has taken these command lines.
        Task::LlvmProfdata { .. } => return ExitCode::SUCCESS,
    };
    exit(name, result)
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
