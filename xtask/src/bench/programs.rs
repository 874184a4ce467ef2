//! The measured programs: each object compiled once, linked with the official archives and with ours.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use tempfile::TempDir;

use super::generated::{self, Functions, GROWTH, MANY, NODES};
use crate::install::{self, Entries};
use crate::toolchain::{self, Clang, Compiler};
use crate::{paths, run};

/// Whose archive a program is linked with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The compiler's.
    Official,
    /// That of an older release with the same raw version.
    Older,
    Ours,
    /// Hooks that do nothing, and nothing else.
    Empty,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Side::Official => "official",
            Side::Older => "older",
            Side::Ours => "ours",
            Side::Empty => "empty",
        }
    }
}

/// Where the programs are, and what they were made with.
pub struct Programs {
    pub clang: Clang,
    /// Another clang with the same raw version, if there is one.
    pub older: Option<Clang>,
    /// Whether this machine has what a static program is linked with.
    pub links_static: bool,
    directory: TempDir,
}

impl Programs {
    /// `quick`: without those that only the curves of growth need.
    pub fn build(quick: bool) -> Result<Programs> {
        let clang = toolchain::newest()?;
        let same = |other: &Clang| other.raw == clang.raw && other.version < clang.version;
        let older = toolchain::clangs().into_iter().filter(same).max_by_key(|other| other.version);
        eprintln!("compiling the measured programs with clang {}", clang.version);
        let mut programs = Programs::prepare(clang, older)?;
        let empty = programs.compile("empty.c", &[])?;
        let calls = programs.compile("calls.c", &["-fprofile-generate"])?;
        programs.link("calls", &[&calls], Some(&empty), &["-Wl,--section-start=called=0x2000000"])?;
        let tiny = programs.compile("tiny.c", &["-fprofile-instr-generate"])?;
        programs.link(TINY, &[&tiny], Some(&empty), &["-fuse-ld=bfd"])?;
        let moved = programs.scratch("tiny-moved.o");
        let flags = ["-fprofile-instr-generate", "-mllvm", "-runtime-counter-relocation"];
        programs.compile_to(&moved, &source("tiny.c"), &flags)?;
        programs.link(MOVED, &[&moved], None, &[])?;
        programs.links_static = programs.link(STATIC, &[&tiny], None, &["-static"]).is_ok();
        let hot = programs.compile("loop.c", &["-fprofile-instr-generate"])?;
        programs.link("loop", &[&hot], None, &[])?;
        // Behind the program's objects.
        let pages = programs.resources(Side::Ours).join("lib/linux/profrt-continuous.o");
        programs.link_for(Side::Ours, PAGED, &[&hot, &pages], None, &[])?;
        // Side by side: these are what takes long.
        let parts: [&(dyn Fn() -> Result<()> + Sync); 2] =
            [&|| programs.build_generated(&empty), &|| programs.build_many(quick)];
        run::each(&parts, |part| part())?;
        Ok(programs)
    }

    /// Nothing built yet, for the newest clang's archive and ours.
    pub fn of_two_sides() -> Result<Programs> {
        Programs::prepare(toolchain::newest()?, None)
    }

    fn prepare(clang: Clang, older: Option<Clang>) -> Result<Programs> {
        let directory = tempfile::Builder::new().prefix("profrt-bench-").tempdir()?;
        let programs = Programs { clang, older, links_static: false, directory };
        programs.lay_resources()?;
        Ok(programs)
    }

    fn build_generated(&self, empty: &Path) -> Result<()> {
        let (nodes, dump) = (self.compile_generated(&NODES)?, self.compile("dump.c", &[])?);
        self.link(NODES.name, &[&dump, &nodes], None, &[])?;
        let source = self.scratch("sites-functions.c");
        fs::write(&source, generated::sites())?;
        let (functions, sites) = (self.compile_at(&source, &["-fprofile-generate"])?, self.compile("sites.c", &[])?);
        self.link("sites", &[&sites, &functions], Some(empty), &[])
    }

    fn build_many(&self, quick: bool) -> Result<()> {
        let main = self.compile("many.c", &["-fprofile-generate"])?;
        for many in MANY.iter().filter(|many| !quick || !GROWTH.iter().any(|grown| grown.name == many.name)) {
            let source = self.scratch(&format!("{}.s", many.name));
            fs::write(&source, many.text())?;
            let object = self.compile_at(&source, &[])?;
            self.link(many.name, &[&main, &object], None, &[])?;
        }
        Ok(())
    }

