//! By which rules regions become counts, lines and sums.

use super::counter::Counter;

/// By which rules regions become counts, lines and sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum Rules {
    /// Those of this crate.
    #[default]
    Own,
    /// Those of `llvm-cov` of this release, with its errors: 14 to 22 were compared.
    Llvm(u32),
}

impl Rules {
    /// Returns the count that the value of a counter stands for.
    pub(super) fn count(self, value: i128) -> u64 {
        match self {
            Rules::Own => u64::try_from(value.max(0)).unwrap_or(u64::MAX),
            Rules::Llvm(_) => value as u64,
        }
    }

    /// Returns whether a branch with a counter that is zero is no branch: from LLVM 20 on that side, before only both together.
    pub(super) fn folds(self, counters: [Counter; 2]) -> bool {
        match self {
            Rules::Llvm(..20) => counters == [Counter::ZERO; 2],
            _ => true,
        }
    }

    /// Returns whether code that ran in two functions of byte coverage ran once: LLVM 22 adds these counts.
    pub(super) fn unites_bytes(self) -> bool {
        !matches!(self, Rules::Llvm(20..))
    }

    /// Returns whether bit 60 of structural hashes makes them hashes of two kinds, though here it says nothing.
    pub(super) fn has_two_kinds(self) -> bool {
        matches!(self, Rules::Llvm(16..))
    }

    /// Returns whether a file has the branches of its macros.
    pub(super) fn lists_macros(self) -> bool {
        !matches!(self, Rules::Llvm(..20))
    }

    /// Returns whether a line that starts with what is left out has no count, whatever else is on it. 14 and 16 do that, 19 does not.
    pub(super) fn hides_lines(self) -> bool {
        matches!(self, Rules::Llvm(..19))
    }
}
