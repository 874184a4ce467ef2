//! How large the sections of `sections.S` are.

/// Sections as they would be of so many functions.
#[derive(Clone, Copy, Debug)]
pub struct Many {
    pub name: &'static str,
    pub functions: usize,
    /// Of each function.
    pub counters: usize,
    /// Of each function, all for call targets.
    pub sites: usize,
}

/// 1 MB of counters.
pub const SMALL: Many = Many { name: "small", functions: 500, counters: 250, sites: 0 };
/// 20 MB of counters.
pub const BIG: Many = Many { name: "big", functions: 10_000, counters: 250, sites: 0 };
/// Room for a million values, 80 a function.
pub const VALUES: Many = Many { name: "values", functions: 12_500, counters: 1, sites: 5 };
/// A shared object.
pub const OBJECT: Many = Many { name: "object", functions: 100, counters: 300, sites: 0 };

impl Many {
    /// The definitions that `sections.S` wants.
    pub fn definitions(&self) -> [String; 3] {
        let Many { functions, counters, sites, .. } = self;
        [format!("-DFUNCTIONS={functions}"), format!("-DCOUNTERS={counters}"), format!("-DSITES={sites}")]
    }
}