    /// Compiles and links a program that calls the runtime for gcov.
    pub fn build_for_gcov(&self, name: &str, text: &str) -> Result<()> {
        let source = self.scratch(&format!("{name}.c"));
        fs::write(&source, text)?;
        let object = self.compile_at(&source, &[])?;
        self.link(name, &[&object], None, &["--coverage"])
    }

    /// The sides that are compared.
    pub fn sides(&self) -> Vec<Side> {
        let all = [Side::Official, Side::Older, Side::Ours];
        all.into_iter().filter(|side| *side != Side::Older || self.older.is_some()).collect()
    }

    /// The program of this name as linked for this side.
    pub fn path(&self, side: Side, name: &str) -> PathBuf {
        self.directory.path().join(format!("{name}-{}", side.name()))
    }

    /// A place for a file that a measurement needs.
    pub fn scratch(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The program as a command in a clean environment.
    pub fn command(&self, side: Side, name: &str) -> Command {
        let mut command = Command::new(self.path(side, name));
        self.quiet(&mut command);
        command
    }

    /// Lets what the command leaves fall where nobody looks.
    pub fn quiet(&self, command: &mut Command) {
        command.current_dir(self.directory.path()).env("LLVM_PROFILE_FILE", self.scratch("left.profraw"));
    }

    /// A resource directory for each side in which its archive is the compiler's.
    fn lay_resources(&self) -> Result<()> {
        let compiler = Compiler::ask(&self.clang.clang)?;
        let ours = install::archive_for(&compiler)?.archive;
        install::overlay(&compiler, &ours, &self.resources(Side::Ours), Entries::Link)?;
        if let Some(older) = &self.older {
            install::overlay(&compiler, &older.official, &self.resources(Side::Older), Entries::Link)?;
        }
        Ok(())
    }

    fn resources(&self, side: Side) -> PathBuf {
        self.scratch(&format!("resources-{}", side.name()))
    }

    fn compile(&self, source: &str, options: &[&str]) -> Result<PathBuf> {
        self.compile_at(&self::source(source), options)
    }

    fn compile_generated(&self, functions: &Functions) -> Result<PathBuf> {
        let source = self.scratch(&format!("{}.c", functions.name));
        fs::write(&source, functions.text())?;
        // The compiler's pool is as large as the official runtime needs it to keep every value.
        let pool = format!("-vp-counters-per-site={}", functions.values.max(1));
        self.compile_at(&source, &["-fprofile-generate", "-mllvm", &pool])
    }

    fn compile_at(&self, source: &Path, options: &[&str]) -> Result<PathBuf> {
        let object = self.directory.path().join(source.file_stem().unwrap_or_default()).with_extension("o");
        self.compile_to(&object, source, options)?;
        Ok(object)
    }

    fn compile_to(&self, object: &Path, source: &Path, options: &[&str]) -> Result<()> {
        let mut clang = Command::new(&self.clang.clang);
        clang.args(["-O2", "-w", "-c"]).args(options).arg(source).arg("-o").arg(object);
        run::quiet(&mut clang)
    }

    /// Links a program for every side. `empty`: what stands for the runtime where there is none.
    pub fn link(&self, name: &str, objects: &[&Path], empty: Option<&Path>, options: &[&str]) -> Result<()> {
        for side in self.sides().into_iter().chain(empty.map(|_| Side::Empty)) {
            self.link_for(side, name, objects, empty, options)?;
        }
        Ok(())
    }

    fn link_for(
        &self,
        side: Side,
        name: &str,
        objects: &[&Path],
        empty: Option<&Path>,
        options: &[&str],
    ) -> Result<()> {
        let mut clang = Command::new(&self.clang.clang);
        clang.args(objects).args(options).arg("-pthread").arg("-o").arg(self.path(side, name));
        let brings = if options.contains(&"--coverage") { "--coverage" } else { "-fprofile-generate" };
        match side {
            Side::Empty => clang.args(empty),
            Side::Official => clang.arg(brings),
            Side::Older | Side::Ours => clang.arg(brings).arg("-resource-dir").arg(self.resources(side)),
        };
        run::quiet(&mut clang)
    }
}

fn source(name: &str) -> PathBuf {
    paths::root().join("xtask/bench").join(name)
}

/// The loop whose counters have whole pages.
pub const PAGED: &str = "loop-paged";

/// The smallest program, with one function.
pub const TINY: &str = "tiny";
/// The same, whose counters can be moved into a file.
pub const MOVED: &str = "tiny-moved";
/// The same, linked statically.
pub const STATIC: &str = "tiny-static";
