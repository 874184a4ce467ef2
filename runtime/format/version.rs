//! Raw versions, who emits them, and the variant flags that share their word.

use core::fmt::Debug;

use super::encoding::WordSize;
use super::parts::Part;

/// Defines [`RawVersion`] from the table of versions, oldest first: number, first release of LLVM, who emits it.
macro_rules! versions {
    ($($name:ident = $number:literal, LLVM $release:literal, $emitters:literal;)*) => {
        /// The number in the low half of the header's version word.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum RawVersion {
            $(#[doc = concat!("Of ", $emitters, ".")] $name = $number,)*
        }

        impl RawVersion {
            /// All versions, oldest first.
            pub const ALL: [RawVersion; [$($number),*].len()] = [$(RawVersion::$name),*];

            /// The default, then all: the order in which to guess the version of records. Those of 9 look like those of 10, which is by far the
            /// more frequent one.
            pub const LIKELY: [RawVersion; 1 + RawVersion::ALL.len()] = [RawVersion::V10, $(RawVersion::$name),*];

            /// Their numbers, oldest first.
            pub const NUMBERS: [u8; RawVersion::ALL.len()] = [$($number),*];

            /// The version with this number.
            #[inline]
            pub const fn from_number(number: u64) -> Option<RawVersion> {
                match number {
                    $($number => Some(RawVersion::$name),)*
                    _ => None,
                }
            }

            /// The version of a release of LLVM; `None` before the oldest.
            #[inline]
            pub const fn of_release(release: u32) -> Option<RawVersion> {
                let mut version = None;
                $(if release >= $release {
                    version = Some(RawVersion::$name);
                })*
                version
            }

            /// Its number and who emits it, for messages.
            #[inline]
            pub const fn described(self) -> &'static str {
                match self {
                    $(RawVersion::$name => concat!($number, " (", $emitters, ")"),)*
                }
            }

            /// Who emits it, for messages.
            #[inline]
            pub const fn emitters(self) -> &'static str {
                match self {
                    $(RawVersion::$name => $emitters,)*
                }
            }
        }
    };
}

versions! {
    V8 = 8, LLVM 14, "clang 14 to 17";
    V9 = 9, LLVM 18, "clang 18";
    V10 = 10, LLVM 19, "clang 19 to 22, rustc 1.82 and up";
    V11 = 11, LLVM 23, "clang 23";
}

impl RawVersion {
    /// The oldest.
    pub const OLDEST: RawVersion = match RawVersion::ALL {
        [oldest, ..] => oldest,
    };

    /// The newest.
    pub const NEWEST: RawVersion = match RawVersion::ALL {
        [.., newest] => newest,
    };

    /// Its number.
    #[inline]
    pub const fn number(self) -> u64 {
        self as u8 as u64
    }

    /// Kinds of values a record counts sites for: the vtable kind came with version 10.
    #[inline]
    pub const fn value_kinds(self) -> usize {
        if Part::VTables.is_in(self) { 3 } else { 2 }
    }
}

/// The whole version word: a raw version in the low half, flags in the high half.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variant(pub u64);

impl Variant {
    /// Bit 56: instrumented on IR, not by the front end.
    pub const IR: u64 = 1 << 56;
    /// Bit 57: context-sensitive IR instrumentation.
    pub const CONTEXT_SENSITIVE: u64 = 1 << 57;
    /// Bit 59: data and names are only in the debug info of the binary.
    pub const DEBUG_CORRELATE: u64 = 1 << 59;
    /// Bit 60: counters are single bytes; 0 means covered, the initial value is 0xFF.
    pub const BYTE_COVERAGE: u64 = 1 << 60;
    /// Bit 63: the first counter of each function is a time stamp.
    pub const TEMPORAL: u64 = 1 << 63;

    /// The raw version's number, which may be one we do not know.
    #[inline]
    pub const fn number(self) -> u64 {
        self.0 & 0xffff_ffff
    }

    /// Whether `flag` is set.
    #[inline]
    pub const fn has(self, flag: u64) -> bool {
        self.0 & flag != 0
    }

    /// Bytes in one counter.
    #[inline]
    pub const fn counter_size(self) -> u64 {
        if self.has(Self::BYTE_COVERAGE) { 1 } else { 8 }
    }
}

/// The raw versions and word sizes that a program handles: a host tool all, the shipped archive the one for which it is built. With
/// [`Scope::ONLY`] the compiler sees constants, and makes no code for the others.
pub trait Scope: Copy + PartialEq + Debug {
    /// The only raw version and word size, or `None` for all.
    const ONLY: Option<(RawVersion, WordSize)>;

    /// Whether distances between sections have 32 bits in all images, as in COFF, which has no longer relocations for them.
    const SHORT_DISTANCES: bool = false;
}

/// The scope of a program that handles all raw versions and word sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct All;

impl Scope for All {
    const ONLY: Option<(RawVersion, WordSize)> = None;
}
