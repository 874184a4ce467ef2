//! For which compiler the output is, and whether it finds the functions.

use anyhow::{Result, anyhow};
use profdata::error::{Error, ErrorKind};
use profdata::profile::HashEra;
use profdata::release::{Release, Target};
use profdata::{Flags, Format, Profile};
use profrt_format::RawVersion;

/// Returns what a user has named.
pub(super) fn named(name: &str) -> Result<Target> {
    Target::of_name(name).map_err(|error| {
        let expected = error.details().expected.clone().unwrap_or_default();
        anyhow!("--for {name}: no such compiler is known; write {expected}")
    })
}

/// Returns the oldest target that can have everything in the profile, and whose release could have written its inputs: their own compiler
/// reads it, and each later one. Text has no version; alone it is written for LLVM 22.
pub(super) fn default(profile: &Profile) -> Target {
    let of_input = |format: Format| match format {
        Format::Raw7(_) => Some(7),
        Format::Raw(RawVersion::V8, _) => Some(7),
        Format::Raw(RawVersion::V9, _) => Some(11),
        Format::Raw(RawVersion::V10, _) => Some(12),
        Format::Raw(..) => Some(14),
        Format::Indexed(version) => Some(version.clamp(7, 14)),
        _ => None,
    };
    let inputs = profile.headings().iter().filter_map(|heading| of_input(heading.format)).max();
    let mut version = inputs.unwrap_or(13);
    let has_vtables = profile
        .records()
        .any(|record| record.values.is_some_and(|values| values.kinds.get(2).is_some_and(|kind| !kind.is_empty())));
    let needs = [
        (profile.records().any(|record| !record.bitmap.is_empty()), 11),
        (profile.records().any(|record| !record.uniformity.is_empty()), 14),
        (has_vtables, 12),
        (!profile.traces().is_empty(), 10),
        (!profile.binary_ids().is_empty(), 9),
        (profile.flags().has(Flags::LOOP_ENTRIES), 13),
        (profile.flags().has(Flags::BYTE_COVERAGE), 10),
        (evident_era(profile) == Some(HashEra::V4), 13),
    ];
    for (is_needed, since) in needs {
        version = version.max(if is_needed { since } else { 0 });
    }
    Target::of_indexed(version).unwrap_or(Target::of_release(Release::NEWEST))
}

/// Returns the releases that read an indexed version, for a sentence.
pub(crate) fn readers(target: Target) -> String {
    let first = (Release::OLDEST.number()..=Release::NEWEST.number())
        .find(|number| Release::new(*number).is_some_and(|release| release.indexed() >= target.version()));
    format!("LLVM {} and later", first.unwrap_or(Release::NEWEST.number()))
}

/// Hashes of front-end functions that are long enough to tell their era.
const ENOUGH: usize = 32;

/// Returns the era of front-end hashes where the versions of the inputs do not tell it, and the hashes do: since clang 22 the four highest
/// bits are 0.
fn evident_era(profile: &Profile) -> Option<HashEra> {
    let is_open = |format| matches!(format, Format::Text | Format::Raw(RawVersion::V10, _));
    let is_known = profile.headings().iter().any(|heading| !is_open(heading.format));
    if profile.flags().has(Flags::IR) || is_known {
        return None;
    }
    if profile.records().any(|record| record.hash >> 60 != 0) {
        return Some(HashEra::V3);
    }
    let long = profile.records().filter(|record| record.hash >> 56 != 0).count();
    (long >= ENOUGH).then_some(HashEra::V4)
}

/// Checks hashes of front-end profiles whose versions do not tell by which rule they were computed.
///
/// Errors: the compiler would find no counts for many functions.
pub(crate) fn check_hashes(profile: &Profile, target: Target) -> Result<()> {
    let wanted = if target.version() >= 13 { HashEra::V4 } else { HashEra::V3 };
    match evident_era(profile) {
        Some(era) if era != wanted => {
            let of = |era| match era {
                HashEra::V4 => "clang 22 and later",
                _ => "clang 21 and earlier",
            };
            Err(refused(Error::new(ErrorKind::Unwritable, "FuncHash").expected(of(wanted)).found(of(era))))
        }
        _ => Ok(()),
    }
}

/// Returns an error of the writer with its cause and what to do.
pub(crate) fn refused(error: Error) -> anyhow::Error {
    if error.kind() == ErrorKind::Unwritable && error.details().field == "FuncHash" {
        let details = error.details();
        let (expected, found) =
            (details.expected.clone().unwrap_or_default(), details.found.clone().unwrap_or_default());
        return anyhow!(
            "the function hashes of these front-end profiles are not those that the compiler will compute\n  \
             expected: {expected}\n  found:    {found}\n  \
             cause:    clang 22 changed its rule for -fprofile-instr-generate, and chooses the rule by the version of the file\n  \
             remedy:   name the compiler that made the inputs with --for; or --hashes convert, from clang 21 to clang 22, for \
             -fprofile-use only; or profile with the compiler that is to read it"
        );
    }
    anyhow!("{error}\n  cause:    {}\n  remedy:   {}", error.cause(), error.remedy())
}
