//! The releases of `llvm-cov` that outputs were compared with, and how they differ.

use std::str::FromStr;

use profdata::coverage::Rules;

/// A release of LLVM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::cov) struct Release(u32);

/// Those that outputs were compared with.
const COMPARED: [u32; 4] = [14, 16, 19, 22];

impl FromStr for Release {
    type Err = String;

    fn from_str(text: &str) -> Result<Release, String> {
        let number = text.strip_prefix("llvm-").and_then(|number| number.parse().ok());
        number.filter(|number| COMPARED.contains(number)).map(Release).ok_or_else(|| {
            let names = COMPARED.map(|number| format!("llvm-{number}")).join(", ");
            format!("outputs were compared with {names} only")
        })
    }
}

impl Release {
    pub(in crate::cov) fn rules(self) -> Rules {
        Rules::Llvm(self.0)
    }

    /// Returns the version of the JSON.
    pub(super) fn json(self) -> &'static str {
        if self.0 >= 22 { "3.1.0" } else { "2.0.1" }
    }

    /// Returns whether the release knows MC/DC.
    pub(super) fn has_decisions(self) -> bool {
        self.0 >= 19
    }

    /// Returns whether decisions have their test vectors, and lcov one record for all branches of one place.
    pub(super) fn has_vectors(self) -> bool {
        self.0 >= 22
    }

    /// Returns by how much the rules of the table are longer than its rows: by columns that nobody sees.
    pub(super) fn rule_excess(self) -> usize {
        if self.0 >= 19 { 0 } else { 42 }
    }
}
