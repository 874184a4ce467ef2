//! Sums of records.

use super::alternates::{Addition, Alternate, Alternates, Destination, SummedPart};
use super::sites::{SiteScratch, add_sites};
use crate::finding::InputId;
use crate::name::NameId;
use crate::profile::Span;
use crate::sink::RecordRef;
use crate::values::{KindSites, ValueSites};

/// The sum of one function's records.
#[derive(Debug, Default)]
pub(crate) struct RecordSum {
    pub(crate) name: NameId,
    pub(crate) hash: u64,
    /// Records that were added.
    pub(crate) contributions: u64,
    /// The first input that has the function.
    pub(crate) input: InputId,
    /// In [`Sums`].
    pub(crate) counters: Span,
    /// In [`Sums`].
    pub(crate) bitmap: Span,
    pub(crate) extra: Option<Box<Extra>>,
}

/// What few functions have.
#[derive(Debug, Default)]
pub(crate) struct Extra {
    /// Sites with their values sorted by value, none twice.
    pub(crate) values: ValueSites,
    /// For each block how often it ran, and how often it ran uniformly, in the inputs that tell.
    pub(crate) uniformity: Vec<[u64; 2]>,
    /// Parts of another size than the first input had.
    pub(crate) alternates: Alternates,
}

/// Counters and bitmaps of all records.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    pub(crate) counters: Vec<u64>,
    pub(crate) bitmaps: Vec<u8>,
}

impl RecordSum {
    /// Adds counters of which the first says only how hot the function is. In the sum it is 0.
    pub(crate) fn add_pseudo(&mut self, hot: bool, counters: &[u64], uniformity: &[[u64; 2]], addition: Addition) {
        let alternates = &mut self.extra.get_or_insert_default().alternates;
        let alternate = alternates.entry((SummedPart::Pseudo, counters.len())).or_default();
        alternate.counters.resize(counters.len(), 0);
        if let ([_, sums @ ..], [_, others @ ..]) = (&mut alternate.counters[..], counters) {
            add_counts(sums, others, addition.weight);
        }
        add_uniformity(&mut alternate.uniformity, uniformity, addition.weight);
        let is_first = alternate.contributions == 0;
        alternate.contributions = alternate.contributions.saturating_add(addition.contributions);
        alternate.input = if is_first { addition.input } else { alternate.input.min(addition.input) };
        alternate.hot |= hot;
    }

    /// Adds value sites.
    pub(crate) fn add_values(&mut self, values: &ValueSites, addition: Addition, scratch: &mut SiteScratch) {
        for (number, kind) in (0..).zip(&values.kinds) {
            self.add_kind(number, kind, addition, scratch);
        }
    }

    /// Adds the sites of a value kind.
    fn add_kind(&mut self, number: u8, kind: &KindSites, addition: Addition, scratch: &mut SiteScratch) {
        let own =
            self.extra.as_ref().and_then(|extra| extra.values.kinds.get(usize::from(number))).map_or(0, KindSites::len);
        match self.destination(SummedPart::Sites(number), own, kind.len(), addition) {
            Destination::Other(alternate) => add_sites(number, &mut alternate.sites, kind, addition.weight, scratch),
            Destination::Own | Destination::First => {
                let extra = self.extra.get_or_insert_default();
                if let Some(sum) = extra.values.kinds.get_mut(usize::from(number)).filter(|_| !kind.is_empty()) {
                    add_sites(number, sum, kind, addition.weight, scratch);
                }
            }
        }
    }

    /// Returns where a part of `size` goes, of an input with so many `contributions`. `own` is the size of the record's own sum, and `before`
    /// the number of contributions to the record before this one.
    pub(crate) fn destination(
        &mut self,
        part: SummedPart,
        own: usize,
        size: usize,
        addition: Addition,
    ) -> Destination<'_> {
        if own == size {
            if let Some(none) = self.extra.as_mut().and_then(|extra| extra.alternates.get_mut(&(part, 0))) {
                none.input = none.input.min(addition.input);
            }
            return Destination::Own;
        }
        if own == 0 && addition.before == 0 {
            return Destination::First;
        }
        let alternates = &mut self.extra.get_or_insert_default().alternates;
        if own == 0 {
            let none = alternates.entry((part, 0)).or_default();
            none.contributions = none.contributions.saturating_add(addition.before);
            none.input = addition.input;
            return Destination::First;
        }
        let input = if size == 0 { self.input } else { addition.input };
        let alternate = alternates.entry((part, size)).or_insert_with(|| Alternate { input, ..Alternate::default() });
        alternate.contributions = alternate.contributions.saturating_add(addition.contributions);
        if size > 0 {
            alternate.input = alternate.input.min(input);
        }
        Destination::Other(alternate)
    }

    /// Returns the size that most inputs have, and whether it is that of the record's own sum.
    pub(crate) fn chosen_size(&self, part: SummedPart, own: usize) -> (usize, bool) {
        let Some(extra) = &self.extra else { return (own, true) };
        let others = || {
            extra
                .alternates
                .range((part, 0)..=(part, usize::MAX))
                .map(|((_, size), alternate)| (*size, alternate.contributions))
        };
        let rest = others().fold(self.contributions, |rest, (_, contributions)| rest.saturating_sub(contributions));
        let rank = |size: usize, contributions: u64| (size > 0, contributions, size);
        let best = others().max_by_key(|(size, contributions)| rank(*size, *contributions));
        match best {
            Some((size, contributions)) if rank(size, contributions) > rank(own, rest) => (size, false),
            _ => (own, true),
        }
    }
}

