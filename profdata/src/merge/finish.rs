//! The end of a merge: one size for each part, values sorted, records in the order of their names.

use std::collections::BTreeMap;

use super::Merger;
use super::alternates::SummedPart;
use super::report::{InputReport, Report};
use super::sites::finish_sites;
use super::sums::RecordSum;
use crate::error::Error;
use crate::finding::{Finding, FindingKind, InputId, LossAccount, Outcome};
use crate::flags::Flags;
use crate::profile::{Profile, Span, record};
use crate::sink::RecordRef;
use crate::values::ValueSites;

impl Merger {
    /// Returns the merged profile, with its records sorted by name and hash, and what became of the inputs. Records without a name are
    /// left out, because no format but the raw one can have them, unless [`super::MergeOptions::unnamed`] is set. Where nothing is in the result,
    /// salvaged inputs become refused ones.
    ///
    /// Errors: [`crate::error::ErrorKind::TooLarge`]: there are 2^32 names.
    pub fn finish(mut self) -> Result<(Profile, Report), Error> {
        self.complete()?;
        let mut profile = Profile::new();
        let mut total = LossAccount::default();
        let mut findings = std::mem::take(&mut self.findings);
        (profile.counters, profile.bitmaps) = (self.sums.counters, self.sums.bitmaps);
        profile.records.reserve_exact(self.records.len());
        for sum in self.records {
            let name = self.names.get(sum.name);
            let mut choice = Choice { profile: &mut profile, found: Vec::new() };
            let input = sum.input;
            let record = choice.record(sum, name.hash);
            findings.append(&mut choice.found);
            // LLVM's tools end with a signal when a function has no counter, not even one for its entry.
            let lost = match (name.bytes, record.counters.len) {
                (None, _) if !self.options.unnamed => FindingKind::NoName,
                (_, 0) => FindingKind::NoCounters,
                _ => {
                    profile.records.push(record);
                    continue;
                }
            };
            total.functions_lost = total.functions_lost.saturating_add(1);
            findings.push(Finding { input, function: Some((name.hash, record.hash)), kind: lost });
        }
        profile.names = self.names;
        profile.sort();
        let is_kind_assumed = self.kinds.is_assumed();
        (profile.flags, profile.headings) = (self.kinds.flags.without(Flags::DEBUG_CORRELATE), self.kinds.headings);
        profile.set_traces(self.traces.sorted(), self.traces.stream_size);
        let traces = self.traces.left_out();
        if traces > 0 {
            let kind = FindingKind::TracesLeftOut { traces };
            findings.push(Finding { input: InputId::MERGE, function: None, kind });
        }
        if is_kind_assumed {
            findings.push(Finding { input: InputId::MERGE, function: None, kind: FindingKind::KindAssumed });
        }
        profile.set_vtable_names(self.vtable_names.into_iter().collect());
        profile.binary_ids = self.binary_ids;
        self.memprof.finish(&mut profile, &mut findings);
        findings.sort_unstable();
        if profile.is_empty() && profile.traces().is_empty() && profile.memprof_sections().is_empty() {
            refuse_useless(&mut self.inputs);
        }
        self.inputs.values().for_each(|input| total.add(&input.account));
        let kept = profile.counts();
        // A damaged partial result may have fewer counts in the accounts of its inputs than in its records.
        total.counts = total.counts.max(kept);
        total.counts_lost = total.counts.saturating_sub(kept);
        Ok((profile, Report { inputs: self.inputs, findings, total }))
    }
}

/// Refuses salvaged inputs, none of which has left anything in the result.
fn refuse_useless(inputs: &mut BTreeMap<InputId, InputReport>) {
    for input in inputs.values_mut() {
        // The report of several inputs stays as it is.
        if input.account.salvaged == 1 && input.account.inputs() == 1 {
            input.outcome = Outcome::Refused;
            (input.account.salvaged, input.account.refused) = (0, 1);
        }
    }
}

/// The choice of one size for each part of a record.
struct Choice<'a> {
    profile: &'a mut Profile,
    found: Vec<Finding>,
}

