//! Writes the man pages and the shell completions of `profrt` to a directory, laid out as for `/usr/share`:
//! `cargo run -p profrt-tool --example pages -- DIR`.
//!
//! An example, so that a `profrt` that cargo installs does not carry the code. `cargo xtask package` packs what this writes.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use clap::CommandFactory;
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
    clap_mangen::generate_to(Arguments::command(), make("man/man1")?)?;
    complete(Shell::Bash, &make("bash-completion/completions")?, "profrt")?;
    complete(Shell::Zsh, &make("zsh/vendor-completions")?, "_profrt")?;
    complete(Shell::Fish, &make("fish/vendor_completions.d")?, "profrt.fish")
}

/// Writes the completions of a shell to a file with the name that the shell looks for.
fn complete(shell: Shell, directory: &Path, name: &str) -> io::Result<()> {
    let written = generate_to(shell, &mut Arguments::command(), "profrt", directory)?;
    fs::rename(written, directory.join(name))
}