impl Sums {
    /// Adds counters, each with its uniform runs in `uniformity` where the input tells.
    pub(crate) fn add_counters(
        &mut self,
        sum: &mut RecordSum,
        counters: &[u64],
        uniformity: &[[u64; 2]],
        addition: Addition,
    ) {
        match sum.destination(SummedPart::Counters, sum.counters.len, counters.len(), addition) {
            Destination::Own => add_counts(sum.counters.of_mut(&mut self.counters), counters, addition.weight),
            Destination::First => {
                let start = self.counters.len();
                self.counters.extend(counters.iter().map(|count| weighted(*count, addition.weight)));
                sum.counters = Span { start, len: counters.len() };
            }
            Destination::Other(alternate) => {
                alternate.counters.resize(counters.len(), 0);
                add_counts(&mut alternate.counters, counters, addition.weight);
                add_uniformity(&mut alternate.uniformity, uniformity, addition.weight);
                return;
            }
        }
        if !uniformity.is_empty() {
            add_uniformity(&mut sum.extra.get_or_insert_default().uniformity, uniformity, addition.weight);
        }
    }

    /// Adds a bitmap.
    pub(crate) fn add_bitmap(&mut self, sum: &mut RecordSum, bitmap: &[u8], addition: Addition) {
        match sum.destination(SummedPart::Bitmap, sum.bitmap.len, bitmap.len(), addition) {
            Destination::Own => or_bytes(sum.bitmap.of_mut(&mut self.bitmaps), bitmap),
            Destination::First => sum.bitmap = Span::append(&mut self.bitmaps, bitmap),
            Destination::Other(alternate) => {
                alternate.bitmap.resize(bitmap.len(), 0);
                or_bytes(&mut alternate.bitmap, bitmap);
            }
        }
    }

    /// Adds the sum of another merger, whose counters and bitmaps are in `other`, with all counts multiplied.
    pub(crate) fn absorb(
        &mut self,
        ours: &mut RecordSum,
        theirs: &RecordSum,
        other: &Sums,
        weight: u64,
        moved: impl Fn(InputId) -> InputId,
        scratch: &mut SiteScratch,
    ) {
        let (before, origins) = (ours.contributions, ours.origins());
        ours.contributions = before.saturating_add(theirs.contributions);
        let none = Extra::default();
        let extra = theirs.extra.as_deref().unwrap_or(&none);
        let first = |input| Addition { input: moved(input), weight, contributions: 0, before };
        let own = |part: SummedPart, size: usize| {
            let others = extra.alternates.range((part, 0)..=(part, usize::MAX));
            let others = others.filter(|((_, other), _)| *other != size);
            let rest =
                others.fold(theirs.contributions, |rest, (_, alternate)| rest.saturating_sub(alternate.contributions));
            Addition { contributions: rest, ..first(theirs.own_input(part)) }
        };
        self.add_counters(
            ours,
            theirs.counters.of(&other.counters),
            &extra.uniformity,
            own(SummedPart::Counters, theirs.counters.len),
        );
        self.add_bitmap(ours, theirs.bitmap.of(&other.bitmaps), own(SummedPart::Bitmap, theirs.bitmap.len));
        for (number, kind) in (0..).zip(&extra.values.kinds) {
            ours.add_kind(number, kind, own(SummedPart::Sites(number), kind.len()), scratch);
        }
        for ((part, _), alternate) in &extra.alternates {
            // What came before is in the sum by now: it has counted all its contributions.
            let addition = Addition { contributions: alternate.contributions, ..first(alternate.input) };
            match part {
                SummedPart::Counters => self.add_counters(ours, &alternate.counters, &alternate.uniformity, addition),
                SummedPart::Bitmap => self.add_bitmap(ours, &alternate.bitmap, addition),
                SummedPart::Sites(number) => ours.add_kind(*number, &alternate.sites, addition, scratch),
                SummedPart::Pseudo => {
                    ours.add_pseudo(alternate.hot, &alternate.counters, &alternate.uniformity, addition)
                }
            }
        }
        ours.settle(origins, moved(theirs.input), |part, size| theirs.input_of(part, size).map(&moved));
    }
}

/// Returns how often each block of a record ran, and how often it ran uniformly; nothing when the record does not tell.
pub(crate) fn uniform_counts(record: &RecordRef<'_>) -> Vec<[u64; 2]> {
    if record.uniformity.is_empty() {
        return Vec::new();
    }
    let is_uniform = |block: usize| record.uniformity.get(block / 8).is_none_or(|bits| bits >> (block % 8) & 1 == 1);
    let counts = record.counters.iter().enumerate();
    counts.map(|(block, count)| [*count, if is_uniform(block) { *count } else { 0 }]).collect()
}

fn add_uniformity(sum: &mut Vec<[u64; 2]>, input: &[[u64; 2]], weight: u64) {
    if sum.len() < input.len() {
        sum.resize(input.len(), [0; 2]);
    }
    for (sum, input) in sum.iter_mut().flatten().zip(input.iter().flatten()) {
        *sum = sum.saturating_add(input.saturating_mul(weight));
    }
}

/// Returns `count` times `weight`, at most the largest count.
fn weighted(count: u64, weight: u64) -> u64 {
    count.saturating_mul(weight).min(RecordRef::MAX_COUNT)
}

/// Adds counts, each sum at most the largest count.
fn add_counts(sums: &mut [u64], counts: &[u64], weight: u64) {
    if weight == 1 {
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum = sum.saturating_add(*count).min(RecordRef::MAX_COUNT);
        }
    } else {
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum = sum.saturating_add(weighted(*count, weight)).min(RecordRef::MAX_COUNT);
        }
    }
}

fn or_bytes(sum: &mut [u8], bytes: &[u8]) {
    for (sum, byte) in sum.iter_mut().zip(bytes) {
        *sum |= byte;
    }
}
