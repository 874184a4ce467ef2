//! What records lose in a format that has no place for it.

use crate::finding::{Finding, FindingKind};
use crate::profile::Profile;
use crate::sink::RecordRef;
use crate::values::KINDS;

/// The parts of records that a format has a place for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub(super) bitmaps: bool,
    pub(super) uniformity: bool,
    pub(super) pseudo_counts: bool,
    /// Value kinds below this.
    pub(super) kinds: usize,
}

/// Counts of records with other parts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LeftOut {
    bitmaps: u64,
    uniformity: u64,
    kinds: [u64; KINDS],
    pseudo: u64,
}

impl LeftOut {
    /// Counts the parts of a record that are left out.
    pub(super) fn add(&mut self, record: &RecordRef<'_>, kept: Kept) {
        self.bitmaps += u64::from(!kept.bitmaps && !record.bitmap.is_empty());
        self.uniformity += u64::from(!kept.uniformity && !record.uniformity.is_empty());
        self.pseudo += u64::from(!kept.pseudo_counts && record.is_pseudo());
        let Some(values) = record.values else { return };
        for (kind, records) in values.kinds.iter().zip(&mut self.kinds).skip(kept.kinds) {
            *records += u64::from(!kind.is_empty());
        }
    }

    /// Appends a finding for each part.
    pub(super) fn report(&self, profile: &Profile, findings: &mut Vec<Finding>) {
        let mut report = |count: u64, kind| {
            if count > 0 {
                findings.push(Finding::of_input(kind));
            }
        };
        report(self.bitmaps, FindingKind::BitmapsLeftOut { records: self.bitmaps });
        report(self.uniformity, FindingKind::UniformityLeftOut { records: self.uniformity });
        for (kind, records) in (0..).zip(self.kinds) {
            report(records, FindingKind::ValueKindLeftOut { kind, records });
        }
        if profile.has_pseudo_counts() {
            report(self.pseudo, FindingKind::PseudoAsCounts { records: self.pseudo });
        }
    }
}
