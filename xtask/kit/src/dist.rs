//! The archive that is shipped, for one raw version: compiled, cleaned, and laid out as a prefix.
//!
//! Cargo decides what is stale. What it makes is not what we ship: a static library of rustc brings `core` and
//! `compiler_builtins` along, which a Rust program that links us has already, and names its members by hashes. So the members
//! are picked and named ([`members`]), most of them without the unwind tables that all are compiled with ([`unwind_tables`]), and
//! written to an archive ([`ar`]), beside the files that build systems look for ([`recipes`]).

pub mod ar;
pub mod compile;
pub mod devices;
pub mod members;
mod recipes;
pub mod unwind_tables;

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result, ensure};

pub use profrt_overlay::archive::{RAW_VERSIONS, beside, releases};
use profrt_overlay::compiler::Compiler;

use crate::{paths, target};

/// What is handed out for one raw version.
#[derive(Clone, Debug)]
pub struct Dist {
    pub raw: u8,
    /// The prefix, laid out as for `/usr`.
    pub prefix: PathBuf,
    /// `lib/linux/libclang_rt.profile-ARCH.a`, named and placed as in a resource directory.
    pub archive: PathBuf,
    /// `lib/libprofrt.a`: the same bytes under our name. Beside both stands `profrt-continuous.o` ([`beside`]).
    pub library: PathBuf,
    /// `lib/pkgconfig`, for `PKG_CONFIG_PATH`.
    pub pkgconfig: PathBuf,
    /// `lib/cmake/profrt`, for `profrt_DIR`; the prefix does for `CMAKE_PREFIX_PATH`.
    pub cmake: PathBuf,
    /// `share/profrt/profrt.cfg`, for `clang --config`.
    pub config: PathBuf,
    /// `include`, with the header of the calls that LLVM's runtime does not have.
    pub include: PathBuf,
}

impl Dist {
    fn at(prefix: PathBuf, raw: u8, triple: &str) -> Dist {
        Dist {
            raw,
            archive: prefix.join("lib/linux").join(target::archive_name(triple)),
            library: prefix.join("lib/libprofrt.a"),
            pkgconfig: prefix.join("lib/pkgconfig"),
            cmake: prefix.join("lib/cmake/profrt"),
            config: prefix.join("share/profrt/profrt.cfg"),
            include: prefix.join("include"),
            prefix,
        }
    }
}

/// Builds what is handed out for `raw` on this machine, unless it is there and fresh.
///
/// May be called by any number of processes at once.
pub fn build(raw: u8) -> Result<Dist> {
    let known = RAW_VERSIONS.map(|raw| format!("{raw} ({})", releases(raw))).join(", ");
    ensure!(RAW_VERSIONS.contains(&raw), "raw version {raw} is not supported; there are {known}");
    let triple = target::host();
    let _one_at_a_time = lock()?;
    let compiled = compile::staticlib(raw, &triple)?;
    let dist = Dist::at(paths::dist(raw), raw, &triple);
    let stamp = dist.prefix.join(".made-from");
    let made_from = identity(&compiled)?;
    if fs::read_to_string(&stamp).is_ok_and(|text| text == made_from) {
        return Ok(dist);
    }
    let bytes = fs::read(&compiled).with_context(|| format!("cannot read {}", compiled.display()))?;
    let members = members::own(&bytes)?;
    let (pages, members): (Vec<_>, Vec<_>) = members.into_iter().partition(|member| member.name == members::PAGES);
    let pages = pages.first().with_context(|| format!("rustc's static library has no member {}", members::PAGES))?;
    let archive = ar::write(&members)?;
    publish(&dist.archive, &archive)?;
    publish(&dist.library, &archive)?;
    publish(&beside(&dist.archive), &pages.bytes)?;
    publish(&beside(&dist.library), &pages.bytes)?;
    for file in recipes::files(&dist)? {
        publish(&file.path, file.text.as_bytes())?;
    }
    publish(&stamp, made_from.as_bytes())?;
    Ok(dist)
}

/// Builds what is handed out for the raw version that a compiler emits.
pub fn for_compiler(compiler: &Compiler) -> Result<Dist> {
    build(profrt_overlay::archive::supported_raw(compiler)?)
}

/// The files that [`build`] puts into a prefix.
pub fn files(dist: &Dist) -> Result<Vec<PathBuf>> {
    let archives = [&dist.archive, &dist.library].into_iter().flat_map(|archive| [archive.clone(), beside(archive)]);
    let recipes = recipes::files(dist)?;
    Ok(archives.chain(recipes.into_iter().map(|file| file.path)).collect())
}

/// Writes a file whole: a process that reads the old one meanwhile keeps it.
fn publish(path: &Path, bytes: &[u8]) -> Result<()> {
    let directory = path.parent().with_context(|| format!("{} is in no directory", path.display()))?;
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(directory)?;
        let file = tempfile::Builder::new().permissions(readable()).tempfile_in(directory)?;
        fs::write(file.path(), bytes)?;
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

fn readable() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    fs::Permissions::from_mode(0o644)
}

/// Held while something is compiled in [`paths::archive_build`] and read from there; released when dropped.
pub fn lock() -> Result<File> {
    let directory = paths::archive_build();
    let path = directory.join(".xtask-lock");
    let open = || -> std::io::Result<File> {
        fs::create_dir_all(&directory)?;
        let file = File::options().create(true).truncate(false).write(true).open(&path)?;
        file.lock()?;
        Ok(file)
    };
    open().with_context(|| format!("cannot lock {}", path.display()))
}

/// What the files were made from: cargo's output, and the text of the code and templates that work on it.
fn identity(compiled: &Path) -> Result<String> {
    let metadata = fs::metadata(compiled).with_context(|| format!("cargo did not write {}", compiled.display()))?;
    let time = metadata.modified()?.duration_since(UNIX_EPOCH)?.as_nanos();
    let mut hasher = DefaultHasher::new();
    [
        include_str!("dist.rs"),
        include_str!("dist/ar.rs"),
        include_str!("dist/members.rs"),
        include_str!("dist/recipes.rs"),
        include_str!("dist/unwind_tables.rs"),
    ]
    .hash(&mut hasher);
    recipes::TEMPLATES.hash(&mut hasher);
    Ok(format!("{} {time} {:x}\n", metadata.len(), hasher.finish()))
}
