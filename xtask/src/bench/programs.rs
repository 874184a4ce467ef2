//! The measured programs: each object compiled once, linked with the official archive and with ours.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use tempfile::TempDir;

use crate::install::{self, Entries};
use crate::toolchain::{self, Clang, Compiler};
use crate::{paths, run};

/// Whose archive a program is linked with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Official,
    Ours,
    /// Hooks that do nothing.
    Empty,
}

impl Side {
    pub const BOTH: [Side; 2] = [Side::Official, Side::Ours];

    fn name(self) -> &'static str {
        match self {
            Side::Official => "official",
            Side::Ours => "ours",
            Side::Empty => "empty",
        }
    }
}

/// Generated functions for a dump.
#[derive(Clone, Copy, Debug)]
pub struct Functions {
    pub name: &'static str,
    pub functions: usize,
    pub sites: usize,
    /// Values at each site.
    pub values: usize,
}

/// 100,000 live nodes.
pub const NODES: Functions = Functions { name: "nodes", functions: 1_250, sites: 5, values: 16 };
/// Functions without value sites.
pub const BARE: Functions = Functions { name: "bare", functions: 5_000, sites: 0, values: 0 };
/// The same program without them.
pub const NONE: Functions = Functions { name: "none", functions: 0, sites: 0, values: 0 };

/// Where the programs are, and what they were made with.
pub struct Programs {
    pub clang: Clang,
    directory: TempDir,
    resources: PathBuf,
}

impl Programs {
    pub fn build() -> Result<Programs> {
        let clang = toolchain::newest()?;
        eprintln!("compiling the measured programs with clang {}", clang.version);
        let compiler = Compiler::ask(&clang.clang)?;
        let dist = install::archive_for(&compiler)?;
        let directory = tempfile::Builder::new().prefix("profrt-bench-").tempdir()?;
        let resources = directory.path().join("resources");
        install::overlay(&compiler, &dist.archive, &resources, Entries::Link)?;
        let programs = Programs { clang, directory, resources };

        let sources = paths::root().join("xtask/bench");
        let calls = programs.compile(&sources.join("calls.c"), &["-fprofile-generate"])?;
        let empty = programs.compile(&sources.join("empty.c"), &[])?;
        for side in Side::BOTH {
            programs.link(side, "calls", &[&calls])?;
        }
        programs.link(Side::Empty, "calls", &[&calls, &empty])?;

        let dump = programs.compile(&sources.join("dump.c"), &[])?;
        for functions in [NODES, BARE, NONE] {
            let source = programs.scratch(&format!("{}.c", functions.name));
            fs::write(&source, generated(functions))?;
            // The compiler's pool is as large as the official runtime needs it to keep every value.
            let pool = format!("-vp-counters-per-site={}", functions.values.max(1));
            let object = programs.compile(&source, &["-fprofile-generate", "-mllvm", &pool])?;
            for side in Side::BOTH {
                programs.link(side, functions.name, &[&dump, &object])?;
            }
        }
        Ok(programs)
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

    fn compile(&self, source: &Path, options: &[&str]) -> Result<PathBuf> {
        let name = source.file_stem().unwrap_or_default();
        let object = self.directory.path().join(name).with_extension("o");
        let mut clang = Command::new(&self.clang.clang);
        clang.args(["-O2", "-w", "-c"]).args(options).arg(source).arg("-o").arg(&object);
        run::quiet(&mut clang)?;
        Ok(object)
    }

    fn link(&self, side: Side, name: &str, objects: &[&Path]) -> Result<()> {
        let mut clang = Command::new(&self.clang.clang);
        match side {
            Side::Official => clang.arg("-fprofile-generate"),
            Side::Ours => clang.arg("-fprofile-generate").arg("-resource-dir").arg(&self.resources),
            Side::Empty => &mut clang,
        };
        run::quiet(clang.args(objects).arg("-pthread").arg("-o").arg(self.path(side, name)))
    }
}

/// Functions with sites at which `visit` lets every value be seen.
fn generated(of: Functions) -> String {
    let mut text = String::from("typedef void target(void);\n");
    for value in 0..of.values {
        let _ = writeln!(text, "__attribute__((no_profile_instrument_function)) static void t{value}(void) {{}}");
    }
    text.push_str("static target *const volatile targets[] = { 0");
    for value in 0..of.values {
        let _ = write!(text, ", t{value}");
    }
    text.push_str(" };\n");
    for function in 0..of.functions {
        let calls = "t();".repeat(of.sites);
        let _ = writeln!(
            text,
            "__attribute__((noinline)) void f{function}(target *t) {{ __asm__ volatile(\"\"); {calls} }}"
        );
    }
    text.push_str("void visit(void) {\n");
    // Without values one pass is enough.
    let _ = writeln!(text, "for (int i = {}; i <= {}; i++) {{", usize::from(of.values > 0), of.values);
    for function in 0..of.functions {
        let _ = writeln!(text, "f{function}(targets[i]);");
    }
    text.push_str("}\n}\n");
    text
}
