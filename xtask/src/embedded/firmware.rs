//! One firmware: its sources compiled, linked with the fragment, and run in QEMU.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::device::Device;
use testkit::{paths, run};

/// Longer than any of these programs takes on a machine that does other things too.
const SECONDS: &str = "60";

/// What makes one firmware differ from another.
#[derive(Clone, Debug)]
pub struct Firmware<'a> {
    pub name: &'a str,
    pub device: &'a Device,
    pub archive: &'a Path,
    /// The compiler of the subject; all else is compiled by it too.
    pub clang: &'a Path,
    /// How the subject is instrumented.
    pub instrumentation: &'a [&'a str],
    /// The program beside the subject, in `c-tests/qemu/`.
    pub main: &'a str,
    /// The linker, and the fragment in `linker-scripts/`, if any.
    pub linker: &'a str,
    pub fragment: Option<&'a str>,
    /// What the linker is told to define, if anything.
    pub define: &'a str,
}

impl Firmware<'_> {
    /// A directory of its own.
    pub fn directory(&self) -> PathBuf {
        paths::target().join("embedded/run").join(self.device.target).join(self.name)
    }

    /// Where the same is run on this machine.
    pub fn host_directory(&self) -> PathBuf {
        super::host_directory(self.device.target, self.name)
    }

    /// Compiles and links it: the ELF file.
    pub fn link(&self) -> Result<PathBuf> {
        let elf = self.directory().join("firmware.elf");
        let mut linker = self.linker(&self.compile()?, [""; 2])?;
        run::quiet(linker.arg("-o").arg(&elf))?;
        Ok(elf)
    }

    /// Compiles it: the object files.
    pub fn compile(&self) -> Result<Vec<PathBuf>> {
        let start = format!("start/{}", self.device.start);
        [(&*start, &[][..]), ("device.c", &[]), (self.main, &[]), ("subject.c", self.instrumentation)]
            .map(|(source, flags)| self.object(source, flags))
            .into_iter()
            .collect()
    }

    /// Compiles a file of `c-tests/qemu`.
    pub fn object(&self, source: &str, flags: &[&str]) -> Result<PathBuf> {
        let (sources, directory) = (sources(), self.directory());
        fs::create_dir_all(&directory).with_context(|| format!("cannot make {}", directory.display()))?;
        let object = directory.join(Path::new(source).with_extension("o").file_name().unwrap_or_default());
        let mut clang = Command::new(self.clang);
        // From there, so that names of static functions are the same everywhere.
        clang.current_dir(&sources).args(self.device.flags).args(["-Os", "-ffreestanding", "-fno-pic"]);
        clang.args(["-ffunction-sections", "-Wall", "-I."]).arg("-I").arg(paths::root().join("runtime/include"));
        run::quiet(clang.args(flags).args(["-c", source, "-o"]).arg(&object))?;
        Ok(object)
    }

    /// The linker with all that it needs but `-o`. `heap`: what more stands at the end of `.bss`, and of the script.
    pub fn linker(&self, objects: &[PathBuf], heap: [&str; 2]) -> Result<Command> {
        let scripts = paths::root().join("linker-scripts");
        let example = scripts.join("examples").join(self.device.script);
        let text = fs::read_to_string(&example).with_context(|| format!("cannot read {}", example.display()))?;
        let include = self.fragment.map_or_else(String::new, |fragment| format!("INCLUDE {fragment}"));
        let script = self.directory().join("firmware.ld");
        // Without a fragment there is nothing to check.
        let checks = if self.fragment.is_some() { "INCLUDE profrt-checks.x" } else { "" };
        let text = text.replace("INCLUDE profrt-checks.x", &format!("{}\n{checks}", heap[1]));
        let text =
            text.replace("INCLUDE profrt.x", &include).replace("bss_end = .;", &format!("bss_end = .; {}", heap[0]));
        fs::write(&script, text)?;
        let mut linker = Command::new(self.linker);
        if self.linker == self.device.gnu.0 {
            linker.args(self.device.gnu.1);
        }
        linker.arg("-L").arg(scripts).arg("-L").arg(sources()).arg("-T").arg(&script);
        if !self.define.is_empty() {
            linker.arg(format!("--defsym={}", self.define));
        }
        linker.args(["--gc-sections", "--build-id=sha1"]).args(objects).arg(self.archive);
        Ok(linker)
    }

    /// QEMU with this program, and what its serial lines are.
    pub fn qemu(&self, elf: &Path, serial: &[&str]) -> Result<Command> {
        let (program, machine) = self.device.qemu.split_first().context("a device has its QEMU")?;
        let mut qemu = Command::new(program);
        qemu.current_dir(self.directory()).args(machine).args(["-display", "none", "-monitor", "none"]);
        if self.device.has_semihosting() {
            qemu.args(["-semihosting-config", "enable=on,target=native"]);
        } else {
            // What it says; not where the serial line is.
            qemu.args(["-debugcon", if serial == ["stdio"] { "null" } else { "stdio" }]);
        }
        for line in serial {
            qemu.args(["-serial", line]);
        }
        qemu.arg("-kernel").arg(elf).stdin(Stdio::null());
        Ok(qemu)
    }

    /// Runs it: what it says.
    pub fn run(&self) -> Result<Said> {
        let elf = self.link()?;
        let mut qemu = limited(&self.qemu(&elf, self.device.serial)?);
        let output = qemu.output().with_context(|| format!("`{}` did not start", run::shown(&qemu)))?;
        // Semihosting writes to standard error.
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        if output.status.code() != Some(self.device.success) {
            bail!("`{}` ended with {}\n{text}", run::shown(&qemu), output.status);
        }
        Ok(Said(text))
    }
}

/// The same command, ended when it takes too long.
pub fn limited(command: &Command) -> Command {
    let mut limited = Command::new("timeout");
    limited.arg(SECONDS).arg(command.get_program()).args(command.get_args()).stdin(Stdio::null());
    if let Some(directory) = command.get_current_dir() {
        limited.current_dir(directory);
    }
    limited
}

/// Where the C files are.
pub fn sources() -> PathBuf {
    paths::root().join("c-tests/qemu")
}

/// Lines of a word and a number.
#[derive(Debug)]
pub struct Said(String);

impl Said {
    /// The number behind a word.
    pub fn number(&self, word: &str) -> Result<i64> {
        let line = self.0.lines().find_map(|line| line.strip_prefix(word)?.strip_prefix(' '));
        let number = line.and_then(|number| number.trim().parse().ok());
        number.with_context(|| format!("the firmware does not say `{word}`, but\n{}", self.0))
    }

    /// All words that begin so, with their numbers.
    pub fn numbers(&self, beginning: &str) -> Vec<(&str, i64)> {
        let pair = |line: &'_ str| -> Option<(usize, i64)> {
            let (word, number) = line.split_once(' ')?;
            Some((word.len(), number.trim().parse().ok()?))
        };
        let lines = self.0.lines().filter(|line| line.starts_with(beginning));
        lines.filter_map(|line| pair(line).map(|(len, number)| (&line[..len], number))).collect()
    }
}
