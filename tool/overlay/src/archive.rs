//! Our archives: their names, the raw version that each is for, and which of them fits a compiler.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol};

use profrt_format::RawVersion;

use crate::compiler::Compiler;

/// The raw versions that an archive is made for: all.
pub const RAW_VERSIONS: [u8; RawVersion::ALL.len()] = RawVersion::NUMBERS;

/// The compilers that emit a raw version, for messages.
pub fn releases(raw: u8) -> &'static str {
    RawVersion::from_number(raw.into()).map_or("no clang that is supported", RawVersion::emitters)
}

/// The architecture of a rustc target, as clang spells it in `libclang_rt.profile-ARCH.a`.
pub fn clang_arch(triple: &str) -> &str {
    let arch = triple.split('-').next().unwrap_or_default();
    let hard_float = triple.ends_with("eabihf");
    match arch {
        "i386" | "i486" | "i586" | "i686" => "i386",
        _ if arch.starts_with("riscv64") => "riscv64",
        _ if arch.starts_with("riscv32") => "riscv32",
        _ if arch.starts_with("arm") || arch.starts_with("thumb") => {
            if hard_float {
                "armhf"
            } else {
                "arm"
            }
        }
        _ => arch,
    }
}

/// The file name of clang's profile archive for a rustc target, in the layout with one directory for all targets.
pub fn archive_name(triple: &str) -> String {
    let arch = clang_arch(triple);
    if triple.ends_with("-msvc") {
        format!("clang_rt.profile-{arch}.lib")
    } else {
        format!("libclang_rt.profile-{arch}.a")
    }
}

/// Where an archive of ours lies below its prefix.
pub fn below(triple: &str) -> PathBuf {
    if triple.contains("-wasi") {
        return "lib/wasm32-unknown-wasip1/libclang_rt.profile.a".into();
    }
    if triple.contains("-apple-") {
        // In a resource directory one file is for all CPUs.
        let cpu = if triple.starts_with("arm64") { "aarch64" } else { clang_arch(triple) };
        return format!("lib/{cpu}-apple-darwin/libclang_rt.profile_osx.a").into();
    }
    Path::new("lib").join(system(triple)).join(archive_name(triple))
}

/// The directory of a system, in the layout with one for all its targets.
pub fn system(triple: &str) -> &'static str {
    if triple.contains("-windows") { "windows" } else { "linux" }
}

/// The object for continuous mode, beside an archive.
pub fn beside(archive: &Path) -> PathBuf {
    archive.with_file_name("profrt-continuous.o")
}

/// The archive for a compiler among files that were built before: `directory` is laid out as `target/dist/raw-N`, or has such
/// directories in it, as `target/dist` has. Nothing is compiled, and no file of the sources is read.
pub fn archive_in(directory: &Path, compiler: &Compiler) -> Result<PathBuf> {
    let raw = supported_raw(compiler)?;
    let below = below(&compiler.triple);
    let places = [directory.join(&below), directory.join(format!("raw-{raw}")).join(&below)];
    let Some(archive) = places.iter().find(|place| place.is_file()) else {
        bail!(
            "{} has no archive for {}: there is neither {} nor {}",
            directory.display(),
            compiler.triple,
            places[0].display(),
            places[1].display()
        );
    };
    let bytes = fs::read(archive).with_context(|| format!("cannot read {}", archive.display()))?;
    if !is_ours(archive) {
        bail!("{} is no archive of profrt", archive.display());
    }
    let found = raw_of(&bytes).with_context(|| format!("{} cannot be read", archive.display()))?;
    if found != u64::from(raw) {
        bail!(
            "{} is for raw version {found} ({}), and {} is clang {}, which emits raw version {raw}",
            archive.display(),
            releases(found as u8),
            compiler.clang.display(),
            compiler.version
        );
    }
    Ok(archive.clone())
}

/// The raw version that an archive of ours was built for: what it has in its weak `__llvm_profile_raw_version`.
pub fn raw_of(archive: &[u8]) -> Result<u64> {
    for member in ArchiveFile::parse(archive)?.members() {
        let file = object::File::parse(member?.data(archive)?)?;
        let version = |symbol: &object::Symbol<'_, '_>| {
            // Some formats have one more `_` before a name of C.
            symbol.is_definition()
                && symbol.name().is_ok_and(|name| name.trim_start_matches('_') == "llvm_profile_raw_version")
        };
        if let Some(symbol) = file.symbols().find(version) {
            // WebAssembly has all data of an object in one section.
            let index = symbol.section_index().or_else(|| Some(file.section_by_name("<data>")?.index()));
            let section = file.section_by_index(index.context("the version is in no section")?)?;
            // It is alone there.
            let word = *section.data()?.last_chunk().context("the version is no word")?;
            return Ok(if file.is_little_endian() { u64::from_le_bytes(word) } else { u64::from_be_bytes(word) });
        }
    }
    bail!("no member defines __llvm_profile_raw_version")
}

/// The raw version that a compiler emits, if there is an archive for that.
pub fn supported_raw(compiler: &Compiler) -> Result<u8> {
    let raw = compiler.raw()?;
    if !RAW_VERSIONS.contains(&raw) {
        let supported = RAW_VERSIONS.map(|raw| format!("{raw} ({})", releases(raw)));
        bail!(
            "{} is clang {} and emits raw profiles of version {raw}; profrt supports {}",
            compiler.clang.display(),
            compiler.version,
            supported.join(", ")
        );
    }
    Ok(raw)
}

/// Whether the file is an archive that we made: its members are called `profrt.….o`.
pub fn is_ours(archive: &Path) -> bool {
    let Ok(bytes) = fs::read(archive) else {
        return false;
    };
    let Ok(parsed) = ArchiveFile::parse(&*bytes) else {
        return false;
    };
    let mut members = parsed.members().flatten();
    members.next().is_some_and(|member| member.name().starts_with(b"profrt."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macos_has_one_name_and_a_place_for_each_cpu() {
        assert_eq!(below("arm64-apple-macosx11.0.0"), below("aarch64-apple-darwin"));
        assert_ne!(below("x86_64-apple-macos11"), below("aarch64-apple-darwin"));
        assert!(below("x86_64-apple-darwin").ends_with("libclang_rt.profile_osx.a"));
    }

    #[test]
    fn archives_are_named_as_clang_names_them() {
        for (triple, name) in [
            ("x86_64-unknown-linux-gnu", "libclang_rt.profile-x86_64.a"),
            ("i686-unknown-linux-gnu", "libclang_rt.profile-i386.a"),
            ("aarch64-unknown-linux-gnu", "libclang_rt.profile-aarch64.a"),
            ("armv7-unknown-linux-gnueabihf", "libclang_rt.profile-armhf.a"),
            ("thumbv7m-none-eabi", "libclang_rt.profile-arm.a"),
            ("riscv64gc-unknown-linux-gnu", "libclang_rt.profile-riscv64.a"),
            ("s390x-unknown-linux-gnu", "libclang_rt.profile-s390x.a"),
            ("x86_64-w64-windows-gnu", "libclang_rt.profile-x86_64.a"),
            ("i686-pc-windows-msvc", "clang_rt.profile-i386.lib"),
        ] {
            assert_eq!(archive_name(triple), name);
        }
    }
}
