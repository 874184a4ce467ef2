//! Which inputs have the parts of a function first: findings name them.

use super::alternates::SummedPart;
use super::sums::RecordSum;
use crate::finding::InputId;
use crate::values::{KINDS, KindSites};

/// The parts that a record has a sum of its own for.
const PARTS: [SummedPart; 2 + KINDS] =
    [SummedPart::Counters, SummedPart::Bitmap, SummedPart::Sites(0), SummedPart::Sites(1), SummedPart::Sites(2)];

/// For each part the first input that has it in the size of the record's own sum; `None` without such a sum.
pub(crate) type Origins = [Option<InputId>; PARTS.len()];

impl RecordSum {
    /// Returns the size of the record's own sum of a part.
    fn own_size(&self, part: SummedPart) -> usize {
        let sites = |kind: u8| self.extra.as_ref()?.values.kinds.get(usize::from(kind)).map(KindSites::len);
        match part {
            SummedPart::Counters => self.counters.len,
            SummedPart::Bitmap => self.bitmap.len,
            SummedPart::Sites(kind) => sites(kind).unwrap_or(0),
            SummedPart::Pseudo => 0,
        }
    }

    /// Returns the first input that has a part in the size of the record's own sum.
    pub(crate) fn own_input(&self, part: SummedPart) -> InputId {
        let none = self.extra.as_ref().and_then(|extra| extra.alternates.get(&(part, 0)));
        none.map_or(self.input, |none| none.input)
    }

    /// Returns the first input that has a part in this size.
    pub(crate) fn input_of(&self, part: SummedPart, size: usize) -> Option<InputId> {
        if self.own_size(part) == size {
            return Some(self.own_input(part));
        }
        self.extra.as_ref()?.alternates.get(&(part, size)).map(|alternate| alternate.input)
    }

    /// Returns where the record's own sums come from.
    pub(crate) fn origins(&self) -> Origins {
        PARTS.map(|part| (self.own_size(part) > 0).then(|| self.own_input(part)))
    }

    /// Notes that a record of one input was added, whose parts have these sizes.
    pub(crate) fn settle_sizes(&mut self, before: Origins, input: InputId, sizes: [usize; PARTS.len()]) {
        let has = |part, size| PARTS.into_iter().zip(sizes).any(|own| own == (part, size));
        self.settle(before, input, |part, size| has(part, size).then_some(input));
    }

    /// Notes that another record was added, whose first input is `input`. `before` are the origins before that, and `theirs` returns the first
    /// input that has a part of the other record in a size.
    pub(crate) fn settle(
        &mut self,
        before: Origins,
        input: InputId,
        theirs: impl Fn(SummedPart, usize) -> Option<InputId>,
    ) {
        let first = self.input.min(input);
        // Without it all parts of all inputs have one size, and the first input has each.
        if self.extra.is_some() {
            for (part, before) in PARTS.into_iter().zip(before) {
                let size = self.own_size(part);
                let origin = if size == 0 { None } else { before.into_iter().chain(theirs(part, size)).min() };
                let (Some(origin), Some(extra)) = (origin, &mut self.extra) else { continue };
                match extra.alternates.get_mut(&(part, 0)) {
                    Some(none) => none.input = origin,
                    None if origin != first => extra.alternates.entry((part, 0)).or_default().input = origin,
                    None => {}
                }
            }
        }
        self.input = first;
    }
}
