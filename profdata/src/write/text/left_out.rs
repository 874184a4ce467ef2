//! What the text form of a release has no place for.

use std::collections::BTreeSet;

use super::{has_bitmaps, has_traces, trace_name, value_kinds, written_flags};
use crate::finding::{Finding, FindingKind, MemProfLoss};
use crate::flags::Flags;
use crate::name::name_hash;
use crate::profile::Profile;
use crate::sink::RecordRef;
use crate::write::left_out::{Kept, LeftOut};
use crate::write::text::symbols::Symbols;

/// Returns a finding for each part of the profile that is left out, and of the records that are written.
pub(super) fn findings(
    profile: &Profile,
    records: &[(&[u8], RecordRef<'_>)],
    symbols: &Symbols<'_>,
    release: u32,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let kinds = value_kinds(release);
    let kept = Kept { bitmaps: has_bitmaps(release), uniformity: false, pseudo_counts: release >= 16, kinds };
    let (mut left_out, mut targets) = (LeftOut::default(), Targets::default());
    for (_, record) in records {
        left_out.add(record, kept);
        targets.add(record, symbols, kinds);
    }
    // Traces and MemProf have findings of their own, and DEBUG_CORRELATE says only where a raw profile has its records.
    let sections = Flags::TEMPORAL | Flags::MEMPROF | Flags::DEBUG_CORRELATE;
    let flags = profile.flags().without(sections | written_flags(release)).bits();
    if flags != 0 {
        findings.push(Finding::of_input(FindingKind::FlagsLeftOut { flags }));
    }
    left_out.report(profile, &mut findings);
    let mut report = |count: usize, kind: FindingKind| {
        if count > 0 {
            findings.push(Finding::of_input(kind));
        }
    };
    let traces = profile.traces();
    if has_traces(release) {
        let functions = traces.iter().flat_map(|trace| &trace.functions);
        targets.unnamed += functions.filter(|function| trace_name(symbols, **function).is_none()).count();
    } else {
        let is_temporal = profile.flags().has(Flags::TEMPORAL) || !traces.is_empty();
        report(usize::from(is_temporal), FindingKind::TracesLeftOut { traces: traces.len() as u64 });
    }
    report(targets.unnamed, FindingKind::TargetsLeftOut { targets: targets.unnamed as u64 });
    let names: BTreeSet<u64> = profile.vtable_names().iter().map(|name| name_hash(name)).collect();
    let names = names.difference(&targets.vtables).count();
    report(names, FindingKind::VtableNamesLeftOut { names: names as u64 });
    let ids = profile.binary_ids().len();
    report(ids, FindingKind::BinaryIdsLeftOut { ids: ids as u64 });
    report(profile.memprof_sections().len(), FindingKind::MemProfLeftOut { why: MemProfLoss::NotInFormat });
    findings
}

/// What values stand for.
#[derive(Default)]
struct Targets {
    /// Targets of which only the hash of the name is known.
    unnamed: usize,
    /// Vtables that are written as values.
    vtables: BTreeSet<u64>,
}

impl Targets {
    fn add(&mut self, record: &RecordRef<'_>, symbols: &Symbols<'_>, kinds: usize) {
        let Some(values) = record.values else { return };
        for (kind, sites) in values.kinds.iter().enumerate().take(kinds).filter(|(kind, _)| *kind != 1) {
            let targets = sites.values().iter().map(|value| value.value).filter(|target| *target != 0);
            self.unnamed += targets.clone().filter(|target| symbols.get(*target).is_none()).count();
            self.vtables.extend(targets.filter(|_| kind == 2));
        }
    }
}
