//! `-help` and `-version`.

use super::failure::Failure;
use super::grammar::{Command, MERGE, ORDER, OVERLAP, SHOW};
use super::{RELEASE, output};

/// What a command does, and an example of its arguments.
fn about(command: &Command) -> (&'static str, &'static str) {
    match command.name {
        "merge" => ("Merges profiles", "-sparse -o app.profdata a.profraw b.profraw"),
        "show" => ("Prints what a profile has", "-all-functions -counts app.profdata"),
        "overlap" => ("Compares two profiles", "old.profdata new.profdata"),
        _ => ("Prints an order of functions for the linker", "app.profdata"),
    }
}

/// Prints the commands.
pub(super) fn commands(program: &str) -> Result<(), Failure> {
    let mut text = format!("USAGE: {program} [subcommand] [options]\n\nSUBCOMMANDS:\n\n");
    for command in [MERGE, ORDER, OVERLAP, SHOW] {
        let (purpose, example) = about(&command);
        text += &format!("  {:7} - {purpose}: {program} {} {example}\n", command.name, command.name);
    }
    text += &format!("\n  Type \"{program} <subcommand> --help\" for its options\n");
    print(&text)
}

/// Prints the options of a command.
pub(super) fn options(program: &str, command: &Command) -> Result<(), Failure> {
    let (purpose, example) = about(command);
    let name = command.name;
    let options: String = command.names().iter().map(|option| format!("  {option}\n")).collect();
    print(&format!(
        "OVERVIEW: {purpose}\n\nUSAGE: {program} {name} [options] <files>\n\nOPTIONS:\n\n{options}\nEXAMPLE: {program} {name} {example}\n"
    ))
}

/// Prints the version.
pub(super) fn version() -> Result<(), Failure> {
    let version = env!("CARGO_PKG_VERSION");
    print(&format!("profrt {version}, in the place of:\nLLVM version {RELEASE}.1.8\n  Optimized build.\n"))
}

fn print(text: &str) -> Result<(), Failure> {
    output::write(b"-", |out| out.write_all(text.as_bytes()))
}
