//! `cargo xtask package`: the tool and the archives of all raw versions, for a machine without sources and compilers.
//!
//! One tree of files ([`contents`]) becomes a `.tar.zst` ([`archive`]) and a Debian package ([`deb`]). Beside them: Python's wheel, a list of the
//! crates in them, and checksums. The same sources give the same bytes: entries are sorted, belong to nobody, and have the time of
//! `SOURCE_DATE_EPOCH`, else that of the last commit.

pub mod archive;
mod contents;
mod deb;
mod licenses;
mod tool;
mod tree;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::suite::python;
use archive::Stamp;
use testkit::toolchain::Packages;
use testkit::{paths, run, target};
pub use tool::{Static, everyday, musl};

/// The crates that are published, each behind those that it needs.
pub const CRATES: [&str; 6] =
    ["profrt-format", "profrt", "profrt-overlay", "profdata", "profrt-coverage", "profrt-tool"];

/// What to pack, and where to.
#[derive(clap::Args)]
pub struct Options {
    /// Where to write; target/release-files unless given
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Pack this profrt instead of building one, and no wheel
    #[arg(long, value_name = "FILE")]
    pub tool: Option<PathBuf>,
    /// Link the tool statically with this C library
    #[arg(long, value_enum, default_value_t)]
    pub libc: Static,
    #[command(flatten)]
    pub packages: Packages,
}

/// Packs, and prints where the packages are.
pub fn run(options: &Options) -> Result<()> {
    for path in pack(options)? {
        println!("{} ({} bytes)", path.display(), fs::metadata(&path)?.len());
    }
    Ok(())
}

/// Packs. Returns the archive, the Debian package, and what is beside them; `SHA256SUMS`, for `sha256sum --check`, is the last one.
pub fn pack(options: &Options) -> Result<Vec<PathBuf>> {
    let (triple, version, stamp) = (target::host(), version()?, stamp());
    let tool = match &options.tool {
        Some(tool) => tool.clone(),
        None => {
            eprintln!("building the tool, with all optimizations; on two cores this takes ten minutes");
            tool::build(options.libc, options.packages)?
        }
    };
    eprintln!("building the archives");
    let linked = licenses::linked(&triple)?;
    let tree = contents::tree(&tool, &licenses::text(&linked)?)?;
    let name = format!("profrt-{version}-{}", triple.split('-').next().unwrap_or_default());
    let mut files = vec![
        (format!("{name}.tar.zst"), archive::zstd(&archive::tar(&tree, &name, stamp)?)),
        (format!("profrt_{version}_{}.deb", deb::architecture(&triple)), deb::write(&tree, &version, &triple, stamp)?),
        (format!("{name}.cdx.json"), licenses::sbom(&linked, &version).into_bytes()),
    ];
    if options.tool.is_none() {
        eprintln!("building the wheel");
        options.packages.require(&["python3"])?;
        let wheel = python::wheel(stamp.0)?;
        files.push((wheel.file_name().unwrap_or_default().to_string_lossy().into_owned(), read(&wheel)?));
    }
    let sum = |bytes: &[u8]| Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let sums: String = files.iter().map(|(name, bytes)| format!("{}  {name}\n", sum(bytes))).collect();
    files.push(("SHA256SUMS".to_owned(), sums.into_bytes()));
    let output = options.output.clone().unwrap_or_else(paths::release);
    fs::create_dir_all(&output).with_context(|| format!("cannot create {}", output.display()))?;
    let write = |(name, bytes): (String, Vec<u8>)| -> Result<PathBuf> {
        let path = output.join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    };
    files.into_iter().map(write).collect()
}

/// The version of the workspace.
fn version() -> Result<String> {
    let path = paths::root().join("Cargo.toml");
    let manifest = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let line = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    line.map(str::to_owned).context("the workspace's Cargo.toml has no line `version = \"…\"`")
}

/// The time of all entries.
fn stamp() -> Stamp {
    let given = env::var("SOURCE_DATE_EPOCH").ok();
    let commit =
        || run::stdout(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(paths::root())).ok();
    Stamp(given.or_else(commit).and_then(|text| text.trim().parse().ok()).unwrap_or(0))
}

/// Reads a file.
fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}
