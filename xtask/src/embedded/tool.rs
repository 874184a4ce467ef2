//! `profrt` with what devices send: profiles out of a stream, and out of counters and an ELF file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::firmware::{Firmware, sources};
use testkit::run;

/// Fails unless the counters-only dump beside a raw profile is the same profile.
pub fn same_rebuilt(profrt: &Path, elf: &Path, raw: &Path) -> Result<()> {
    let same = fs::read(rebuild(profrt, elf, &raw.with_file_name("counters.bin"))?)? == fs::read(raw)?;
    ensure!(same, "{}: counters and ELF file make another profile", raw.display());
    Ok(())
}

/// The counters-only dump of a firmware as a raw profile.
pub fn rebuild(profrt: &Path, elf: &Path, dump: &Path) -> Result<PathBuf> {
    let rebuilt = dump.with_file_name("rebuilt.profraw");
    let _ = fs::remove_file(&rebuilt);
    run::quiet(Command::new(profrt).args(["rebuild", "--object"]).arg(elf).arg(dump).arg("-o").arg(&rebuilt))?;
    Ok(rebuilt)
}

/// Dumps over a serial line that is QEMU's standard output: a raw profile of which a byte was lost and sent again, and counters.
pub fn receive(profrt: &Path, firmware: &Firmware<'_>) -> Result<[PathBuf; 2]> {
    let elf = firmware.link()?;
    let mut qemu = firmware.qemu(&elf, &["stdio"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let line = qemu.stdout.take().context("a pipe")?;
    let mut receive = Command::new(profrt);
    receive.current_dir(firmware.directory()).args("receive - --timeout 20 -o got.profraw --object".split(' '));
    let output = receive.arg(&elf).stdin(line).output().context("profrt device receive did not start")?;
    let ended = qemu.wait()?;
    ensure!(ended.code() == Some(firmware.device.success), "the firmware ended with {ended}");
    let [text, told] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    ensure!(output.status.success(), "profrt device receive ended with {}\n{text}\n{told}", output.status);
    for what in ["boot\n", "tick\n", "temperature 23", "done\n"] {
        ensure!(text.contains(what), "the program's `{what}` is not in\n{text}");
    }
    ensure!(told.contains("1 line began like packets and were damaged"), "the lost byte is not told, but\n{told}");
    Ok(["got.profraw", "got-2.profraw"].map(|name| firmware.directory().join(name)))
}

/// Profiles of a firmware that dumps for ever, over other serial lines, and of its memory.
pub fn serial(profrt: &Path, firmware: &Firmware<'_>) -> Result<[PathBuf; 3]> {
    let elf = firmware.link()?;
    let qemu = firmware.qemu(&elf, &[]);
    let mut shell = Command::new("sh");
    shell.current_dir(firmware.directory()).env("PROFRT", profrt).env("ELF", &elf);
    run::quiet(shell.arg(sources().join("serial.sh")).arg(qemu.get_program()).args(qemu.get_args()))?;
    Ok(["pipe.profraw", "terminal.profraw", "saved.profraw"].map(|name| firmware.directory().join(name)))
}
