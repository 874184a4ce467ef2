//! `llvm-profdata` replaced: the command lines of LLVM 22's tool, its output byte for byte, and its exit status.
//!
//! The commands are `merge`, `show`, `overlap` and `order`, for instrumentation profiles. `merge` repeats what the tool does, its defects
//! too ([`profdata::compat`]), as it does with `-num-threads=1`: the result does not depend on the number of threads. `profrt merge` is
//! the command for everybody who need not have LLVM's bytes.
//!
//! docs/tool/llvm-profdata.md lists what is different on purpose.

mod correlation;
mod failure;
mod grammar;
mod help;
mod input;
mod merge;
mod order;
mod output;
mod overlap;
mod pattern;
mod show;
mod words;

use std::ffi::OsString;
use std::path::Path;

use crate::inputs::path_of;
use failure::{Failure, bytes_of};
use grammar::{Command, MERGE, ORDER, OVERLAP, Request, SHOW};

/// Returns whether a program of this name is called as `llvm-profdata`.
pub fn is_name(program: &Path) -> bool {
    program.file_name().is_some_and(|name| name.to_string_lossy().contains("llvm-profdata"))
}

/// Returns why a command line of `profrt` is one of `llvm-profdata`: it has a command that only this has, or an option with one dash.
pub fn hint(command: &OsString, mut arguments: impl Iterator<Item = OsString>) -> Option<String> {
    let command = [MERGE, SHOW, OVERLAP, ORDER].into_iter().find(|known| command == known.name)?;
    let what = if [OVERLAP.name, ORDER.name].contains(&command.name) {
        command.name.to_owned()
    } else {
        arguments.find_map(|argument| grammar::single_dashed(&command, &bytes_of(Path::new(&argument))))?
    };
    Some(format!(
        "{what} is llvm-profdata's; `profrt llvm-profdata {} …` takes its command lines, and so does a link with the name llvm-profdata \
         (LLVM_PROFDATA=/path/of/the/link)",
        command.name
    ))
}

/// Runs the tool, and returns the exit status. `program` is the name under which it was called; `arguments` are those after it.
pub fn main(program: &Path, arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let name = program.file_name().map_or_else(|| "llvm-profdata".into(), |name| name.to_string_lossy());
    let program = Program { name: &name, path: &program.to_string_lossy() };
    let arguments: Vec<_> = arguments.into_iter().map(|argument| bytes_of(Path::new(&argument))).collect();
    match run(program, grammar::expand(arguments)) {
        Ok(()) => 0,
        Err(failure) => {
            let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{failure}"));
            1
        }
    }
}

/// The names under which the tool was called: LLVM prints both.
#[derive(Clone, Copy)]
struct Program<'a> {
    name: &'a str,
    path: &'a str,
}

fn run(program: Program<'_>, arguments: Vec<Vec<u8>>) -> Result<(), Failure> {
    let (Program { name: called, path }, mut arguments) = (program, arguments.into_iter());
    let Some(first) = arguments.next() else {
        let text = "No subcommand specified! Run llvm-profdata --help for usage.";
        return Err(Failure::of_line(format!("{called}: {text}")));
    };
    let name = String::from_utf8_lossy(&first);
    let commands: [(Command, Run); 4] =
        [(MERGE, merge::run), (SHOW, show::run), (OVERLAP, overlap::run), (ORDER, order::run)];
    let Some((command, run)) = commands.iter().find(|(command, _)| command.name == name) else {
        return top_level(program, &name);
    };
    match grammar::parse(command, program, arguments.collect())? {
        Request::Run(parsed) => run(called, &parsed),
        Request::Help => help::options(path, command),
        Request::Version => help::version(),
    }
}

/// Runs a command.
type Run = fn(&str, &grammar::Parsed) -> Result<(), Failure>;

/// Answers a command line that does not begin with the name of a command.
fn top_level(program: Program<'_>, argument: &str) -> Result<(), Failure> {
    let Program { name: called, path } = program;
    if !argument.starts_with('-') {
        return Err(Failure::of_line(format!("{called}: Unknown subcommand '{argument}'.  Try: '{path} --help'")));
    }
    match argument.trim_start_matches('-') {
        "version" => help::version(),
        name if name.starts_with('h') => help::commands(path),
        _ => {
            let text = format!("{called}: Unknown command line argument '{argument}'.  Try: '{path} --help'");
            Err(Failure::of_line(text))
        }
    }
}

/// The release that is repeated.
const RELEASE: u32 = 22;

/// Returns the release that is repeated.
fn release() -> profdata::write::Release {
    profdata::write::Release::new(RELEASE).unwrap_or(profdata::write::Release::NEWEST)
}
