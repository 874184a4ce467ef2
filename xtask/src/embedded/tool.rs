//! `profrt` with what devices send: profiles out of a stream, and out of counters and an ELF file.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::firmware::{Firmware, limited};
use crate::package;
use testkit::run;

/// Seconds without a byte after which a test has failed.
const SILENCE: &str = "20";

/// Where variables are by `cortex-m.ld`, and how many bytes.
const RAM: (&str, u32) = ("0x20000000", 16 * 1024);

/// The tool.
pub struct Tool(PathBuf);

impl Tool {
    /// Builds it.
    pub fn build() -> Result<Tool> {
        package::everyday().map(Tool)
    }

    fn command(&self, directory: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(&self.0);
        command.current_dir(directory).args(words);
        command
    }

    /// The counters-only dump of a firmware as a raw profile.
    pub fn rebuild(&self, elf: &Path, dump: &Path) -> Result<PathBuf> {
        let directory = dump.parent().context("a directory")?;
        let rebuilt = directory.join("rebuilt.profraw");
        let _ = fs::remove_file(&rebuilt);
        let mut command = self.command(directory, &["rebuild", "--elf"]);
        run::quiet(command.arg(elf).arg(dump).arg("-o").arg(&rebuilt))?;
        Ok(rebuilt)
    }

    /// Dumps over a serial line that is QEMU's standard output: a raw profile of which a byte was lost and sent again, and counters.
    pub fn receive(&self, firmware: &Firmware<'_>) -> Result<[PathBuf; 2]> {
        let (directory, elf) = (firmware.directory(), firmware.link()?);
        let mut qemu =
            limited(&firmware.qemu(&elf, &["stdio"])?).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let line = qemu.stdout.take().context("a pipe")?;
        let mut receive =
            self.command(&directory, &["receive", "-", "--timeout", SILENCE, "-o", "got.profraw", "--elf"]);
        let output = receive.arg(&elf).stdin(line).output().context("profrt receive did not start")?;
        let ended = qemu.wait()?;
        ensure!(ended.code() == Some(firmware.device.success), "the firmware ended with {ended}");
        let text = received(&output)?;
        for what in ["boot\n", "tick\n", "temperature 23", "done\n"] {
            ensure!(text.contains(what), "the program's `{what}` is not in\n{text}");
        }
        let told = String::from_utf8_lossy(&output.stderr);
        ensure!(told.contains("1 line began like packets and were damaged"), "the lost byte is not told, but\n{told}");
        Ok(["got.profraw", "got-2.profraw"].map(|name| directory.join(name)))
    }

    /// Memory of a device that runs, as a debugger saves it, and the ELF file: the device has no part in that dump.
    pub fn saved_memory(&self, firmware: &Firmware<'_>) -> Result<PathBuf> {
        let (directory, elf) = (firmware.directory(), firmware.link()?);
        let [line, ram, saved] = ["line.txt", "ram.bin", "saved.profraw"].map(|name| directory.join(name));
        for old in [&line, &ram, &saved] {
            let _ = fs::remove_file(old);
        }
        let mut qemu = firmware.qemu(&elf, &[&format!("file:{}", line.display())])?;
        // Of two words about the monitor the last one counts; the first was `none`.
        qemu.args(["-monitor", "stdio"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut qemu = Running(qemu.spawn()?);
        // It dumps, so it has counted.
        waited(|| Ok(fs::read_to_string(&line).is_ok_and(|text| text.contains("~P"))))
            .context("the firmware says nothing")?;
        let (address, len) = RAM;
        writeln!(qemu.0.stdin.take().context("a pipe")?, "stop\npmemsave {address} {len} ram.bin\nquit")?;
        waited(|| Ok(qemu.0.try_wait()?.is_some())).context("QEMU does not end")?;
        let mut rebuild = self.command(&directory, &["rebuild", "--elf"]);
        run::quiet(rebuild.arg(&elf).args(["--ram", &format!("ram.bin@{address}"), "-o"]).arg(&saved))?;
        Ok(saved)
    }

    /// A dump over what QEMU makes of a serial line: a pipe with a name, or a terminal device.
    pub fn receive_from(&self, firmware: &Firmware<'_>, terminal: bool) -> Result<PathBuf> {
        let (directory, elf) = (firmware.directory(), firmware.link()?);
        // QEMU reads from the first and writes to the second.
        let pipes = ["line.in", "line.out"].map(|name| directory.join(name));
        for pipe in &pipes {
            let _ = fs::remove_file(pipe);
            run::quiet(Command::new("mkfifo").arg(pipe))?;
        }
        let serial = if terminal { "pty".to_owned() } else { format!("pipe:{}", directory.join("line").display()) };
        let said = directory.join("qemu.txt");
        let log = fs::File::create(&said)?;
        let mut qemu = Running(firmware.qemu(&elf, &[&serial])?.stdout(log.try_clone()?).stderr(log).spawn()?);
        let source = if terminal { device_of(&said, &mut qemu.0)? } else { pipes[1].display().to_string() };
        let name = if terminal { "terminal.profraw" } else { "pipe.profraw" };
        let mut receive =
            self.command(&directory, &["receive", &source, "--count", "1", "--timeout", SILENCE, "-o", name]);
        received(&receive.output()?)?;
        Ok(directory.join(name))
    }
}

/// What the program has printed, of a receiver that has got everything.
fn received(output: &Output) -> Result<String> {
    let [text, told] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    ensure!(output.status.success(), "profrt receive ended with {}\n{text}\n{told}", output.status);
    Ok(text)
}

/// Comes back when it is so; not so within 30 seconds is an error.
fn waited(mut is_so: impl FnMut() -> Result<bool>) -> Result<()> {
    let start = Instant::now();
    while !is_so()? {
        ensure!(start.elapsed() < Duration::from_secs(30), "waited for 30 s");
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// A firmware that does not end by itself.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The terminal device that QEMU names when it starts.
fn device_of(said: &Path, qemu: &mut Child) -> Result<String> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(10) && qemu.try_wait()?.is_none() {
        let text = fs::read_to_string(said)?;
        if let Some(device) = text.split_whitespace().find(|word| word.starts_with("/dev/")) {
            return Ok(device.to_owned());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    bail!("QEMU names no terminal device, but says\n{}", fs::read_to_string(said)?)
}
