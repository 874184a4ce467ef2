//! Findings: what a reader or a merge could not keep, or kept in another way than its input had it.

mod text;

use derive_more::{Display, TryFrom};

use crate::values::KINDS;
use text::{are, emitters, many};

/// The numbers that stand for an input in findings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct InputId {
    /// Its place in the list of inputs, from 0.
    pub number: u32,
    /// Of a partial result, which stands for many inputs: the place of the input in it.
    pub part: u32,
}

impl InputId {
    /// Stands for the merge, in findings about all inputs together.
    pub const MERGE: InputId = InputId { number: u32::MAX, part: u32::MAX };

    /// Returns the numbers of an input that is no partial result.
    pub const fn of(number: u32) -> InputId {
        InputId { number, part: 0 }
    }
}

/// Something that a reader or a merge lost or changed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Finding {
    /// The input; of several, the first that has the part of the function concerned, in the size concerned. Readers set 0; the merge fills in
    /// the number.
    pub input: InputId,
    /// Hash of the function's name, and of the function; `None` when it is about the whole input.
    pub function: Option<(u64, u64)>,
    /// What.
    pub kind: FindingKind,
}

impl Finding {
    /// Returns a finding about a whole input.
    pub fn of_input(kind: FindingKind) -> Finding {
        Finding { input: InputId::of(0), function: None, kind }
    }

    /// Returns a finding about a function: the hash of its name, and its own.
    pub fn of_function(name: u64, hash: u64, kind: FindingKind) -> Finding {
        Finding { input: InputId::of(0), function: Some((name, hash)), kind }
    }
}

/// The kind of a [`Finding`], with its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Display)]
#[non_exhaustive]
pub enum FindingKind {
    // Of a reader that salvages.
    /// The input ends too early: so many bytes are missing.
    #[display("the input ends {} too early", many(*missing, "byte"))]
    Truncated {
        /// Bytes that the header promises and the input lacks.
        missing: u64,
    },
    /// Bytes after the last complete profile, some of them not zero.
    #[display("{} after the last profile", many(*bytes, "byte"))]
    TrailingBytes {
        /// How many.
        bytes: u64,
    },
    /// Bytes of a raw profile whose program was killed while it appended it. Readers skip them.
    #[display("{} of a profile whose program was killed while it wrote", many(*bytes, "byte"))]
    Unfinished {
        /// How many.
        bytes: u64,
    },
    /// The function's counters are not in the input, or not where its record says.
    #[display("its counters are not in the input")]
    CountersLost,
    /// The function's bitmap is not in the input.
    #[display("its bitmap is not in the input")]
    BitmapLost,
    /// The function's values are not in the input.
    #[display("its values are not in the input")]
    ValuesLost,
    /// A counter of the function is above 2^56; the function is left out.
    #[display("left out: counter {counter} is {value}, above 2^56")]
    CounterTooLarge {
        /// Number of the counter.
        counter: u64,
        /// What it has.
        value: u64,
    },
    /// Names are not in the input, or cannot be read.
    #[display("names are not in the input, or cannot be read")]
    NamesLost,
    /// No input names the function.
    #[display("left out: no input has its name")]
    NoName,
    /// Records look like those of another raw version: the runtime that was linked is another compiler's.
    #[display("its records look like those of {}: link the runtime of the compiler that made the objects", emitters(*version))]
    OtherRecords {
        /// The raw version.
        version: u64,
    },
    /// A record contradicts itself and is left out.
    #[display("left out: its record is damaged")]
    RecordDamaged,
    /// The last line of a text has no end: if the text was cut, its last number is too small.
    #[display("the last line of the text has no end: if the text was cut, its last number is too small")]
    LastLineUnended,
    /// A section that cannot be read is left out.
    #[display("left out: a section that cannot be read")]
    SectionLost,
    /// Names of the function table whose records are lost.
    #[display("the records of {} are lost", many(*names, "name"))]
    RecordsLost {
        /// How many, those of damaged records without a function too.
        names: u64,
    },

