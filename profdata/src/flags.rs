//! The variant flags of a profile: how its program was instrumented.

use derive_more::{BitOr, BitOrAssign};

use crate::error::{Error, ErrorKind};
use crate::release::Release;

/// Variant flags, as the high half of a version word has them.
///
/// There is no flag for front-end instrumentation: a profile without [`Flags::IR`] comes from the front end, or nothing is known of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash, BitOr, BitOrAssign)]
pub struct Flags(u64);

impl Flags {
    /// Bit 55: loop entries have counters (LLVM 20 and later).
    pub const LOOP_ENTRIES: Flags = Flags(1 << 55);
    /// Bit 56: instrumented on IR.
    pub const IR: Flags = Flags(1 << 56);
    /// Bit 57: has context-sensitive records.
    pub const CONTEXT_SENSITIVE: Flags = Flags(1 << 57);
    /// Bit 58: the first counter of each function counts its entries.
    pub const ENTRY_FIRST: Flags = Flags(1 << 58);
    /// Bit 59: records and names are only in the debug info of the binary (raw profiles).
    pub const DEBUG_CORRELATE: Flags = Flags(1 << 59);
    /// Bit 60: counters are single bytes that say only whether code ran.
    pub const BYTE_COVERAGE: Flags = Flags(1 << 60);
    /// Bit 61: only function entries have counters.
    pub const FUNCTION_ENTRY_ONLY: Flags = Flags(1 << 61);
    /// Bit 62: has a MemProf section.
    pub const MEMPROF: Flags = Flags(1 << 62);
    /// Bit 63: has temporal traces; in raw profiles the first counter of each function is a time stamp.
    pub const TEMPORAL: Flags = Flags(1 << 63);

    /// All bits that a version word uses for flags. LLVM 14 to 17 use only the 8 highest, in which no other meaning stands.
    const ALL: u64 = 0xffff_ffff << 32;

    /// No flags.
    pub const NONE: Flags = Flags(0);

    /// Returns the flags of a version word.
    pub(crate) const fn of_version_word(word: u64) -> Flags {
        Flags(word & Self::ALL)
    }

    /// Returns the bits in their places in a version word.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns whether all of `flags` are set.
    pub const fn has(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// Returns these flags without `flags`.
    pub const fn without(self, flags: Flags) -> Flags {
        Flags(self.0 & !flags.0)
    }

    /// Returns the flags that are not in `known`.
    pub const fn unknown(self) -> Flags {
        const KNOWN: u64 = 0x1ff << 55;
        Flags(self.0 & !KNOWN)
    }

    /// Returns the flags with which a version word is read: counters under a flag that is not known could mean anything. LLVM's readers of a
    /// release pass over it; up to LLVM 17, most flags are a part of the version.
    ///
    /// Errors: [`ErrorKind::UnsupportedVersion`].
    pub(crate) fn read(self, release: Option<Release>) -> Result<Flags, Error> {
        const NOT_BEFORE_18: Flags = Flags(0x00ff_ffff << 32);
        let unknown = match release.map(Release::number) {
            None => self.unknown(),
            Some(..18) => Flags(self.0 & NOT_BEFORE_18.0),
            Some(_) => return Ok(self.without(self.unknown())),
        };
        if unknown == Flags::NONE {
            return Ok(self);
        }
        let error = Error::new(ErrorKind::UnsupportedVersion, "variant flags").expected("known flags");
        Err(error.found(format_args!("{:#x}", unknown.0)))
    }

    /// Checks that the readers of a release understand counters with these flags: one that does not know a flag takes it for clear.
    ///
    /// Errors: [`ErrorKind::Unwritable`].
    pub(crate) fn check_fit(self, release: Release) -> Result<(), Error> {
        let error = || Error::new(ErrorKind::Unwritable, "variant flags");
        let since = [(Flags::LOOP_ENTRIES, 20), (Flags::BYTE_COVERAGE, 14), (Flags::FUNCTION_ENTRY_ONLY, 14)];
        if let Some((_, since)) = since.into_iter().find(|(flag, since)| self.has(*flag) && release.number() < *since) {
            return Err(error().expected(format_args!("LLVM {since} or later")).found(release));
        }
        match self.unknown() {
            Flags::NONE => Ok(()),
            unknown => Err(error().expected("known flags").found(format_args!("{:#x}", unknown.0))),
        }
    }
}
