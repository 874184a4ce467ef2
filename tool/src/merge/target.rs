//! For which compiler the output is, and whether it finds the functions.

use std::collections::HashSet;

use anyhow::{Result, anyhow};
use profdata::error::{Error, ErrorKind};
use profdata::memprof::is_read_by;
use profdata::merge::Merger;
use profdata::profile::HashEra;
use profdata::sink::{Flags, Format, Heading};
use profdata::write::Release;
use profdata::write::indexed::{HashEras, check_eras};
use profdata::{Profile, Target};

use super::Hashes;
use crate::report::explained;
use crate::report::style::{Styled, WARNING};

/// Returns what a user has named.
pub(super) fn named(name: &str) -> Result<Target> {
    let target = Target::of_name(name).map_err(|error| {
        let expected = error.details().expected.clone().unwrap_or_default();
        anyhow!("--for {name}: no such compiler is known; write {expected}")
    })?;
    if Target::is_later(name) {
        let known = target.release().number();
        complainln!("{} {name} is not known yet; what LLVM {known} reads is written", Styled(WARNING, "note:"));
    }
    Ok(target)
}

/// Returns the oldest target that can have everything in the profile but build ids, and whose release could have written its inputs: their own
/// compiler reads it (raw version 8 is of clang 14, which knows no build ids there), and each later one. Text has no version; alone it is written for LLVM 22, unless its hashes are of earlier compilers.
///
/// Raw version 10 is of clang 19 to 22, whose front-end hashes differ. Where few hashes look like those of clang 22 ([`Evidence`]), the version
/// is 13: clang 22 finds the functions whichever of them made the inputs, and earlier ones say that they do not read it.
pub(crate) fn default(profile: &Profile) -> Target {
    let inputs = version_of(profile.headings());
    let mut version = inputs.unwrap_or(13);
    let has_vtables = profile
        .records()
        .any(|record| record.values.is_some_and(|values| values.kinds.get(2).is_some_and(|kind| !kind.is_empty())));
    // Version 12 is that of LLVM 19 to 21, not all of which read the newest MemProf.
    let reads = |section: &[u8], number| Release::new(number).is_some_and(|release| is_read_by(section, release));
    let has_new_memprof =
        profile.memprof_sections().iter().any(|(_, section)| reads(section, 22) && !reads(section, 19));
    let needs = [
        (profile.records().any(|record| !record.bitmap.is_empty()), 11),
        (profile.records().any(|record| !record.uniformity.is_empty()), 14),
        (has_vtables, 12),
        (!profile.traces().is_empty(), 10),
        (profile.flags().has(Flags::LOOP_ENTRIES), 13),
        (has_new_memprof, 13),
        (profile.flags().has(Flags::BYTE_COVERAGE), 10),
        (Evidence::of(profile).is_some_and(|evidence| evidence.fits(HashEra::V4) && evidence.low > 0), 13),
    ];
    if inputs.is_none() && Evidence::of(profile).is_some_and(|evidence| !evidence.fits(HashEra::V4)) {
        version = 12;
    }
    for (is_needed, since) in needs {
        version = version.max(if is_needed { since } else { 0 });
    }
    Target::of_indexed(version).unwrap_or(Target::of_release(Release::NEWEST))
}

/// Returns the oldest version that the releases of all inputs can have written; `None` if all are text.
fn version_of(headings: &[Heading]) -> Option<u32> {
    let of_input = |format: Format| match format {
        Format::Raw7(_) => Some(7),
        Format::Raw(raw, _) => Some(match raw.number() {
            8 => 7,
            9 => 11,
            10 => 12,
            _ => 14,
        }),
        Format::Indexed(version) => Some(version.clamp(7, 14)),
        _ => None,
    };
    headings.iter().filter_map(|heading| of_input(heading.format)).max()
}

/// Returns a target that is no later than that of [`default`], whatever else the inputs have.
pub(super) fn earliest(headings: &[Heading]) -> Target {
    Target::of_indexed(version_of(headings).unwrap_or(12)).unwrap_or(Target::of_release(Release::NEWEST))
}

/// Returns the releases that read an indexed version, for a sentence.
pub(crate) fn readers(target: Target) -> String {
    let first = (Release::OLDEST.number()..=Release::NEWEST.number())
        .find(|number| Release::new(*number).is_some_and(|release| release.indexed() >= target.version()));
    format!("LLVM {} and later", first.unwrap_or(Release::NEWEST.number()))
}

/// What the hashes of front-end functions say about their era, where the versions of the inputs leave it open.
///
/// Clang hashes a function of at most ten statements to their codes, six bits each, in all eras. It hashes a larger one to 64 bits of an MD5
/// sum; clang 22 clears the four highest, which earlier ones leave 0 in one of 16 functions only.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Evidence {
    /// Different hashes with one of the four highest bits: those of clang 21 and earlier.
    high: u64,
    /// Different hashes of large functions without them.
    low: u64,
    /// A function has a hash of each era.
    pair: bool,
}

/// The bits of a hash that clang 22 keeps.
const KEPT: u64 = (1 << 60) - 1;

/// Larger than any code of a statement.
const CODES: u64 = 40;

/// Returns whether a hash is the codes of a few statements, and so the same in all eras.
fn is_codes(hash: u64) -> bool {
    let mut rest = hash;
    while rest != 0 {
        if !(1..CODES).contains(&(rest & 63)) {
            return false;
        }
        rest >>= 6;
    }
    hash <= KEPT
}

impl Evidence {
    /// Different hashes of large functions that tell clang 22 from earlier ones: of these, one in 4,096 programs has such hashes by chance.
    const ENOUGH: u64 = 3;

