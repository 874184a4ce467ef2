//! `cargo xtask COMMAND`: the command line, and nothing else. Each command is a function of the library.

#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use profrt_overlay::command;
use testkit::dist::{self, RAW_VERSIONS, compile};
use testkit::run;
use testkit::toolchain::Packages;
use xtask::{audit, embedded, package, suite};

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
    #[command(disable_help_flag = true)]
    Bench {
        /// See `cargo xtask bench --help`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Run firmware in QEMU, one kind of CPU after the other
    Embedded {
        /// Only CPUs whose rustc target contains this
        filter: Option<String>,
        #[command(flatten)]
        packages: Packages,
    },
    /// Make the archive and the files that build systems look for, for each raw version
    Build {
        /// A raw version (docs/USE.md has which compiler emits it); all unless given
        #[arg(long, value_name = "N")]
        raw: Vec<u8>,
        /// For another target, by its name for rustc (thumbv7m-none-eabi, wasm32-wasip1), instead of this machine
        #[arg(long, value_name = "TARGET")]
        device: Option<String>,
        #[command(flatten)]
        packages: Packages,
    },
    /// Put the archive where a compiler looks for its own
    Install(command::Options),
    /// Make what a release uploads, in target/release-files: the tool and the archives as .tar.zst and .deb, the wheel, an SBOM, checksums
    Package(package::Options),
    /// Prove what is promised about the archives: names, visibility, what they need, that nothing in them can panic
    Audit(audit::Options),
}

fn main() -> ExitCode {
    // Not by returning the error, which would print a backtrace behind what a compiler has said.
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    match task {
        Task::Test(options) => suite::run(&options),
        Task::Demo(options) => demo::run(&options),
        Task::Bench { arguments } => {
            let bench = ["run", "--quiet", "--package", "bench", "--"];
            run::run(compile::cargo().args(bench).args(arguments))
        }
        Task::Embedded { filter, packages } => {
            embedded::run(|target| filter.as_ref().is_none_or(|filter| target.contains(filter)), packages).map(drop)
        }
        Task::Build { raw, device, packages } => build(&raw, device.as_deref(), packages),
        Task::Install(options) => {
            command::run(&options, |compiler| Ok(dist::for_compiler(compiler)?.archive)).map(|said| print!("{said}"))
        }
        Task::Package(options) => package::run(&options),
        Task::Audit(options) => audit::run(&options),
    }
}

fn build(raw: &[u8], device: Option<&str>, packages: Packages) -> Result<()> {
    let wanted = if raw.is_empty() { &RAW_VERSIONS[..] } else { raw };
    for &raw in wanted {
        // The rest of the line takes minutes.
        print!("raw version {raw:>2} ({}): ", dist::releases(raw));
        io::stdout().flush()?;
        let archive = match device {
            Some(target) => dist::devices::build_with_any(raw, target, packages)?,
            None => dist::build(raw)?.archive,
        };
        println!("{}", archive.display());
    }
    Ok(())
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
        assert_eq!((options.level, options.all, options.packages.install), (None, false, false));
        assert!(test(&["c", "--all"]).unwrap().all);
        let options = test(&["devices", "--install"]).unwrap();
        assert_eq!((options.level, options.packages.install), (Some(suite::Level::Devices), true));
        assert!(test(&["--memory"]).is_none() && test(&["everything"]).is_none());
    }
}
