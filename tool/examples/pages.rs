//! Writes the man pages and the shell completions of `profrt` to a directory, laid out as for `/usr/share`:
//! `cargo run -p profrt-tool --example pages -- DIR`.
//!
//! An example, so that a `profrt` that cargo installs does not carry the code. `cargo xtask package` packs what this writes.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate_to};
use profrt_tool::command_line::Arguments;

fn main() -> io::Result<()> {
    let Some(directory) = env::args_os().nth(1).map(PathBuf::from) else {
        return Err(io::Error::other("name the directory to write to"));
    };
    let make = |path: &str| -> io::Result<PathBuf> {
        let place = directory.join(path);
        fs::create_dir_all(&place)?;
        Ok(place)
    };
    let pages = make("man/man1")?;
    clap_mangen::generate_to(Arguments::command(), &pages)?;
    let mut all = Arguments::command();
    all.build();
    for group in all.get_subcommands().filter(|command| command.get_name() != "help") {
        synopsis(group, group.get_name(), &pages)?;
        for command in group.get_subcommands().filter(|command| command.get_name() != "help") {
            synopsis(command, &format!("{} {}", group.get_name(), command.get_name()), &pages)?;
        }
    }
    complete(Shell::Bash, &make("bash-completion/completions")?, "profrt")?;
    complete(Shell::Zsh, &make("zsh/vendor-completions")?, "_profrt")?;
    complete(Shell::Fish, &make("fish/vendor_completions.d")?, "profrt.fish")
}

/// Replaces the synopsis of a page, which has options without their values.
fn synopsis(command: &Command, name: &str, pages: &Path) -> io::Result<()> {
    let page = &pages.join(format!("profrt-{}.1", name.replace(' ', "-")));
    let text = fs::read_to_string(page)?;
    let (before, rest) = text.split_once(".SH SYNOPSIS\n").ok_or_else(|| io::Error::other("no synopsis"))?;
    let (_, after) = rest.split_once(".SH ").ok_or_else(|| io::Error::other("nothing after the synopsis"))?;
    let mut words = vec![format!("profrt {name}")];
    words.extend(command.get_arguments().map(|argument| {
        let text = argument.to_string();
        if argument.is_required_set() || argument.is_positional() { text } else { format!("[{text}]") }
    }));
    let words = words.join(" ").replace('-', "\\-");
    fs::write(page, format!("{before}.SH SYNOPSIS\n{words}\n.SH {after}"))
}

/// Writes the completions of a shell to a file with the name that the shell looks for.
fn complete(shell: Shell, directory: &Path, name: &str) -> io::Result<()> {
    let written = generate_to(shell, &mut Arguments::command(), "profrt", directory)?;
    fs::rename(written, directory.join(name))
}
