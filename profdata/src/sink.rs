//! The [`Sink`] trait, which receives the parts of a profile from a reader, and the types of these parts.

use profrt_format::{Encoding, RawVersion};

use crate::error::Error;
use crate::finding::Finding;
pub use crate::flags::Flags;
pub use crate::name::Name;
pub use crate::values::{KindSites, Value, ValueSites};

/// The format of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Format {
    /// A raw profile of LLVM 13, version 7, which [`RawVersion`] does not have.
    Raw7(Encoding),
    /// A raw profile.
    Raw(RawVersion, Encoding),
    /// An indexed profile with this version number.
    Indexed(u32),
    /// The text form.
    Text,
    /// A partial result of this crate.
    Partial,
}

/// The last indexed version whose writers (LLVM 13 to 15) know no pseudo counts: their counts stop at 2^64 - 1.
pub(crate) const LAST_WITHOUT_PSEUDO: u32 = 8;

impl Format {
    /// Returns whether the numbers above the largest count say how hot a function is.
    pub(crate) fn has_pseudo_counts(self) -> bool {
        !matches!(self, Format::Indexed(..=LAST_WITHOUT_PSEUDO))
    }

    /// Returns whether a bit of an MC/DC bitmap stands for a path through the conditions: since LLVM 19, raw version 10 and indexed version 12.
    /// In LLVM 18 it stands for their values. `None`: profiles of this format have no bitmaps.
    #[cfg(feature = "coverage")]
    pub fn has_path_bits(self) -> Option<bool> {
        match self {
            Format::Raw7(_) | Format::Indexed(..=10) => None,
            Format::Raw(version, _) => {
                profrt_format::layout::Part::Bitmap.is_in(version).then(|| version.number() >= 10)
            }
            Format::Indexed(version) => Some(version >= 12),
            Format::Text | Format::Partial => Some(true),
        }
    }
}

/// What a reader knows before the first record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Heading {
    /// Format.
    pub format: Format,
    /// Variant flags.
    pub flags: Flags,
    /// The input declares front-end instrumentation. Only text can; raw and indexed front-end profiles have no flag.
    pub says_front_end: bool,
    /// The profile says nothing of its kind: text without a kind, which merges with anything.
    pub kind_unknown: bool,
}

/// The counts of one function, borrowed from a reader or a profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordRef<'a> {
    /// PGO name.
    pub name: Name<'a>,
    /// Structural hash of the function.
    pub hash: u64,
    /// Counters; in byte coverage 1 for code that ran, and 0.
    pub counters: &'a [u64],
    /// MC/DC bitmap.
    pub bitmap: &'a [u8],
    /// Uniformity bits of blocks (offload devices): bit `i` says that block `i` is uniform. Empty where nothing is known.
    pub uniformity: &'a [u8],
    /// Value sites; `None` when the function has none.
    pub values: Option<&'a ValueSites>,
}

impl RecordRef<'_> {
    /// A record without anything.
    pub(crate) const EMPTY: RecordRef<'static> =
        RecordRef { name: Name::of_hash(0), hash: 0, counters: &[], bitmap: &[], uniformity: &[], values: None };
    /// The counter 0 of a function that is known only to be hot.
    pub const PSEUDO_HOT: u64 = u64::MAX;
    /// The counter 0 of a function that is known only to be warm.
    pub const PSEUDO_WARM: u64 = u64::MAX - 1;
    /// The largest count.
    pub const MAX_COUNT: u64 = u64::MAX - 2;

    /// Returns whether the function has run.
    pub(crate) fn is_live(&self) -> bool {
        self.counters.iter().any(|counter| *counter != 0) || self.bitmap.iter().any(|byte| *byte != 0)
    }

    /// Returns whether the record says only how hot the function is. In indexed profiles of version 8 and earlier none does: there these
    /// numbers are counts.
    pub fn is_pseudo(&self) -> bool {
        self.counters.first().is_some_and(|first| *first > Self::MAX_COUNT)
    }

    /// Returns whether the record is a context-sensitive one.
    pub const fn is_context_sensitive(&self) -> bool {
        self.hash >> 60 & 1 == 1
    }
}

/// Returns the sum of counters.
pub(crate) fn sum_of(counters: &[u64]) -> u128 {
    let largest = counters.iter().fold(0, |all, count| all | count);
    // In 64 bits where the sum must be small enough.
    if largest.leading_zeros() > counters.len().checked_ilog2().unwrap_or(0) {
        return counters.iter().fold(0, |sum: u64, count| sum.wrapping_add(*count)).into();
    }
    counters.iter().map(|count| u128::from(*count)).sum()
}

/// A temporal trace: in what order functions were first called.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Trace {
    /// How much the trace counts.
    pub weight: u64,
    /// Hashes of the functions' names, in order.
    pub functions: Vec<u64>,
}

/// Takes what a reader hands over.
///
/// An input may have several headings (a raw file with the profiles of several images). Records that were handed over before a reader
/// failed are whole.
pub trait Sink {
    /// Begins a profile. Errors: the profile cannot be taken; the reader stops and returns it.
    fn heading(&mut self, heading: &Heading) -> Result<(), Error>;

    /// Takes a record. Errors: the reader stops and returns it.
    fn record(&mut self, record: RecordRef<'_>) -> Result<(), Error>;

    /// Returns the sink that takes everything else, unless a method here says otherwise; nobody does by default.
    fn next(&mut self) -> Option<&mut dyn Sink> {
        None
    }

    /// Returns whether the sink expects a record of this name next, and knows that its hash is right: a reader that checks hashes need not
    /// compute it.
    fn expects(&mut self, name: Name<'_>) -> bool {
        self.next().is_some_and(|next| next.expects(name))
    }

    /// Takes a binary id.
    fn binary_id(&mut self, id: &[u8]) {
        _ = self.next().map(|next| next.binary_id(id));
    }

    /// Takes the name of a vtable.
    fn vtable_name(&mut self, name: &[u8]) {
        _ = self.next().map(|next| next.vtable_name(name));
    }

    /// Takes temporal traces, and the number of traces that were ever seen.
    fn traces(&mut self, traces: &[Trace], stream_size: u64) {
        _ = self.next().map(|next| next.traces(traces, stream_size));
    }

    /// Takes the MemProf section of an indexed profile, and where it began in its file.
    fn memprof(&mut self, section: &[u8], start: u64) {
        _ = self.next().map(|next| next.memprof(section, start));
    }

    /// Takes a finding.
    fn finding(&mut self, finding: Finding) {
        _ = self.next().map(|next| next.finding(finding));
    }
}

#[cfg(test)]
mod tests {
    use super::sum_of;

    #[test]
    fn sums_do_not_stop_at_64_bits() {
        for (counters, sum) in [
            (&[][..], 0),
            (&[7], 7),
            (&[u64::MAX], u64::MAX.into()),
            (&[u64::MAX, 1], 1 << 64),
            (&[1 << 62; 3], 3 << 62),
            (&[1 << 62; 4], 1 << 64),
            (&[u64::MAX / 2; 2], u128::from(u64::MAX) - 1),
        ] {
            assert_eq!(sum_of(counters), sum, "{counters:?}");
        }
    }
}
