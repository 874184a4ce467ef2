//! The measured programs: each object compiled once, linked with the compiler's archive and with ours.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use profrt_overlay::compiler::Compiler;
use profrt_overlay::overlay::{Entries, overlay};
use tempfile::TempDir;

use super::generated::Many;
use super::measure::{self, behind};
use testkit::toolchain::{self, Clang, Packages};
use testkit::{dist, paths, run};

/// Whose archive a program is linked with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The compiler's.
    Official,
    Ours,
    /// No runtime, and hooks that do nothing.
    Empty,
}

pub const SIDES: [Side; 2] = [Side::Official, Side::Ours];

/// Where the programs are, and what they are made with.
pub struct Programs {
    pub clang: Clang,
    pub packages: Packages,
    directory: TempDir,
}

/// What a process has used.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    /// Milliseconds in user mode and in the system.
    pub cpu: f64,
    /// Milliseconds from start to end.
    pub wall: f64,
    /// The largest number of MiB in memory at once.
    pub peak: f64,
}

/// What two commands have used, LLVM's and ours, in each of their turns.
pub type Turns = Vec<[Used; 2]>;

impl Programs {
    /// Nothing but a resource directory in which our archive is the compiler's, and what measures processes.
    pub fn prepare(packages: Packages) -> Result<Programs> {
        let clang = toolchain::newest()?;
        let directory = tempfile::Builder::new().prefix("profrt-bench-").tempdir()?;
        let programs = Programs { clang, packages, directory };
        let compiler = Compiler::ask(&programs.clang.clang)?;
        let ours = dist::for_compiler(&compiler)?.archive;
        overlay(&compiler, &ours, &programs.resources(), Entries::Link)?;
        let rusage = programs.compile("rusage.c", &[])?;
        programs.link_for(Side::Empty, "rusage", &[&rusage], &[])?;
        Ok(programs)
    }

    /// A place for a file that a measurement needs.
    pub fn scratch(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A directory for what measured programs leave, with nothing in it.
    pub fn fresh(&self) -> Result<PathBuf> {
        let directory = self.scratch("run");
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir(&directory)?;
        Ok(directory)
    }

    /// The program of this name as linked for this side.
    pub fn path(&self, side: Side, name: &str) -> PathBuf {
        self.scratch(&format!("{name}-{side:?}"))
    }

    /// The program as a command in this directory, whose profile has this name; without one, the name that is the runtime's own.
    pub fn command(&self, side: Side, name: &str, directory: &Path, profile: Option<&str>) -> Command {
        let mut command = Command::new(self.path(side, name));
        command.current_dir(directory).env_remove("LLVM_PROFILE_FILE");
        command.envs(profile.map(|profile| ("LLVM_PROFILE_FILE", profile)));
        command
    }

    /// What so many runs of a command use, one after the other: means of the CPU time, the median of the time from start to end.
    pub fn used(&self, command: &Command, times: u32) -> Result<Used> {
        let mut rusage = Command::new(self.path(Side::Empty, "rusage"));
        let [cpu, wall, peak] = measure::printed(behind(rusage.arg(times.to_string()), command))?;
        Ok(Used { cpu: cpu / 1e6, wall: wall / 1e6, peak: peak / 1024.0 })
    }

    /// What two commands use that take turns.
    pub fn turns(&self, rounds: usize, [official, ours]: [&Command; 2]) -> Result<Turns> {
        (0..rounds).map(|_| Ok([self.used(official, 1)?, self.used(ours, 1)?])).collect()
    }

    pub fn resources(&self) -> PathBuf {
        self.scratch("resources")
    }

    /// Compiles a source of `xtask/bench/`.
    pub fn compile(&self, source: &str, options: &[&str]) -> Result<PathBuf> {
        let object = self.scratch(source).with_extension("o");
        self.compile_to(&object, &paths::root().join("xtask/bench").join(source), options)?;
        Ok(object)
    }

    /// Assembles sections of so many functions.
    pub fn assemble(&self, many: &Many) -> Result<PathBuf> {
        let object = self.scratch(many.name).with_extension("sections.o");
        let definitions = many.definitions();
        let source = paths::root().join("xtask/bench/sections.S");
        self.compile_to(&object, &source, &definitions.each_ref().map(String::as_str))?;
        Ok(object)
    }

    pub fn compile_to(&self, object: &Path, source: &Path, options: &[&str]) -> Result<()> {
        let mut clang = Command::new(&self.clang.clang);
        clang.args(["-O2", "-w", "-c"]).args(options).arg(source).arg("-o").arg(object);
        run::quiet(&mut clang)
    }

    /// The programs of `many.c` with these sections.
    pub fn build_many(&self, all: &[Many]) -> Result<()> {
        let main = self.compile("many.c", &["-fprofile-generate"])?;
        all.iter().try_for_each(|many| self.link(many.name, &[&main, &self.assemble(many)?], &[]))
    }

    /// Links a program for both sides.
    pub fn link(&self, name: &str, objects: &[&Path], options: &[&str]) -> Result<()> {
        SIDES.into_iter().try_for_each(|side| self.link_for(side, name, objects, options))
    }

    pub fn link_for(&self, side: Side, name: &str, objects: &[&Path], options: &[&str]) -> Result<()> {
        let mut clang = Command::new(&self.clang.clang);
        clang.args(objects).args(options).arg("-pthread").arg("-o").arg(self.path(side, name));
        if side == Side::Ours {
            clang.arg("-resource-dir").arg(self.resources());
        }
        if side != Side::Empty && !options.contains(&"--coverage") {
            clang.arg("-fprofile-generate");
        }
        run::quiet(&mut clang)
    }
}
