//! One firmware: its sources compiled, linked with the fragment, and run in QEMU.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

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
    /// Symbols that the linker is told to define.
    pub define: &'a [&'a str],
}

impl Firmware<'_> {
    /// A directory of its own.
    pub fn directory(&self) -> PathBuf {
        paths::target().join("embedded/run").join(self.device.target).join(self.name)
    }

    /// What [`Self::link`] writes.
    pub fn elf(&self) -> PathBuf {
        self.directory().join("firmware.elf")
    }

    /// Compiles and links it: the ELF file.
    pub fn link(&self) -> Result<PathBuf> {
        run::quiet(self.linker(&self.compile()?, &[])?.arg("-o").arg(self.elf()))?;
        Ok(self.elf())
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

    /// The linker with all that it needs but `-o`. Its script is the example of the device, with these texts replaced.
    pub fn linker(&self, objects: &[PathBuf], replaced: &[(&str, &str)]) -> Result<Command> {
        let scripts = paths::root().join("linker-scripts");
        let example = scripts.join("examples").join(self.device.script);
        let mut text = fs::read_to_string(&example).with_context(|| format!("cannot read {}", example.display()))?;
        let include = self.fragment.map(|fragment| format!("INCLUDE {fragment}"));
        // Without a fragment there is nothing to check.
        let ours = [
            ("INCLUDE profrt-checks.x", include.as_ref().map_or("", |_| "INCLUDE profrt-checks.x")),
            ("INCLUDE profrt.x", include.as_deref().unwrap_or_default()),
        ];
        for (from, to) in replaced.iter().chain(&ours) {
            ensure!(text.contains(from), "{} has no {from}", example.display());
            text = text.replace(from, to);
        }
        let script = self.directory().join("firmware.ld");
        fs::write(&script, text)?;
        let mut linker = Command::new(self.linker);
        if self.linker == self.device.gnu.0 {
            linker.args(self.device.gnu.1);
        }
        linker.arg("-L").arg(scripts).arg("-L").arg(sources()).arg("-T").arg(&script);
        linker.args(self.define.iter().map(|symbol| format!("--defsym={symbol}")));
        linker.args(["--gc-sections", "--build-id=sha1"]).args(objects).arg(self.archive);
        Ok(linker)
    }

    /// QEMU with this program, and what its serial lines are; ended when it takes too long.
    pub fn qemu(&self, elf: &Path, serial: &[&str]) -> Command {
        let mut qemu = Command::new("timeout");
        qemu.current_dir(self.directory()).arg(SECONDS).args(self.device.qemu);
        qemu.args(["-display", "none", "-monitor", "none"]);
        if self.device.has_semihosting() {
            qemu.args(["-semihosting-config", "enable=on,target=native"]);
        } else {
            // What it says; not where the serial line is.
            qemu.args(["-debugcon", if serial == ["stdio"] { "null" } else { "stdio" }]);
        }
        qemu.args(serial.iter().flat_map(|line| ["-serial", line])).arg("-kernel").arg(elf).stdin(Stdio::null());
        qemu
    }

    /// Runs it: what it says.
    pub fn run(&self) -> Result<Said> {
        let mut qemu = self.qemu(&self.link()?, self.device.serial);
        let output = qemu.output().with_context(|| format!("`{}` did not start", run::shown(&qemu)))?;
        // Semihosting writes to standard error.
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        if output.status.code() != Some(self.device.success) {
            bail!("`{}` ended with {}\n{text}", run::shown(&qemu), output.status);
        }
        Ok(Said(text))
    }
}

/// Where the C files are.
pub fn sources() -> PathBuf {
    paths::root().join("c-tests/qemu")
}

/// Lines of a word and a number.
#[derive(Debug)]
pub struct Said(String);

impl Said {
    /// All words with their numbers.
    pub fn numbers(&self) -> impl Iterator<Item = (&str, i64)> {
        self.0.lines().filter_map(|line| {
            let (word, number) = line.split_once(' ')?;
            Some((word, number.trim().parse().ok()?))
        })
    }

    /// Fails unless each of these words has its number.
    pub fn expect(&self, expected: &[(&str, i64)]) -> Result<()> {
        for (word, number) in expected {
            let found = self.numbers().find(|(found, _)| found == word).map(|(_, number)| number);
            ensure!(found == Some(*number), "the firmware does not say `{word} {number}`, but\n{}", self.0);
        }
        Ok(())
    }
}
