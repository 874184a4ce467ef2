//! A part of the suite that runs while others do: most of them keep one core busy, and there are more.

use std::env;
use std::fs::{self, File};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

/// A command of ours in a process of its own, which says nothing before it has ended.
pub struct Beside {
    name: &'static str,
    process: Child,
    said: NamedTempFile,
}

impl Beside {
    /// Starts `cargo xtask NAME`.
    pub fn start(name: &'static str) -> Result<Beside> {
        let said = NamedTempFile::new()?;
        let to = || -> Result<Stdio> { Ok(File::options().append(true).open(said.path())?.into()) };
        let process = Command::new(env::current_exe()?)
            .arg(name)
            .stdin(Stdio::null())
            .stdout(to()?)
            .stderr(to()?)
            .spawn()
            .with_context(|| format!("cargo xtask {name} did not start"))?;
        Ok(Beside { name, process, said })
    }

    /// Waits for its end and shows what it has said.
    pub fn finish(mut self) -> Result<()> {
        let status = self.process.wait()?;
        print!("{}", String::from_utf8_lossy(&fs::read(self.said.path())?));
        if !status.success() {
            bail!("`cargo xtask {}` failed ({status}); its own message is above", self.name);
        }
        Ok(())
    }
}

impl Drop for Beside {
    /// When another part has failed: it need not go on.
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
