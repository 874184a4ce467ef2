//! The program that is started, with its continuous files in a private directory.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::Sender;

use anyhow::{Context as _, Result};
use rustix::process::{Pid, Signal, kill_process};

use super::control::{Control, VARIABLE};
use super::{Message, Options};

/// A name for each image of each process.
const NAME: &str = "%p%c.profraw";

/// The program.
pub(super) struct Program(Option<Pid>);

/// Returns the files that `--object` names, and that of the program.
pub(super) fn and_its_file(elf: &[PathBuf], command: &[OsString]) -> Vec<PathBuf> {
    let own = command.first().map(PathBuf::from).map(|name| {
        let is_path = name.components().count() > 1;
        let directories = env::var_os("PATH").filter(|_| !is_path).unwrap_or_default();
        let found = env::split_paths(&directories).map(|directory| directory.join(&name)).find(|path| path.is_file());
        found.unwrap_or(name)
    });
    // A script or a test runner that starts programs has none of its own: then `--object` names these.
    let is_known = |path: &PathBuf| elf.iter().any(|elf| elf == path);
    let own = own.filter(|path| !is_known(path) && (elf.is_empty() || crate::inputs::is_linked(path)));
    elf.iter().cloned().chain(own).collect()
}

impl Program {
    /// Starts the program, if there is one. Errors: it cannot be started.
    pub(super) fn start(
        options: &Options,
        directory: &Path,
        control: &Control,
        sender: Sender<Message>,
    ) -> Result<Program> {
        let Some((program, arguments)) = options.command.split_first() else { return Ok(Program(None)) };
        let mut command = Command::new(program);
        command.args(arguments).env("LLVM_PROFILE_FILE", directory.join(NAME)).env(VARIABLE, control.path());
        if options.json {
            command.stdout(Stdio::from(io::stderr()));
        } else if options.tui {
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        }
        let mut child = command
            .spawn()
            .with_context(|| format!("{} cannot be started", crate::inputs::display(program.as_ref())))?;
        let process = Pid::from_child(&child);
        std::thread::spawn(move || {
            let is_failed = !child.wait().is_ok_and(|status| status.success());
            let _ = sender.send(Message::Ended(is_failed));
        });
        Ok(Program(Some(process)))
    }

    /// Asks the program to end. Returns whether it runs.
    pub(super) fn stop(&self) -> bool {
        self.0.is_some_and(|process| kill_process(process, Signal::TERM).is_ok())
    }

    /// Notes that the program has ended: its number can be that of another one now.
    pub(super) fn has_ended(&mut self) {
        self.0 = None;
    }
}
