//! By which rules regions become counts, lines and sums.

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
}
