//! From which count on functions are hot. Ordinary counts and context-sensitive ones come from different runs, and compilers have a limit for
//! each kind.

use profdata::Profile;
use profdata::read::Summary;
use profdata::sink::{Flags, RecordRef};
use profdata::summary::{CUTOFFS, SummaryPart};

/// How hot a function is, as compilers see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// A counter is among those that have 99 % of all counts.
    Hot,
    /// Neither.
    Warm,
    /// All counters are among those behind 99.9999 % of all counts.
    Cold,
    /// All counters are 0.
    NeverRan,
}

/// The summaries of both kinds of functions in a profile.
pub struct Kinds {
    has_contexts: bool,
    /// Functions that are not context-sensitive.
    pub ordinary: Summary,
    /// The others.
    pub context_sensitive: Summary,
}

impl Kinds {
    /// Adds up the counts of each kind.
    pub fn of(profile: &Profile) -> Kinds {
        // Bit 60 of a hash says that it is context-sensitive. Hashes of the front end use all bits.
        if !profile.flags().has(Flags::IR) {
            let records = profile.records().map(|record| RecordRef { hash: 0, ..record });
            let ordinary = Summary::of(records, SummaryPart::Plain, &CUTOFFS);
            return Kinds { has_contexts: false, ordinary, context_sensitive: Summary::default() };
        }
        let of = |part| Summary::of(profile.records(), part, &CUTOFFS);
        let (ordinary, context_sensitive) = (of(SummaryPart::Plain), of(SummaryPart::ContextSensitive));
        Kinds { has_contexts: context_sensitive.functions > 0, ordinary, context_sensitive }
    }

    /// Returns the summary of the ordinary functions; if there are only context-sensitive ones, theirs.
    pub fn main(&self) -> &Summary {
        if self.ordinary.functions == 0 { &self.context_sensitive } else { &self.ordinary }
    }

    /// Returns the summary of the context-sensitive functions; `None`: there are none.
    pub fn contexts(&self) -> Option<&Summary> {
        self.has_contexts.then_some(&self.context_sensitive)
    }

    /// Returns whether a function is context-sensitive.
    pub fn is_context_sensitive(&self, record: &RecordRef<'_>) -> bool {
        self.has_contexts && record.is_context_sensitive()
    }

    /// Returns the summary of the kind of a function.
    fn summary(&self, record: &RecordRef<'_>) -> &Summary {
        if self.is_context_sensitive(record) { &self.context_sensitive } else { &self.ordinary }
    }

    /// Returns how hot a function is, by its largest counter and the limits of its kind.
    pub fn class(&self, record: &RecordRef<'_>) -> Class {
        let largest = record.counters.iter().copied().max().unwrap_or(0);
        match largest {
            _ if self.is_hot(record) => Class::Hot,
            0 => Class::NeverRan,
            _ if record.is_pseudo() || largest > self.summary(record).cold_threshold() => Class::Warm,
            _ => Class::Cold,
        }
    }

    /// Returns whether a function is hot: a counter is among those that have 99 % of all counts of its kind, or all that is known of it is
    /// that it is hot.
    pub fn is_hot(&self, record: &RecordRef<'_>) -> bool {
        let from = self.summary(record).hot_threshold().max(1);
        match record.counters.first() {
            Some(first) if record.is_pseudo() => *first == RecordRef::PSEUDO_HOT,
            _ => record.counters.iter().any(|count| *count >= from),
        }
    }
}
