//! `cargo xtask demo`: a real program, profiled with profrt, compiled again with its profile, and measured.
//!
//! Everything is done as a user would: an overlay of the compiler's resource directory, the compiler's own options, LLVM's own
//! tools. It ends in one screen.

mod compile;
mod coverage;
mod measure;
mod profile;
mod screen;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use profrt_overlay::compiler::Compiler;
use profrt_overlay::overlay::{Entries, overlay};

use crate::suite::pages::Pages;
use compile::Flavour;
use testkit::programs::{self, Program};
use testkit::toolchain::browser::Scripts;
use testkit::toolchain::{self, Clang, Packages};
use testkit::{dist, paths, run};

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    packages: Packages,
    /// SQLite instead of Lua
    #[arg(long)]
    sqlite: bool,
    /// How often each program is timed
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: usize,
    /// Make the pictures of the documents anew, of pages in Chromium
    #[arg(long, conflicts_with = "sqlite")]
    pictures: bool,
    /// Link the compiler's own archive, to see whether a difference is ours
    #[arg(long, hide = true)]
    official: bool,
}

/// What the steps share.
struct Demo {
    clang: Clang,
    program: Program,
    /// `target/demo/NAME`
    directory: PathBuf,
    /// The resource directory to compile with.
    resources: PathBuf,
    official: bool,
}

pub fn run(options: &Options) -> Result<()> {
    options.packages.require(&["clang", "gcc"])?;
    let demo = Demo::prepare(options)?;
    let [baseline, instrumented, coverage] = compile::build(
        &demo,
        [Flavour::Baseline, Flavour::Instrumented, Flavour::Coverage],
        "compiling three times: plain, instrumented, and for coverage",
    )?;
    demo.assert_ours(&instrumented)?;
    demo.assert_ours(&coverage)?;

    let raw = profile::record(&demo, &instrumented, "profile")?;
    let profile = profile::merge(&demo, &raw, "profile.profdata")?;
    let summary = profile::summary(&demo, &profile)?;
    let [optimised] =
        compile::build(&demo, [Flavour::Optimised(profile.clone())], "compiling again, with the profile")?;
    let times = measure::alternately(&demo, &baseline, &optimised, options.rounds)?;

    let covered = profile::record(&demo, &coverage, "coverage")?;
    let covered = profile::merge(&demo, &covered, "coverage.profdata")?;
    let page = coverage::page(&demo, &coverage, &covered)?;
    let profile_page = coverage::profile_page(&demo, &instrumented, &profile)?;
    let coverage = coverage::report(&demo, &coverage, &covered)?;
    print!("{}", screen::render(&demo, &raw, &profile, &summary, &times, &coverage, [&page, &profile_page]));
    if options.pictures { pictures(&page, &profile_page, options.packages) } else { Ok(()) }
}

/// Makes the pictures of the documents.
fn pictures(page: &Path, profile: &Path, packages: Packages) -> Result<()> {
    let scripts = Scripts::prepare(packages)?;
    let pages = Pages::prepare()?;
    pages.live()?;
    run::quiet(pages.node(&scripts, &["pictures.js"]).args([page, profile]).arg(paths::root().join("docs/pictures")))
}

impl Demo {
    fn prepare(options: &Options) -> Result<Demo> {
        let clang = toolchain::newest()?;
        let compiler = Compiler::ask(&clang.clang)?;
        let program = if options.sqlite { programs::sqlite()? } else { programs::lua()? };
        let directory = paths::target().join("demo").join(program.name);
        fs::create_dir_all(&directory).with_context(|| format!("cannot create {}", directory.display()))?;
        let resources = if options.official {
            clang.resource_dir.clone()
        } else {
            eprintln!("building the archive for clang {} (raw version {})", clang.version, clang.raw);
            let prefix = paths::target().join("demo").join(format!("clang-{}", clang.version));
            overlay(&compiler, &dist::for_compiler(&compiler)?.archive, &prefix, Entries::Link)?;
            prefix
        };
        Ok(Demo { clang, program, directory, resources, official: options.official })
    }

    /// The compiler, told to take its runtime archives from the overlay.
    fn compiler(&self) -> Command {
        let mut command = Command::new(&self.clang.clang);
        command.arg("-resource-dir").arg(&self.resources);
        command
    }

    /// Fails unless the runtime in the program is profrt: its symbol table has rustc's names.
    fn assert_ours(&self, binary: &std::path::Path) -> Result<()> {
        use object::{Object, ObjectSymbol};
        let bytes = fs::read(binary).with_context(|| format!("cannot read {}", binary.display()))?;
        let file = object::File::parse(&*bytes).with_context(|| format!("{} is not a program", binary.display()))?;
        let ours = |name: &str| format!("{:#}", rustc_demangle::demangle(name)).starts_with("profrt::");
        let found = file.symbols().filter_map(|symbol| symbol.name().ok()).any(ours);
        if !found && !self.official {
            bail!("{} was linked without profrt: no symbol of it is in there", binary.display());
        }
        Ok(())
    }

    /// One run of the program, quietly; its output.
    fn execute(&self, binary: &std::path::Path, words: &[String], raw: Option<&std::path::Path>) -> Result<String> {
        let mut command = Command::new(binary);
        command.args(words);
        if let Some(raw) = raw {
            command.env("LLVM_PROFILE_FILE", raw);
        }
        run::stdout(&mut command)
    }
}