    // Of a merge.
    /// Inputs have different numbers of counters for the function.
    #[display("inputs with {left_out} counters are left out, those with {kept} are kept")]
    CounterMismatch {
        /// The number that was kept.
        kept: u64,
        /// The number that was left out.
        left_out: u64,
    },
    /// Inputs have bitmaps of different sizes for the function.
    #[display("inputs with {left_out} bitmap bytes are left out, those with {kept} are kept")]
    BitmapMismatch {
        /// The number of bytes that was kept.
        kept: u64,
        /// The number of bytes that was left out.
        left_out: u64,
    },
    /// Inputs have different numbers of value sites of a kind for the function.
    #[display("inputs with {left_out} value sites of kind {kind} are left out, those with {kept} are kept")]
    ValueSiteMismatch {
        /// Value kind.
        kind: u8,
        /// The number that was kept.
        kept: u64,
        /// The number that was left out.
        left_out: u64,
    },
    /// One input says only how hot the function is (a pseudo count), another has counts.
    #[display("left out: an input that has no counts, only whether it is hot")]
    PseudoMismatch,
    /// A counter has reached the largest count.
    #[display("counter {counter} stops at the largest count")]
    CounterOverflow {
        /// Number of the counter.
        counter: u64,
    },
    /// The count of a value has reached the largest count.
    #[display("a value of site {site} of kind {kind} stops at the largest count")]
    ValueOverflow {
        /// Value kind.
        kind: u8,
        /// Number of the site.
        site: u64,
    },
    /// A site has one value twice.
    #[display("site {site} of kind {kind} has the value {value} twice; both are added")]
    DuplicateValue {
        /// Value kind.
        kind: u8,
        /// Number of the site.
        site: u64,
        /// The value.
        value: u64,
    },
    /// A site has more than 255 values; the least frequent are left out.
    #[display("site {site} of kind {kind}: the {left_out} least frequent values are left out")]
    ValuesCut {
        /// Value kind.
        kind: u8,
        /// Number of the site.
        site: u64,
        /// How many were left out.
        left_out: u64,
    },
    /// A text that does not say its instrumentation was merged with IR profiles. LLVM's tools write front-end profiles so.
    #[display("text that does not say its instrumentation was merged with IR profiles")]
    KindAssumed,
    /// More temporal traces than the limit; so many are left out.
    #[display("{} left out", are(*traces, "temporal trace"))]
    TracesLeftOut {
        /// How many.
        traces: u64,
    },
    /// Temporal traces of the input have more functions than the limit; the last ones are left out.
    #[display("the last {functions} functions of temporal traces that are too long are left out")]
    TraceFunctionsLeftOut {
        /// How many, those of all its traces.
        functions: u64,
    },
    /// The MemProf section is left out.
    #[display("the MemProf section is left out: {why}")]
    MemProfLeftOut {
        /// Why.
        why: MemProfLoss,
    },

    // Of a writer: what the format to be written has no place for.
    /// MC/DC bitmaps are left out.
    #[display("the bitmaps of {} are left out", many(*records, "record"))]
    BitmapsLeftOut {
        /// Of how many records.
        records: u64,
    },
    /// Uniformity bits are left out.
    #[display("the uniformity bits of {} are left out", many(*records, "record"))]
    UniformityLeftOut {
        /// Of how many records.
        records: u64,
    },
    /// Values of a kind are left out.
    #[display("the values of kind {kind} of {} are left out", many(*records, "record"))]
    ValueKindLeftOut {
        /// Value kind.
        kind: u8,
        /// Of how many records.
        records: u64,
    },
    /// Names of vtables are left out.
    #[display("{} left out", are(*names, "vtable name"))]
    VtableNamesLeftOut {
        /// How many.
        names: u64,
    },
    /// Variant flags are left out.
    #[display("the variant flags {flags:#x} are left out")]
    FlagsLeftOut {
        /// Their bits.
        flags: u64,
    },
    /// Values, and functions of temporal traces, are left out: only the hash of the name is known, or the form has no place for the name.
    #[display("{targets} values and functions of traces are left out: their names are not known, or do not fit")]
    TargetsLeftOut {
        /// How many.
        targets: u64,
    },
    /// Records say only how hot the function is (a pseudo count), which the release to be written for takes for a count.
    #[display("{records} records say only how hot they are; the release takes that for counts near 2^64")]
    PseudoAsCounts {
        /// How many.
        records: u64,
    },
    /// The record is left out: its name would read back from the form as something else.
    #[display("it is left out: the text form has no place for its name")]
    NameNotInForm,
    /// The record is left out: it has no counters, and no compiler makes such a function.
    #[display("left out: it has no counters")]
    NoCounters,
    /// Binary ids are left out.
    #[display("{} left out", are(*ids, "binary id"))]
    BinaryIdsLeftOut {
        /// How many.
        ids: u64,
    },
}

const _: () = assert!(KINDS < 256);

