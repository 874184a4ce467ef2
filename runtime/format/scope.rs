//! The raw versions and word sizes that a program handles.
//!
//! A host tool handles all. The shipped archive handles the one for which it is built: with [`Scope::ONLY`] the compiler sees constants, and
//! makes no code for the others.

use core::fmt::Debug;

use super::record::RecordShape;
use super::{RawVersion, WordSize};

/// The raw versions and word sizes that a program handles.
pub trait Scope: Copy + PartialEq + Debug {
    /// The only raw version and word size, or `None` for all.
    const ONLY: Option<(RawVersion, WordSize)>;

    /// The size of a record, where it is a constant.
    const RECORD_SIZE: Option<u64> = match Self::ONLY {
        Some((version, word)) => Some(RecordShape::of(version, word).size),
        None => None,
    };

    /// Returns `version`, or the only one.
    #[inline(always)]
    fn version(version: RawVersion) -> RawVersion {
        match Self::ONLY {
            Some((only, _)) => only,
            None => version,
        }
    }

    /// Returns `word`, or the only one.
    #[inline(always)]
    fn word(word: WordSize) -> WordSize {
        match Self::ONLY {
            Some((_, only)) => only,
            None => word,
        }
    }

    /// Returns the raw version with this number, if the program handles it.
    #[inline(always)]
    fn version_of(number: u64) -> Option<RawVersion> {
        match Self::ONLY {
            Some((only, _)) => (number == only.number()).then_some(only),
            None => RawVersion::from_number(number),
        }
    }

    /// Returns the size of a record.
    #[inline(always)]
    fn record_size(version: RawVersion, word: WordSize) -> u64 {
        match Self::RECORD_SIZE {
            Some(size) => size,
            None => RecordShape::of(version, word).size,
        }
    }
}

/// The scope of a program that handles all raw versions and word sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct All;

impl Scope for All {
    const ONLY: Option<(RawVersion, WordSize)> = None;
}