impl Choice<'_> {
    /// Returns the record of a function's sum.
    fn record(&mut self, mut sum: RecordSum, name: u64) -> record::StoredRecord {
        let (hash, own) = (sum.hash, sum.counters.len);
        let function = (name, hash);
        let mut record = record::StoredRecord {
            name: sum.name,
            hash,
            counters: sum.counters,
            bitmap: sum.bitmap,
            uniformity: Span::default(),
            values: None,
        };
        let Some(extra) = &sum.extra else {
            self.overflow(function, sum.input, record.counters);
            return record;
        };

        let (size, is_own) = sum.chosen_size(SummedPart::Counters, own);
        let mut uniformity = &extra.uniformity;
        let mut input = sum.own_input(SummedPart::Counters);
        let alternates = |part: SummedPart| extra.alternates.range((part, 1)..=(part, usize::MAX));
        if !is_own && let Some(chosen) = extra.alternates.get(&(SummedPart::Counters, size)) {
            if own > 0 {
                let kind = FindingKind::CounterMismatch { kept: size as u64, left_out: own as u64 };
                self.note(function, input, kind);
            }
            record.counters = Span::append(&mut self.profile.counters, &chosen.counters);
            (uniformity, input) = (&chosen.uniformity, chosen.input);
        }
        for ((_, other), alternate) in alternates(SummedPart::Counters).filter(|((_, other), _)| *other != size) {
            let kind = FindingKind::CounterMismatch { kept: size as u64, left_out: *other as u64 };
            self.note(function, alternate.input, kind);
        }
        let pseudo = || alternates(SummedPart::Pseudo).map(|((_, size), alternate)| (*size, alternate));
        let chosen = pseudo().filter(|_| size == 0).max_by_key(|(size, alternate)| (alternate.contributions, *size));
        if let Some((_, alternate)) = chosen {
            record.counters = Span::append(&mut self.profile.counters, &alternate.counters);
            let counters = record.counters.of_mut(&mut self.profile.counters);
            let hotness = if alternate.hot { RecordRef::PSEUDO_HOT } else { RecordRef::PSEUDO_WARM };
            counters.iter_mut().take(1).for_each(|counter| *counter = hotness);
            (uniformity, input) = (&alternate.uniformity, alternate.input);
        }
        self.overflow(function, input, record.counters);
        let kept = chosen.map(|(size, _)| size);
        for (left_out, alternate) in pseudo().filter(|(size, _)| Some(*size) != kept) {
            let kind = match kept {
                Some(kept) => FindingKind::CounterMismatch { kept: kept as u64, left_out: left_out as u64 },
                None => FindingKind::PseudoMismatch,
            };
            self.note(function, alternate.input, kind);
        }
        if !uniformity.is_empty() {
            record.uniformity = Span::append(&mut self.profile.uniformity, &uniformity_bits(uniformity));
        }

        let own = sum.bitmap.len;
        let (size, is_own) = sum.chosen_size(SummedPart::Bitmap, own);
        if !is_own && let Some(chosen) = extra.alternates.get(&(SummedPart::Bitmap, size)) {
            let kind = FindingKind::BitmapMismatch { kept: size as u64, left_out: own as u64 };
            self.note(function, sum.own_input(SummedPart::Bitmap), kind);
            record.bitmap = Span::append(&mut self.profile.bitmaps, &chosen.bitmap);
        }
        for ((_, other), alternate) in alternates(SummedPart::Bitmap).filter(|((_, other), _)| *other != size) {
            let kind = FindingKind::BitmapMismatch { kept: size as u64, left_out: *other as u64 };
            self.note(function, alternate.input, kind);
        }

        record.values = self.values(function, &mut sum);
        record
    }

    /// Returns the values of a function's sum, with one number of sites of each kind.
    fn values(&mut self, function: (u64, u64), sum: &mut RecordSum) -> Option<Box<ValueSites>> {
        let mut values = std::mem::take(&mut sum.extra.as_mut()?.values);
        let mut found = Vec::new();
        for (number, kind) in (0..).zip(&mut values.kinds) {
            let part = SummedPart::Sites(number);
            let own = kind.len();
            let (kept, _) = sum.chosen_size(part, own);
            let mut input = sum.own_input(part);
            let mut mismatch = |input, left_out: usize| {
                if left_out > 0 && left_out != kept {
                    let kind =
                        FindingKind::ValueSiteMismatch { kind: number, kept: kept as u64, left_out: left_out as u64 };
                    self.note(function, input, kind);
                }
            };
            mismatch(input, own);
            for ((_, size), alternate) in
                sum.extra.iter_mut().flat_map(|extra| extra.alternates.range_mut((part, 1)..=(part, usize::MAX)))
            {
                mismatch(alternate.input, *size);
                if *size == kept {
                    input = alternate.input;
                    *kind = std::mem::take(&mut alternate.sites);
                }
            }
            finish_sites(number, kind, &mut found);
            found.drain(..).for_each(|kind| self.note(function, input, kind));
        }
        (!values.is_empty()).then(|| Box::new(values))
    }

    /// Notes counters that have stopped at the largest count.
    fn overflow(&mut self, function: (u64, u64), input: InputId, counters: Span) {
        let full = (0..).zip(counters.of(&self.profile.counters)).filter(|(_, count)| **count == RecordRef::MAX_COUNT);
        let kind = |(counter, _)| FindingKind::CounterOverflow { counter };
        self.found.extend(full.map(kind).map(|kind| Finding { input, function: Some(function), kind }));
    }

    fn note(&mut self, function: (u64, u64), input: InputId, kind: FindingKind) {
        self.found.push(Finding { input, function: Some(function), kind });
    }
}

/// Returns a bit for each block: whether at least nine tenths of its runs were uniform. Bits after the last block are 1.
fn uniformity_bits(counts: &[[u64; 2]]) -> Vec<u8> {
    let is_uniform = |[ran, uniform]: &[u64; 2]| u128::from(*uniform) * 10 >= u128::from(*ran) * 9;
    counts
        .chunks(8)
        .map(|blocks| (0..8).fold(0, |byte, bit| byte | u8::from(blocks.get(bit).is_none_or(is_uniform)) << bit))
        .collect()
}