/// Why a MemProf section is left out. Partial results have the numbers, which stay.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Display, TryFrom)]
#[try_from(repr)]
#[repr(u64)]
#[non_exhaustive]
pub enum MemProfLoss {
    /// It is cut, or contradicts itself.
    #[display("it is damaged")]
    Damaged,
    /// Its version, or a field of its allocations, is unknown.
    #[display("its version or a field of its allocations is unknown")]
    UnknownVersion,
    /// The sections of the inputs cannot be added: their versions or the fields of their allocations differ, or the sum is too large.
    #[display("the sections of the inputs differ in version or in fields of allocations, or are too large")]
    NoSum,
    /// The profile to be written has several, which no merge has added.
    #[display("the profile has several of them")]
    Several,
    /// The release to be written for does not read it.
    #[display("the release to be written for does not read it")]
    NotInFormat,
    /// LLVM's tool leaves out the sections of indexed inputs.
    #[display("LLVM's tool does not merge it")]
    AsLlvm,
}

impl From<MemProfLoss> for FindingKind {
    fn from(why: MemProfLoss) -> FindingKind {
        FindingKind::MemProfLeftOut { why }
    }
}

impl From<MemProfLoss> for u64 {
    fn from(why: MemProfLoss) -> u64 {
        why as u64
    }
}

/// What became of an input. Partial results have the numbers, which stay.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, TryFrom)]
#[try_from(repr)]
#[repr(u8)]
pub enum Outcome {
    /// All of it was read.
    Whole,
    /// Something was lost.
    Salvaged,
    /// It has no bytes.
    Empty,
    /// Nothing of it was taken, or nothing of any input is in the result: no input names their functions.
    Refused,
}

/// The loss account of one input, or of all inputs of a merge: how much came in, and how much could not be kept. Numbers stop at
/// the largest that their types hold, which sums of counts do not reach in practice.
///
/// - Of an input, `functions + functions_lost` are its records, as far as it tells how many it has.
/// - Of a merge, `counts - counts_lost` is the sum of all counters of the result ([`Profile::counts`](crate::Profile::counts)): what counters
///   lack that have stopped at the largest count is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[non_exhaustive]
pub struct LossAccount {
    /// Inputs that were read whole.
    pub whole: u64,
    /// Inputs of which something was lost.
    pub salvaged: u64,
    /// Inputs without bytes.
    pub empty: u64,
    /// Inputs of which nothing was taken.
    pub refused: u64,
    /// Bytes of all inputs.
    pub bytes: u64,
    /// Bytes that headers promise and inputs lack.
    pub bytes_missing: u64,
    /// Records that were read, those of each input by themselves.
    pub functions: u64,
    /// Records that could not be read. In the total of a merge also the functions that it has left out, because no input has their names:
    /// each once, while `functions` has each of their records.
    pub functions_lost: u64,
    /// Sum of all counters that were read, multiplied by the weights of their inputs. Records that say only how hot a function is have no
    /// counts.
    pub counts: u128,
    /// The part of `counts` that is not in the result. Counts that could not be read are in neither number: nobody knows them.
    pub counts_lost: u128,
}

impl LossAccount {
    /// Adds an account.
    pub fn add(&mut self, other: &LossAccount) {
        let sums = [
            (&mut self.whole, other.whole),
            (&mut self.salvaged, other.salvaged),
            (&mut self.empty, other.empty),
            (&mut self.refused, other.refused),
            (&mut self.bytes, other.bytes),
            (&mut self.bytes_missing, other.bytes_missing),
            (&mut self.functions, other.functions),
            (&mut self.functions_lost, other.functions_lost),
        ];
        for (sum, number) in sums {
            *sum = sum.saturating_add(number);
        }
        self.counts = self.counts.saturating_add(other.counts);
        self.counts_lost = self.counts_lost.saturating_add(other.counts_lost);
    }

    /// Returns the number of inputs of which this became, to change it.
    pub fn inputs_mut(&mut self, outcome: Outcome) -> &mut u64 {
        match outcome {
            Outcome::Whole => &mut self.whole,
            Outcome::Salvaged => &mut self.salvaged,
            Outcome::Empty => &mut self.empty,
            Outcome::Refused => &mut self.refused,
        }
    }

    /// Returns the number of inputs.
    pub fn inputs(&self) -> u64 {
        [self.salvaged, self.empty, self.refused].iter().fold(self.whole, |sum, number| sum.saturating_add(*number))
    }
}
