//! `profrt`'s command line: its grammar, and the command that it names.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use clap::{CommandFactory, Parser, Subcommand};

use crate::report::exit;
use crate::{check, convert, cov, llvm_profdata, manual, merge, profile_page, rebuild, receive, show};
#[cfg(unix)]
use crate::{doctor, install, watch};

/// Coverage of the source, and profiles for optimization (PGO): of any compiler, from programs, fleets and devices
#[derive(Parser, Debug)]
#[command(name = "profrt", version, after_help = EXAMPLES)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Task,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Task {
    /// Report code coverage as a table, HTML, lcov, Cobertura and others; uncovered lines; which tests cover a line
    Cov(Box<cov::Options>),
    /// Show the coverage of a running program, calls per second, and what ran since a mark
    #[cfg(all(unix, feature = "live"))]
    Live(Box<cov::live::Options>),
    /// Merge profiles of any compiler into what a chosen one reads, and list what was lost
    Merge(merge::Options),
    /// Merge profiles as they appear in a directory
    #[cfg(unix)]
    Watch(watch::Options),
    /// Print a profile: totals, hottest functions, call targets, memory sizes, one function
    Show(show::Options),
    /// Write an HTML report of a profile, or of two compared: hot, stale and untrained functions, call targets
    Report(profile_page::Options),
    /// Verify profiles: what is damaged, where and why, and what can be salvaged
    Check(check::Options),
    /// Convert a profile to another form: indexed, text, partial or pprof
    Convert(convert::Options),
    /// Make profiles from a device's output or memory, or from a core file
    #[command(after_help = DEVICE)]
    Device {
        /// What there is.
        #[command(subcommand)]
        command: Device,
    },
    /// Install profrt's archive for a clang: as an overlay, or in place of LLVM's
    #[cfg(unix)]
    Install(install::Options),
    /// List compilers and archives; tell which runtime a program has, and whether a profile matches it
    #[cfg(unix)]
    Doctor(doctor::Options),
    /// What only other systems have
    #[cfg(not(unix))]
    #[command(name = "watch", aliases = ["live", "install", "doctor"], hide = true, disable_help_flag = true)]
    Elsewhere {
        /// Anything
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Replace llvm-profdata of LLVM 22: takes its command lines
    #[command(name = "llvm-profdata", disable_help_flag = true, after_help = LLVM_PROFDATA)]
    LlvmProfdata {
        /// Arguments of llvm-profdata
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Print completions of all commands for a shell
    #[command(hide = true)]
    Completions(manual::Completions),
    /// Write the man pages of all commands to a directory
    #[command(hide = true)]
    Man(manual::Man),
}

/// What a device can leave.
#[derive(Subcommand, Debug)]
pub enum Device {
    /// Extract profiles from what a device prints (profrt_dump_frame), and pass on everything else to standard output
    Receive(receive::Options),
    /// Make a raw profile from an ELF file and counters: a counters-only dump, memory that a debugger saved, or a core file
    Rebuild(rebuild::Options),
}

/// Commands that were not yet in another one. Their names go with the next release.
const OLD: [(&str, &str); 6] = [
    ("diff", "report"),
    ("mark", "live"),
    ("quality", "report"),
    ("rebuild", "device"),
    ("receive", "device"),
    ("who", "cov"),
];

const EXAMPLES: &str = "\
Examples: the coverage of tests; a night's profiles of a fleet, for an older compiler

    profrt cov run -- ctest --test-dir build
    profrt merge night/ --for clang-16 -o night.profdata

`profrt COMMAND --help` has the options of a command, and an example. `profrt completions SHELL` and `profrt man DIR` write\ncompletions and man pages.";

const DEVICE: &str = "\
Examples: dumps on a serial line, and memory that a debugger has saved

    profrt device receive /dev/ttyUSB0 --count 1 -o firmware.profraw
    profrt device rebuild --object firmware.elf --ram ram.bin@0x20000000 -o firmware.profraw

Exit status: that of the command.";

const LLVM_PROFDATA: &str = "\
Example: the command line of a build script, and the same through a link

    profrt llvm-profdata merge -sparse -o app.profdata a.profraw b.profraw
    ln -s \"$(command -v profrt)\" ~/bin/llvm-profdata

Exit status: 0; 1 after a message, in LLVM's words.";

/// Runs what a command line names, whose first word is the name of the program, and returns the exit status. A wrong command line ends the
/// program.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some((_, group)) = OLD.iter().find(|(old, _)| arguments.get(1).is_some_and(|command| command == old)) {
        arguments.insert(1, group.into());
    }
    if let Some(status) = as_llvm_profdata(&arguments) {
        return status;
    }
    let arguments = match cov::config::with_file(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return exit("cov", Err(error)),
    };
    let (name, result) = match Arguments::parse_from(arguments).command {
        Task::Device { command: Device::Receive(options) } => ("device receive", receive::run(&options)),
        Task::Device { command: Device::Rebuild(options) } => ("device rebuild", rebuild::run(&options)),
        Task::Check(options) => ("check", check::run(&options)),
        Task::Merge(options) => ("merge", merge::run(&options)),
        #[cfg(unix)]
        Task::Watch(options) => ("watch", watch::run(&options)),
        Task::Convert(options) => ("convert", convert::run(&options)),
        Task::Show(options) => ("show", show::run(&options)),
        Task::Cov(options) => ("cov", cov::run(&options)),
        Task::Report(options) => ("report", profile_page::run(&options)),
        #[cfg(all(unix, feature = "live"))]
        Task::Live(options) => ("live", cov::live::run(&options)),
        #[cfg(unix)]
        Task::Install(options) => ("install", install::run(&options)),
        #[cfg(unix)]
        Task::Doctor(options) => ("doctor", doctor::run(&options)),
        #[cfg(not(unix))]
        Task::Elsewhere { .. } => {
            ("watch", Err(anyhow::anyhow!("watch, live, install and doctor do not run on this system")))
        }
        Task::Completions(options) => ("completions", manual::completions(Arguments::command(), &options)),
        Task::Man(options) => ("man", manual::man(Arguments::command(), &options)),
        // `as_llvm_profdata` has taken these command lines.
        Task::LlvmProfdata { .. } => return 0,
    };
    exit(name, result)
}

/// Runs as `llvm-profdata` if this is the name of the program or of the command, and names it if the command line is one of its. Its command
/// lines are no command lines of clap's.
fn as_llvm_profdata(arguments: &[OsString]) -> Option<u8> {
    let (program, arguments) = arguments.split_first()?;
    if llvm_profdata::is_name(Path::new(program)) {
        return Some(llvm_profdata::main(Path::new(program), arguments.iter().cloned()));
    }
    let (command, arguments) = arguments.split_first()?;
    if command == "llvm-profdata" {
        return Some(llvm_profdata::main(Path::new(command), arguments.iter().cloned()));
    }
    let hint = llvm_profdata::hint(command, arguments.iter().cloned())?;
    let _ = writeln!(std::io::stderr(), "profrt: {hint}");
    Some(2)
}
