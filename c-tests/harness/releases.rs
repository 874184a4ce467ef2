//! Which variants are tried with which release of clang.
//!
//! The newest release that a variant names tries everything. Older ones try what depends on the compiler.

use std::sync::Arc;

use super::program::Variant;
use super::tools::Compiler;

/// `PROFRT_CLANGS=all`, as `cargo xtask test --all` sets it: every variant with every release.
fn all() -> bool {
    std::env::var_os("PROFRT_CLANGS").is_some_and(|value| value == "all")
}

/// Whether a variant is tried with this compiler, which it allows; it may be the `first` of its program, or of its kind of name there, to do so.
pub fn tried(variant: &Variant, first: bool, compiler: &Compiler, compilers: &[Arc<Compiler>]) -> bool {
    let newer = || compilers.iter().filter(|c| c.version > compiler.version && variant.clang.contains(&c.version));
    let newest = newer().next().is_none();
    let newest_of_its_raw = newer().all(|other| other.raw != compiler.raw);
    let group = variant.name.split('/').next().unwrap_or_default();
    match group {
        _ if all() => true,
        "abi" | "values" if variant.kind.is_some() => {
            newest && (first || variant.kind.is_some_and(|kind| kind.object.is_none()))
        }
        // Names of files have to do with neither how a program is linked nor with what it does.
        _ if variant.kind.is_some() => false,
        "abi" => first || newest_of_its_raw,
        _ => newest || first && newest_of_its_raw,
    }
}
