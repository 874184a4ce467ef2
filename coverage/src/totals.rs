//! How much there is, and how much of it ran.

use derive_more::AddAssign;
use serde::Serialize;

/// A number of things, and of those that ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, AddAssign)]
pub struct Part {
    /// How many there are.
    pub count: u64,
    /// How many of them ran.
    pub covered: u64,
}

impl Part {
    /// Counts one more.
    pub fn add(&mut self, is_covered: bool) {
        self.count += 1;
        self.covered += u64::from(is_covered);
    }
}

/// What is counted of a file, or of all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, AddAssign)]
pub struct Totals {
    /// Functions, of which instantiations are one.
    pub functions: Part,
    /// Lines with code.
    pub lines: Part,
    /// Regions of code.
    pub regions: Part,
    /// Sides of branches.
    pub branches: Part,
    /// Conditions of decisions.
    pub mcdc: Part,
}

/// A column of tables, and what `--fail-under` names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// [`Totals::functions`]
    Functions,
    /// [`Totals::lines`]
    Lines,
    /// [`Totals::regions`]
    Regions,
    /// [`Totals::branches`]
    Branches,
    /// [`Totals::mcdc`]
    Mcdc,
}

/// All columns, in the order of tables.
pub const ALL: [What; 5] = [What::Functions, What::Lines, What::Regions, What::Branches, What::Mcdc];

impl What {
    /// Returns the heading of the column.
    pub fn name(self) -> &'static str {
        match self {
            What::Functions => "functions",
            What::Lines => "lines",
            What::Regions => "regions",
            What::Branches => "branches",
            What::Mcdc => "mcdc",
        }
    }
}

impl Totals {
    /// Returns one number.
    pub fn part(&self, what: What) -> Part {
        match what {
            What::Functions => self.functions,
            What::Lines => self.lines,
            What::Regions => self.regions,
            What::Branches => self.branches,
            What::Mcdc => self.mcdc,
        }
    }

    /// Returns whether anything ran.
    pub fn has_run(&self) -> bool {
        ALL.iter().any(|what| self.part(*what).covered > 0)
    }
}