    /// Returns what the hashes say; `None` where there are no eras, or all inputs tell theirs.
    fn of(profile: &Profile) -> Option<Evidence> {
        let is_open = |format| match format {
            Format::Raw(raw, _) => raw.number() == 10,
            format => format == Format::Text,
        };
        if profile.flags().has(Flags::IR) || !profile.headings().iter().any(|heading| is_open(heading.format)) {
            return None;
        }
        // Functions with one body have one hash.
        let (mut high, mut low, mut kept) = (HashSet::new(), HashSet::new(), HashSet::new());
        for record in profile.records() {
            if record.hash > KEPT {
                high.insert(record.hash);
                kept.insert((record.name.hash, record.hash & KEPT));
            } else if !is_codes(record.hash) {
                low.insert(record.hash);
            }
        }
        let pair = profile.records().any(|record| kept.contains(&(record.name.hash, record.hash)));
        Some(Evidence { high: high.len() as u64, low: low.len() as u64, pair })
    }

    /// Returns whether the compilers of an era find all functions.
    fn fits(self, era: HashEra) -> bool {
        match era {
            HashEra::V4 => self.high == 0,
            _ => (self.low < Evidence::ENOUGH || self.high > 0) && !self.pair,
        }
    }
}

/// Returns a note where a few hashes look like those of clang 22, and may be of an earlier one.
pub(super) fn doubt(profile: &Profile, target: Target, is_named: bool) -> Option<String> {
    let evidence = Evidence::of(profile)?;
    let is_few = evidence.low > 0 && evidence.fits(HashEra::V4) && evidence.fits(HashEra::V3);
    let consequence = match (HashEra::of_indexed(target.version()), is_named) {
        (HashEra::V4, true) => return None,
        (HashEra::V4, false) => {
            "they are taken for those of clang 22; if an earlier one made the inputs, name it with --for"
        }
        _ => "--for is believed",
    };
    is_few.then(|| format!("so few function hashes do not tell clang 22 from clang 19 to 21: {consequence}"))
}

/// Checks hashes of front-end profiles, those too whose versions do not tell by which rule they were computed.
///
/// Errors: the compiler would find no counts for many functions, and they are neither to be kept nor can they be converted.
pub(crate) fn check_hashes(profile: &Profile, target: Target, hashes: Hashes) -> Result<()> {
    // The writer converts those of clang 21 and earlier. There is no way back.
    let is_converted = hashes == Hashes::Convert && HashEra::of_indexed(target.version()) == HashEra::V4;
    if hashes == Hashes::Keep || is_converted {
        return Ok(());
    }
    check_eras(profile, target, HashEras::Refuse).map_err(refused)?;
    let wanted = HashEra::of_indexed(target.version());
    let of = |era| match era {
        HashEra::V4 => "those of clang 22 and later",
        _ => "those of clang 21 and earlier",
    };
    let found = match Evidence::of(profile) {
        Some(evidence) if evidence.pair => "both those of clang 22 and later and those of clang 21 and earlier",
        Some(evidence) if !evidence.fits(wanted) => of(if wanted == HashEra::V4 { HashEra::V3 } else { HashEra::V4 }),
        _ => return Ok(()),
    };
    Err(refused(Error::new(ErrorKind::Unwritable, "FuncHash").expected(of(wanted)).found(found)))
}

/// Converts hashes before the merge ends: inputs of both eras may have one function, and are added up.
///
/// Errors: there are 2^32 names.
pub(super) fn convert(merger: &mut Merger, target: Target, hashes: Hashes) -> Result<(), Error> {
    let is_wanted = hashes == Hashes::Convert && HashEra::of_indexed(target.version()) == HashEra::V4;
    if is_wanted && !merger.flags().has(Flags::IR) { merger.keep_hash_bits(KEPT) } else { Ok(()) }
}

/// Returns an error of the writer with its cause and what to do.
pub(crate) fn refused(error: Error) -> anyhow::Error {
    let details = error.details();
    let (what, cause, remedy) = match &*details.field {
        "FuncHash" => (
            "the function hashes of these front-end profiles are not those that the compiler will compute",
            "clang 22 changed its rule for -fprofile-instr-generate, and chooses the rule by the version of the file",
            "merge inputs of clang 22 apart from those of earlier ones; or --hashes convert, from clang 21 to clang 22, for -fprofile-use \
             only; or profile with the compiler that is to read it",
        ),
        "NumBitmapBytes" => (
            "llvm-cov would misread the MC/DC bitmaps",
            "LLVM 19 changed their layout, and llvm-cov chooses the layout by the version of the file",
            "merge inputs of clang 18 apart from those of later ones",
        ),
        _ => return anyhow!(explained(&error)),
    };
    let [expected, found] = [&details.expected, &details.found].map(|text| text.clone().unwrap_or_default());
    anyhow!(
        "{what}\n  expected: {expected}\n  found:    {found}\n  cause:    {cause}\n  \
         remedy:   name the compiler that made the inputs with --for; {remedy}; --hashes keep writes them as they are"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_hashes_do_not_tell_the_era() {
        let fits = |low| [HashEra::V3, HashEra::V4].map(|era| Evidence { high: 0, low, pair: false }.fits(era));
        assert_eq!((fits(0), fits(2), fits(3)), ([true, true], [true, true], [false, true]));
        assert!(!Evidence { high: 1, low: 2, pair: true }.fits(HashEra::V3));
    }

    #[test]
    fn hashes_of_small_functions_are_of_all_eras() {
        assert!(is_codes(0) && is_codes(860) && is_codes(0x0041_0410_4104_1041));
        assert!(!is_codes(1_036_385_578_006_434_841) && !is_codes(1 << 60));
    }
}
