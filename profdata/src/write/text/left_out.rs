//! What the text form of a release has no place for.

use std::collections::BTreeSet;

use super::{has_bitmaps, has_pseudo_counts, has_traces, trace_name, value_kinds, written_flags};
use crate::finding::{Finding, FindingKind, MemProfLoss};
use crate::flags::Flags;
use crate::name::name_hash;
use crate::profile::Profile;
use crate::sink::RecordRef;
use crate::values::KINDS;
use crate::write::text::symbols::Symbols;

/// Returns a finding for each part of the profile that is left out, and of the records that are written.
pub(super) fn findings(
    profile: &Profile,
    records: &[(&[u8], RecordRef<'_>)],
    symbols: &Symbols<'_>,
    release: u32,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut parts = Parts::default();
    for (_, record) in records {
        parts.add(record, symbols, release);
    }
    let mut report = |count: usize, kind: FindingKind| {
        if count > 0 {
            findings.push(Finding::of_input(kind));
        }
    };
    // Traces and MemProf have findings of their own, and DEBUG_CORRELATE says only where a raw profile has its records.
    let sections = Flags::TEMPORAL | Flags::MEMPROF | Flags::DEBUG_CORRELATE;
    let flags = profile.flags().without(sections | written_flags(release)).bits();
    report(usize::from(flags != 0), FindingKind::FlagsLeftOut { flags });
    report(parts.bitmaps, FindingKind::BitmapsLeftOut { records: parts.bitmaps as u64 });
    report(parts.uniformity, FindingKind::UniformityLeftOut { records: parts.uniformity as u64 });
    for (kind, records) in (0..).zip(parts.kinds) {
        report(records, FindingKind::ValueKindLeftOut { kind, records: records as u64 });
    }
    if profile.has_pseudo_counts() {
        report(parts.pseudo, FindingKind::PseudoAsCounts { records: parts.pseudo as u64 });
    }
    let traces = profile.traces();
    if has_traces(release) {
        let functions = traces.iter().flat_map(|trace| &trace.functions);
        parts.unnamed += functions.filter(|function| trace_name(symbols, **function).is_none()).count();
    } else {
        let is_temporal = profile.flags().has(Flags::TEMPORAL) || !traces.is_empty();
        report(usize::from(is_temporal), FindingKind::TracesLeftOut { traces: traces.len() as u64 });
    }
    report(parts.unnamed, FindingKind::TargetsLeftOut { targets: parts.unnamed as u64 });
    let names: BTreeSet<u64> = profile.vtable_names().iter().map(|name| name_hash(name)).collect();
    let names = names.difference(&parts.vtables).count();
    report(names, FindingKind::VtableNamesLeftOut { names: names as u64 });
    let ids = profile.binary_ids().len();
    report(ids, FindingKind::BinaryIdsLeftOut { ids: ids as u64 });
    report(profile.memprof_sections().len(), FindingKind::MemProfLeftOut { why: MemProfLoss::NotInFormat });
    findings
}

/// Counts of what records lose.
#[derive(Default)]
struct Parts {
    bitmaps: usize,
    uniformity: usize,
    /// Records with values of each kind that is left out.
    kinds: [usize; KINDS],
    /// Targets of which only the hash of the name is known.
    unnamed: usize,
    /// Records with a pseudo count for a release that knows none.
    pseudo: usize,
    /// Vtables that are written as values.
    vtables: BTreeSet<u64>,
}

impl Parts {
    fn add(&mut self, record: &RecordRef<'_>, symbols: &Symbols<'_>, release: u32) {
        self.bitmaps += usize::from(!has_bitmaps(release) && !record.bitmap.is_empty());
        self.uniformity += usize::from(!record.uniformity.is_empty());
        self.pseudo += usize::from(!has_pseudo_counts(release) && record.is_pseudo());
        let Some(values) = record.values else { return };
        let known = value_kinds(release);
        for (sites, records) in values.kinds.iter().zip(&mut self.kinds).skip(known) {
            *records += usize::from(!sites.is_empty());
        }
        for (kind, sites) in values.kinds.iter().enumerate().take(known).filter(|(kind, _)| *kind != 1) {
            let targets = sites.values().iter().map(|value| value.value).filter(|target| *target != 0);
            self.unnamed += targets.clone().filter(|target| symbols.get(*target).is_none()).count();
            self.vtables.extend(targets.filter(|_| kind == 2));
        }
    }
}
