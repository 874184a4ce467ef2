//! Front-end hashes and MC/DC bitmaps: LLVM has changed its rules for them, and readers choose the rule by the indexed version.

use profrt_format::RawVersion;

use crate::error::{Error, ErrorKind};
use crate::flags::Flags;
use crate::profile::{HashEra, Profile};
use crate::release::Target;
use crate::sink::Format;

/// What to do with front-end records whose hashes ([`HashEra`]) or MC/DC bitmaps are of another era than the version to be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum HashEras {
    /// Refuse to write them: clang would find no counts for these functions, and `llvm-cov` no conditions.
    #[default]
    Refuse,
    /// Convert hashes for version 13 and later by clearing their four highest bits, which is all that clang 22 has changed; refuse what
    /// cannot be converted, as bitmaps. Right for `clang -fprofile-use`. Wrong for `llvm-cov`, which compares with the hashes in the binary, and
    /// for hashes that another compiler than clang has made.
    Convert,
    /// Write hashes and bitmaps as they are, as `llvm-profdata` does.
    AsIs,
}

/// The bits of a hash that version 13 keeps.
const KEPT: u64 = (1 << 60) - 1;

/// Checks that front-end records may be written with an indexed version. Returns the bits of hashes to keep.
///
/// The era of an input follows from its version. It is not known for raw version 10 (clang 19 to 22) and for text; their hashes are taken
/// for right. Profiles of IR instrumentation have no eras.
///
/// Errors: [`ErrorKind::Unwritable`], with the eras.
pub(super) fn check_hash_era(profile: &Profile, version: u32, eras: HashEras) -> Result<u64, Error> {
    if profile.flags().has(Flags::IR) || eras == HashEras::AsIs || profile.is_empty() {
        return Ok(u64::MAX);
    }
    check_bitmaps(profile, version)?;
    let wanted = HashEra::of_indexed(version);
    let convert = wanted == HashEra::V4 && eras == HashEras::Convert;
    for era in profile.headings().iter().filter_map(|heading| of_format(heading.format)) {
        let fits = match (era, wanted) {
            (HashEra::V3, HashEra::V4) => convert || profile.records().all(|record| record.hash <= KEPT),
            _ => era == wanted,
        };
        if !fits {
            let error = Error::new(ErrorKind::Unwritable, "FuncHash");
            return Err(error.expected(rule(wanted)).found(rule(era)));
        }
    }
    Ok(if convert { KEPT } else { u64::MAX })
}

/// Checks that readers of a version that has bitmaps understand those of the profile.
///
/// Errors: [`ErrorKind::Unwritable`], with the releases whose bitmaps they are.
fn check_bitmaps(profile: &Profile, version: u32) -> Result<(), Error> {
    let Some(wanted) = bitmaps(Format::Indexed(version)) else { return Ok(()) };
    let mut found = profile.headings().iter().filter_map(|heading| bitmaps(heading.format));
    match found.find(|found| *found != wanted) {
        Some(found) if profile.records().any(|record| !record.bitmap.is_empty()) => {
            Err(Error::new(ErrorKind::Unwritable, "NumBitmapBytes").expected(wanted).found(found))
        }
        _ => Ok(()),
    }
}

/// Returns whose layout of MC/DC bitmaps a format has; `None` if it has none, or does not tell.
fn bitmaps(format: Format) -> Option<&'static str> {
    match format {
        Format::Indexed(11) | Format::Raw(RawVersion::V9, _) => Some("MC/DC bitmaps of LLVM 18"),
        Format::Raw(version, _) if version < RawVersion::V9 => None,
        Format::Indexed(12..) | Format::Raw(..) => Some("MC/DC bitmaps of LLVM 19 and later"),
        _ => None,
    }
}

/// Checks that front-end records may be written for a target, as [`write`](super::write) does, for outputs that have no version.
///
/// Errors: [`ErrorKind::Unwritable`], with the eras.
pub fn check_eras(profile: &Profile, target: Target, eras: HashEras) -> Result<(), Error> {
    check_hash_era(profile, target.version(), eras).map(|_| ())
}

fn rule(era: HashEra) -> &'static str {
    match era {
        HashEra::V1 => "front-end hashes of indexed version 4 or earlier",
        HashEra::V2 => "front-end hashes of indexed version 5",
        HashEra::V3 => "front-end hashes of indexed versions 6 to 12",
        HashEra::V4 => "front-end hashes of indexed version 13 or later",
    }
}

fn of_format(format: Format) -> Option<HashEra> {
    match format {
        Format::Indexed(version) => Some(HashEra::of_indexed(version)),
        Format::Raw7(_) | Format::Raw(RawVersion::V8 | RawVersion::V9, _) => Some(HashEra::V3),
        Format::Raw(version, _) if version >= RawVersion::V11 => Some(HashEra::V4),
        Format::Raw(..) | Format::Text | Format::Partial => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::Name;
    use crate::sink::{Heading, RecordRef, Sink};

    fn profile(version: u32, flags: Flags, hash: u64) -> Profile {
        let mut profile = Profile::new();
        let format = Format::Indexed(version);
        profile.heading(&Heading { format, flags, says_front_end: false, kind_unknown: false }).unwrap();
        let name = Name::of(b"main");
        profile.push(RecordRef { name, hash, counters: &[1], bitmap: &[], uniformity: &[], values: None }).unwrap();
        profile
    }

    #[test]
    fn hashes_of_another_era_are_refused_or_converted() {
        let long = 0xc647_5a94_6d5a_5ab7;
        let check =
            |version, hash, target, eras| check_hash_era(&profile(version, Flags::NONE, hash), target, eras).ok();
        assert_eq!(check(12, long, 12, HashEras::Refuse), Some(u64::MAX));
        assert_eq!(check(12, long, 13, HashEras::Refuse), None);
        assert_eq!(check(12, long, 13, HashEras::Convert), Some(KEPT));
        assert_eq!(check(12, long, 13, HashEras::AsIs), Some(u64::MAX));
        assert_eq!(check(12, 0x1835c, 13, HashEras::Refuse), Some(u64::MAX));
        assert_eq!(check(13, long & KEPT, 12, HashEras::Convert), None);
        assert_eq!(check(5, 1, 13, HashEras::Convert), None);
        assert!(check_hash_era(&profile(12, Flags::IR, long), 13, HashEras::Refuse).is_ok());
    }
}
