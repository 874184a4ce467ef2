//! LLVM releases: which versions each one writes and reads, and where the bytes of one version differ.

mod names;

use std::fmt;

use profrt_format::RawVersion;

use crate::error::{Error, ErrorKind};

/// A release of LLVM, 13 to 23.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Release(u32);

impl Release {
    /// The oldest release that this crate knows.
    pub const OLDEST: Release = Release(13);
    /// The newest release that this crate knows.
    pub const NEWEST: Release = Release(23);

    /// Returns the release with this number; `None` for one that this crate does not know.
    pub const fn new(number: u32) -> Option<Release> {
        if number < Self::OLDEST.0 || number > Self::NEWEST.0 { None } else { Some(Release(number)) }
    }

    /// Returns the number, for example 22.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// Returns the indexed version that this release writes. Its compiler and its tools read this version and all older ones.
    pub const fn indexed(self) -> u32 {
        match self.0 {
            ..=14 => 7,
            15 => 8,
            16 => 9,
            17 => 10,
            18 => 11,
            19..=21 => 12,
            22 => 13,
            _ => 14,
        }
    }

    /// Returns the raw version that this release writes, the only one that its `llvm-profdata` reads.
    pub const fn raw(self) -> u32 {
        match RawVersion::of_release(self.0) {
            Some(version) => version.number() as u32,
            None => 7,
        }
    }

    /// Returns whether a first counter of 2^64 - 1 or 2^64 - 2 is a pseudo count in this release. In earlier ones it is a count, and
    /// 2^64 - 1 is the largest.
    pub(crate) const fn has_pseudo_counts(self) -> bool {
        self.0 >= 16
    }

    /// Returns the newest release that writes this indexed version.
    const fn newest_of_indexed(version: u32) -> Option<Release> {
        let mut release = Self::NEWEST;
        while release.indexed() != version {
            if release.0 == Self::OLDEST.0 {
                return None;
            }
            release = Release(release.0 - 1);
        }
        Some(release)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LLVM {}", self.0)
    }
}

/// The order in which a release puts names into the function table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub(crate) enum NameOrder {
    /// By their bytes (LLVM 17 and later).
    Sorted,
    /// As they stand in LLVM's string map after they were added one by one (LLVM 16 and earlier).
    StringMap,
}

/// How the small map that holds the records of one name mixes function hashes, which decides their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub(crate) enum HashMix {
    /// Times 37 (LLVM 18 and earlier).
    Times37,
    /// Times a large number, and folded (LLVM 19 and later).
    Folded,
}

impl HashMix {
    /// Returns how a release mixes.
    pub(crate) const fn of(release: u32) -> HashMix {
        if release < 19 { HashMix::Times37 } else { HashMix::Folded }
    }
}

/// What an indexed profile is written for: a version, and the order of the release that writes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Target {
    version: u32,
    release: Release,
}

impl Target {
    /// The version that `-write-prev-version` asks for, in every release that has the option.
    const PREVIOUS: u32 = 11;

    /// Returns what a release writes.
    pub const fn of_release(release: Release) -> Target {
        Target { version: release.indexed(), release }
    }

    /// Returns what a release writes with `-write-prev-version`: version 11. `None` for a release without this option.
    pub const fn prev_version_of(release: Release) -> Option<Target> {
        if release.0 < 19 { None } else { Some(Target { version: Self::PREVIOUS, release }) }
    }

    /// Returns what the newest release writes that writes this version; `None` unless the version is one of 7 to 14.
    pub const fn of_indexed(version: u32) -> Option<Target> {
        match Release::newest_of_indexed(version) {
            Some(release) => Some(Target { version, release }),
            None => None,
        }
    }

    /// Returns what a user's name stands for: `llvm-16`, `clang-16`, `rustc-1.85`, `indexed-9`, or `9` for an indexed version. More
    /// numbers may follow, as in `clang-16.0.6`. A release after the last known one stands for that ([`Target::is_later`]).
    ///
    /// Errors: [`ErrorKind::UnsupportedVersion`] for any other name; it says which names there are.
    pub fn of_name(name: &str) -> Result<Target, Error> {
        names::target(name).ok_or_else(|| {
            Error::new(ErrorKind::UnsupportedVersion, "target")
                .expected(names::Accepted)
                .found(format_args!("{name:?}"))
        })
    }

    /// Returns whether a name is of a release after the last known one, of its product.
    pub fn is_later(name: &str) -> bool {
        names::is_later(name)
    }

    /// Returns the indexed version.
    pub const fn version(self) -> u32 {
        self.version
    }

    /// Returns the release whose bytes are written.
    pub const fn release(self) -> Release {
        self.release
    }

    pub(crate) const fn name_order(self) -> NameOrder {
        if self.release.0 < 17 { NameOrder::StringMap } else { NameOrder::Sorted }
    }

    pub(crate) const fn hash_mix(self) -> HashMix {
        HashMix::of(self.release.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_has_a_release_that_writes_it() {
        for version in 7..=14 {
            let target = Target::of_indexed(version).unwrap();
            assert_eq!(target, Target::of_release(target.release()));
            assert_eq!(target.version(), version);
            assert!(target.version == target.release.indexed());
        }
        assert_eq!(Target::of_indexed(6), None);
        assert_eq!(Target::of_indexed(15), None);
    }

    #[test]
    fn version_11_has_two_orders() {
        let newest = Target::prev_version_of(Release(22)).unwrap();
        let own = Target::of_indexed(11).unwrap();
        assert_eq!((newest.version(), own.version()), (11, 11));
        assert_ne!(newest.hash_mix(), own.hash_mix());
        assert!(newest.version != newest.release.indexed() && own.version == own.release.indexed());
        assert_eq!(Target::prev_version_of(Release(18)), None);
    }
}
