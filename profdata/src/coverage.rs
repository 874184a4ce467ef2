//! Coverage mappings: which lines and columns the counters of a profile belong to.
//!
//! Compilers store a mapping per function in sections of the object file that no program loads (`-fcoverage-mapping`,
//! `-Cinstrument-coverage`). [`Mapping::add`] takes executables, shared objects, relocatable objects and static archives (ELF, PE and
//! COFF, Mach-O and its universal files, wasm) and only indexes them: about 40 bytes a function, each distinct record once, whatever the number of files that have it. [`Mapping::decode`] reads the regions of
//! one function, and [`Counts`] finds its counters in a profile, by the hash of its name **and** its structural hash.
//!
//! ```no_run
//! use profdata::File;
//! use profdata::coverage::{Counts, Mapping, Rules};
//! use profdata::read::Lookup;
//!
//! let (program, profile) = (std::fs::read("program")?, std::fs::read("program.profdata")?);
//! let mut mapping = Mapping::new();
//! mapping.add(&program)?;
//! let file = File::parse(&profile)?;
//! let profile = file.to_profile()?;
//! let counts = Counts::of(&profile, file.format());
//! for function in mapping.functions() {
//!     let regions = mapping.decode(function)?;
//!     let Lookup::Found(record) = counts.find(function) else { continue };
//!     let values = regions.counts(record.counters, profile.flags(), Rules::Own)?;
//!     for (region, [count, _]) in regions.iter().zip(values) {
//!         println!("{}:{} {count}", mapping.path(regions.path(region.file)).escape_ascii(), region.start.line);
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Formats 4 to 7 are read (versions 3 to 6 of the field: LLVM 11 to 23), with each translation unit's own version.

#![forbid(unsafe_code)]

mod bodies;
mod counted;
mod counter;
mod counts;
mod decisions;
mod decode;
mod expansions;
mod file;
mod function;
mod images;
mod index;
mod layout;
mod lines;
mod listed;
mod lists;
mod mapping;
mod numbering;
mod paths;
mod region;
mod rules;
mod runs;
mod segments;
mod summary;
mod united;
mod units;
mod values;
mod vectors;

pub use counted::{DecisionCoverage, FunctionCoverage};
pub use counter::{Counter, Term};
pub use counts::Counts;
pub use decisions::Decision;
pub use expansions::{ExpandedBranch, Expansion};
pub use file::FileCoverage;
pub use function::Function;
pub use images::Images;
pub use lines::lines;
pub use mapping::{Added, Mapping, Sources};
pub use region::{Kind, Position, Range, Region, Regions};
pub use rules::Rules;
pub use runs::Lines;
pub use segments::Segment;
pub use summary::{Covered, Summary};
pub use united::{Place, United, UnitedFunction};
pub use vectors::Vectors;

use crate::error::{Error, ErrorKind};

/// Returns an error about a part that contradicts itself.
#[cold]
fn malformed(part: &'static str) -> Error {
    Error::new(ErrorKind::Malformed, part)
}
