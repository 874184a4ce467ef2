//! `cargo xtask package`: the tool and the archives of all raw versions, for a machine without sources and compilers.
//!
//! One tree of files ([`contents`]) becomes a `.tar.zst` ([`archive`]) and a Debian package ([`deb`]), with their checksums. The same sources
//! give the same bytes: entries are sorted, belong to nobody, and have the time of `SOURCE_DATE_EPOCH`, else that of the last commit.

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

use archive::Stamp;
use testkit::toolchain::Packages;
use testkit::{paths, run, target};
pub use tool::{Static, everyday, musl};

/// What to pack, and where to.
#[derive(clap::Args)]
pub struct Options {
    /// Where to write; target/package unless given
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Pack this profrt instead of building one
    #[arg(long, value_name = "FILE")]
    pub tool: Option<PathBuf>,
    /// Link the tool statically with this C library
    #[arg(long, value_enum, default_value_t)]
    pub libc: Static,
    #[command(flatten)]
    pub packages: Packages,
}

/// The packages.
pub struct Packed {
    pub archive: PathBuf,
    pub deb: PathBuf,
    /// `SHA256SUMS`, for `sha256sum --check`.
    pub checksums: PathBuf,
}

/// Packs, and prints where the packages are.
pub fn run(options: &Options) -> Result<()> {
    let packed = pack(options)?;
    for path in [&packed.archive, &packed.deb, &packed.checksums] {
        println!("{} ({} bytes)", path.display(), fs::metadata(path)?.len());
    }
    Ok(())
}

/// Packs.
pub fn pack(options: &Options) -> Result<Packed> {
    let triple = target::host();
    let tool = match &options.tool {
        Some(tool) => tool.clone(),
        None => {
            eprintln!("building the tool, with all optimizations; on two cores this takes ten minutes");
            tool::build(options.libc, options.packages)?
        }
    };
    eprintln!("building the archives");
    let version = version()?;
    let tree = contents::tree(&tool, &triple)?;
    let stamp = stamp();
    let output = options.output.clone().unwrap_or_else(paths::package);
    fs::create_dir_all(&output).with_context(|| format!("cannot create {}", output.display()))?;
    let name = format!("profrt-{version}-{}", triple.split('-').next().unwrap_or_default());
    let files = [
        (format!("{name}.tar.zst"), archive::zstd(&archive::tar(&tree, &name, stamp)?)),
        (format!("profrt_{version}_{}.deb", deb::architecture(&triple)), deb::write(&tree, &version, &triple, stamp)?),
    ];
    let mut sums = String::new();
    let write = |name: &str, bytes: &[u8]| -> Result<PathBuf> {
        let path = output.join(name);
        let file = tempfile::Builder::new().permissions(readable()).tempfile_in(&output)?;
        fs::write(file.path(), bytes)?;
        file.persist(&path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    };
    let [archive, deb] = files.map(|(name, bytes)| {
        let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        sums.push_str(&format!("{hash}  {name}\n"));
        write(&name, &bytes)
    });
    Ok(Packed { archive: archive?, deb: deb?, checksums: write("SHA256SUMS", sums.as_bytes())? })
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

fn readable() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    fs::Permissions::from_mode(0o644)
}

/// Reads a file.
fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}
