//! What became of one input, in any format: a line or a few for people, an object for machines.

use std::fmt;

use profdata::Error;
use serde::Serialize;

use crate::report::Fault;
use crate::report::style::{BAD, GOOD, Styled};

/// Whether an input is whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// All of it is.
    #[default]
    Ok,
    /// Something is wrong, or it is no profile.
    Damaged,
    /// The system does not let it be read.
    Unreadable,
}

/// What an input has.
#[derive(Debug, Default, Serialize)]
pub struct Numbers {
    /// Profiles: a raw file can have several.
    pub profiles: u64,
    /// Records.
    pub functions: u64,
    /// Counters of all of them.
    pub counters: u64,
    /// Those that counted.
    pub counters_not_0: u64,
    /// Bytes of MC/DC bitmaps.
    pub bitmap_bytes: u64,
    /// Values of value sites.
    pub values: u64,
    /// Names of vtables.
    pub vtables: u64,
    /// Temporal traces.
    pub temporal_traces: u64,
}

/// What became of one input.
#[derive(Debug, Default, Serialize)]
pub struct Verdict {
    /// Name of the input.
    pub name: String,
    /// Whether it is whole.
    pub state: State,
    /// What it is: versions, machine, kind of instrumentation.
    pub format: String,
    /// What it has.
    #[serde(flatten)]
    pub numbers: Numbers,
    /// What is wrong.
    pub damage: Vec<Fault>,
    /// What of it cannot be read.
    pub lost: Vec<String>,
    /// What can be kept.
    pub salvage: Vec<String>,
    /// What is odd, and no damage.
    pub notes: Vec<String>,
    /// The numbers as a line.
    #[serde(skip)]
    pub summary: String,
}

impl Verdict {
    /// Returns the verdict on an input of which there is nothing but an error.
    pub fn of_error(name: String, state: State, error: &Error) -> Verdict {
        Verdict { name, state, damage: vec![Fault::of(error)], ..Verdict::default() }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        let notes =
            |f: &mut fmt::Formatter<'_>| self.notes.iter().try_for_each(|note| writeln!(f, "  note:     {note}"));
        if self.state == State::Ok {
            writeln!(f, "{name}: {}: {}", Styled(GOOD, "ok"), self.summary)?;
            return notes(f);
        }
        writeln!(f, "{name}: {}", Styled(BAD, "damaged"))?;
        for fault in &self.damage {
            write!(f, "{fault}")?;
        }
        for lost in &self.lost {
            writeln!(f, "  lost:     {lost}")?;
        }
        notes(f)?;
        match self.salvage.is_empty() {
            true => writeln!(f, "  salvage:  nothing"),
            false => {
                writeln!(f, "  salvage:  {}; `profrt merge {name} -o OUT` writes that", self.salvage.join(", and "))
            }
        }
    }
}
