//! `cargo xtask COMMAND`: the command line, and nothing else. Each command is a function of the library.

#![forbid(unsafe_code)]

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Parser, Subcommand};
use xtask::dist::RAW_VERSIONS;
use xtask::install::{self, Entries, in_place};
use xtask::toolchain::{Compiler, Packages, profile_archives};
use xtask::{audit, bench, demo, dist, embedded, package, suite};

/// The commands of the project.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run every test, or those of one level
    Test(suite::Options),
    /// Profile a real program with profrt, rebuild it with the profile, and show what that gained
    Demo(demo::Options),
    /// Measure what a user decides by, beside LLVM's runtime and llvm-profdata, and write docs/PERFORMANCE.md
    Bench(bench::Options),
    /// Run firmware in QEMU, one kind of CPU after the other
    Embedded {
        /// Only CPUs whose rustc target contains this
        filter: Option<String>,
        #[command(flatten)]
        packages: Packages,
    },
    /// Make the archive and the files that build systems look for, for each raw version
    Build {
        /// A raw version: 8 (clang 14 to 17), 9 (18), 10 (19 to 22), 11 (23); all four unless given
        #[arg(long, value_name = "N")]
        raw: Vec<u8>,
        /// For a CPU without a system, by its name for rustc (thumbv7m-none-eabi), instead of this machine
        #[arg(long, value_name = "TARGET")]
        device: Option<String>,
        #[command(flatten)]
        packages: Packages,
    },
    /// Put the archive where a compiler looks for its own
    Install(InstallOptions),
    /// Pack the tool and the archives of all raw versions, as .tar.zst and .deb, into target/package
    Package(package::Options),
    /// Prove what is promised about the archives: names, visibility, what they need, that nothing in them can panic
    Audit(audit::Options),
}

#[derive(clap::Args)]
struct InstallOptions {
    /// The compiler, by path or name; it is asked for its version and its resource directory
    #[arg(long, value_name = "PROGRAM", default_value = "clang")]
    clang: PathBuf,
    /// Lay a resource directory here, of links to the compiler's own, for `clang -resource-dir DIR`
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
    /// Take the archive from here instead of building it: a directory that `cargo xtask build` has made, or an unpacked package
    #[arg(long, value_name = "DIR", conflicts_with = "restore")]
    archive: Option<PathBuf>,
    /// Copy the compiler's own files instead of linking to them
    #[arg(long, requires = "prefix")]
    copy: bool,
    /// Replace the compiler's own archive; needs --yes-replace
    #[arg(long, conflicts_with = "prefix")]
    in_place: bool,
    /// Yes, replace the file that the compiler's package owns (it is kept beside as ….a.orig-llvm)
    #[arg(long, requires = "in_place")]
    yes_replace: bool,
    /// Put back what --in-place replaced
    #[arg(long, conflicts_with_all = ["prefix", "in_place"])]
    restore: bool,
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Task::Test(options) => suite::run(&options),
        Task::Demo(options) => demo::run(&options),
        Task::Bench(options) => bench::run(&options),
        Task::Embedded { filter, packages } => {
            embedded::run(|target| filter.as_ref().is_none_or(|filter| target.contains(filter)), packages).map(drop)
        }
        Task::Build { raw, device, packages } => build(&raw, device.as_deref(), packages),
        Task::Install(options) => install(&options),
        Task::Package(options) => package::run(&options),
        Task::Audit(options) => audit::run(&options),
    }
}

fn build(raw: &[u8], device: Option<&str>, packages: Packages) -> Result<()> {
    let wanted = if raw.is_empty() { &RAW_VERSIONS[..] } else { raw };
    for &raw in wanted {
        eprintln!("building for raw version {raw}");
        let archive = match device {
            Some(target) => dist::devices::build_with_any(raw, target, packages)?,
            None => dist::build(raw)?.archive,
        };
        println!("raw version {raw:>2} ({}): {}", dist::releases(raw), archive.display());
    }
    Ok(())
}

fn install(options: &InstallOptions) -> Result<()> {
    let compiler = Compiler::ask(&options.clang)?;
    let places = profile_archives(&compiler.resource_dir, &compiler.triple);
    let name = options.clang.display();
    if options.restore {
        let restored = in_place::restore(&places)?;
        for place in &restored {
            println!("{} is the compiler's own again", place.display());
        }
        if restored.is_empty() {
            println!("nothing to restore: {name} has its own archive");
        }
    } else if options.in_place {
        if !options.yes_replace {
            let owned = places.iter().filter(|place| place.is_file()).map(|place| place.display().to_string());
            bail!(
                "--in-place would replace a file of the compiler's package: {}\nSay --yes-replace as well if that is meant, or use --prefix, which changes nothing of the compiler",
                owned.collect::<Vec<_>>().join(", ")
            );
        }
        for place in in_place::install(&places, &archive(options, &compiler)?)? {
            println!(
                "{} is profrt's; the compiler's is kept as {}",
                place.display(),
                in_place::backup(&place).display()
            );
        }
    } else if let Some(prefix) = &options.prefix {
        let entries = if options.copy { Entries::Copy } else { Entries::Link };
        install::overlay(&compiler, &archive(options, &compiler)?, prefix, entries)?;
        let prefix = std::path::absolute(prefix)?;
        println!(
            "clang {} emits raw version {}; its overlay is ready, for the command that links:\n",
            compiler.version,
            compiler.raw()?
        );
        println!("    {name} -resource-dir {} -fprofile-instr-generate …", prefix.display());
    } else {
        bail!(
            "say where to: --prefix DIR lays an overlay of {name}'s resource directory there and changes nothing of the compiler"
        );
    }
    Ok(())
}

/// The archive to install: one that was built before, or built now.
fn archive(options: &InstallOptions, compiler: &Compiler) -> Result<PathBuf> {
    match &options.archive {
        Some(directory) => install::archive_in(directory, compiler),
        None => Ok(install::archive_for(compiler)?.archive),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(words: &[&str]) -> Option<suite::Options> {
        match Arguments::try_parse_from(["xtask", "test"].iter().chain(words)).ok()?.command {
            Task::Test(options) => Some(options),
            _ => None,
        }
    }

    #[test]
    fn test_takes_a_level_and_installs_only_if_told() {
        let options = test(&[]).unwrap();
        assert_eq!((options.level, options.all, options.packages.install), (suite::Level::All, false, false));
        assert!(test(&["c", "--all"]).unwrap().all);
        let options = test(&["devices", "--install"]).unwrap();
        assert_eq!((options.level, options.packages.install), (suite::Level::Devices, true));
        assert!(test(&["fuzz", "--without-qemu"]).unwrap().without_qemu);
        assert!(test(&["--memory"]).is_none() && test(&["everything"]).is_none());
    }

    #[test]
    fn what_may_install_has_the_flag() {
        for command in ["test", "demo", "bench", "embedded", "build", "package", "audit"] {
            assert!(Arguments::try_parse_from(["xtask", command, "--install"]).is_ok(), "{command}");
        }
    }
}
