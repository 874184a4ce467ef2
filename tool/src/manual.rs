//! Man pages and shell completions, made of the grammar of the command line.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result};
use clap::Command;
use clap_complete::Shell;

/// What to write completions for.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Example: for bash

    profrt completions bash

Exit status: 0; 1 after an error.")]
pub struct Completions {
    /// The shell
    shell: Shell,
}

/// Where man pages go.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Example: a page for each command, where man looks for them

    profrt man ~/.local/share/man/man1

Exit status: 0; 1 after an error.")]
pub struct Man {
    /// The directory to write to
    directory: PathBuf,
}

/// Prints the completions of all commands.
pub fn completions(mut grammar: Command, options: &Completions) -> Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(options.shell, &mut grammar, "profrt", &mut text);
    io::stdout().write_all(&text)?;
    Ok(0)
}

/// Writes a page for each command. Errors: the directory cannot be written to.
pub fn man(mut grammar: Command, options: &Man) -> Result<u8> {
    let directory = &options.directory;
    fs::create_dir_all(directory).with_context(|| crate::inputs::display(directory))?;
    clap_mangen::generate_to(grammar.clone(), directory)?;
    grammar.build();
    for group in shown(&grammar) {
        synopsis(group, group.get_name(), directory)?;
        for command in shown(group) {
            synopsis(command, &format!("{} {}", group.get_name(), command.get_name()), directory)?;
        }
    }
    Ok(0)
}

fn shown(group: &Command) -> impl Iterator<Item = &Command> {
    group.get_subcommands().filter(|command| command.get_name() != "help" && !command.is_hide_set())
}

/// Replaces the synopsis of a page, which has options without their values.
fn synopsis(command: &Command, name: &str, pages: &Path) -> Result<()> {
    let page = &pages.join(format!("profrt-{}.1", name.replace(' ', "-")));
    let text = fs::read_to_string(page).with_context(|| crate::inputs::display(page))?;
    let (before, rest) = text.split_once(".SH SYNOPSIS\n").context("no synopsis")?;
    let (_, after) = rest.split_once(".SH ").context("nothing after the synopsis")?;
    let mut words = vec![format!("profrt {name}")];
    words.extend(command.get_arguments().map(|argument| {
        let text = argument.to_string();
        if argument.is_required_set() || argument.is_positional() { text } else { format!("[{text}]") }
    }));
    let words = words.join(" ").replace('-', "\\-");
    Ok(fs::write(page, format!("{before}.SH SYNOPSIS\n{words}\n.SH {after}"))?)
}
