//! Parts of a function of which inputs have different sizes.

use std::collections::BTreeMap;

use crate::finding::InputId;
use crate::values::{KINDS, KindSites};

/// A part whose size inputs can disagree on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum SummedPart {
    Counters,
    Bitmap,
    /// Sites of a value kind.
    Sites(u8),
    /// Counters of which the first says only how hot the function is.
    Pseudo,
}

impl SummedPart {
    /// Returns a number that stands for the part in files.
    pub(crate) fn code(self) -> u8 {
        match self {
            SummedPart::Counters => 0,
            SummedPart::Bitmap => 1,
            SummedPart::Pseudo => 2,
            SummedPart::Sites(kind) => kind.saturating_add(3),
        }
    }

    /// Returns the part for which a number stands.
    pub(crate) fn from_code(code: u8) -> Option<SummedPart> {
        Some(match code {
            0 => SummedPart::Counters,
            1 => SummedPart::Bitmap,
            2 => SummedPart::Pseudo,
            code => SummedPart::Sites(code.checked_sub(3).filter(|kind| usize::from(*kind) < KINDS)?),
        })
    }
}

/// The sum of a part over the inputs in which its size differs from that of the record's own sum. The entry of size 0 only counts inputs
/// without the part.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alternate {
    /// Records that were added.
    pub(crate) contributions: u64,
    /// The first input that has this size. Of size 0: the first input that has the part in the size of the record's own sum.
    pub(crate) input: InputId,
    pub(crate) hot: bool,
    pub(crate) counters: Vec<u64>,
    pub(crate) uniformity: Vec<[u64; 2]>,
    pub(crate) bitmap: Vec<u8>,
    pub(crate) sites: KindSites,
}

/// All alternates of a function.
pub(crate) type Alternates = BTreeMap<(SummedPart, usize), Alternate>;

/// Where a part of an input goes.
pub(crate) enum Destination<'a> {
    /// To the sum of the record itself, which has its size.
    Own,
    /// It becomes the sum of the record itself, which had none.
    First,
    /// To an alternate.
    Other(&'a mut Alternate),
}

/// The record that is being added.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addition {
    /// Its input.
    pub(crate) input: InputId,
    /// How often its counts count.
    pub(crate) weight: u64,
    /// Records that are summed in it.
    pub(crate) contributions: u64,
    /// Contributions to the sum before it.
    pub(crate) before: u64,
}
