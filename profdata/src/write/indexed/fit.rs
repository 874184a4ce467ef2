//! What a target has a place for.

use crate::error::Error;
use crate::finding::{Finding, FindingKind};
use crate::flags::Flags;
use crate::profile::Profile;
use crate::release::Target;
use crate::sink::{LAST_WITHOUT_PSEUDO, RecordRef};
use crate::values::KINDS;

/// What a target has a place for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    pub(super) version: u32,
    /// Value kinds below this are written.
    pub(super) kinds: usize,
}

impl Fit {
    pub(super) fn new(target: Target) -> Fit {
        // Vtables came with LLVM 19, whose `-write-prev-version` writes them into version 11 too.
        let kinds = if target.release().number() < 19 { 2 } else { KINDS };
        Fit { version: target.version(), kinds }
    }

    pub(super) fn has_bitmaps(self) -> bool {
        self.version >= 11
    }

    pub(super) fn has_packed_bitmaps(self) -> bool {
        self.version >= 14
    }

    pub(super) fn has_uniformity(self) -> bool {
        self.version >= 14
    }

    pub(super) fn has_pseudo_counts(self) -> bool {
        self.version > LAST_WITHOUT_PSEUDO
    }

    pub(super) fn has_memprof(self) -> bool {
        self.version >= 8
    }

    pub(super) fn has_binary_ids(self) -> bool {
        self.version >= 9
    }

    pub(super) fn has_traces(self) -> bool {
        self.version >= 10
    }

    pub(super) fn has_vtable_names(self) -> bool {
        self.version >= 12
    }
}

/// Counts of records with parts that the target has no place for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LeftOut {
    bitmaps: u64,
    uniformity: u64,
    kinds: [u64; KINDS],
    pseudo: u64,
}

impl LeftOut {
    /// Counts the parts of a record that are left out.
    pub(super) fn add(&mut self, record: &RecordRef<'_>, fit: Fit) {
        self.bitmaps += u64::from(!fit.has_bitmaps() && !record.bitmap.is_empty());
        self.uniformity += u64::from(!fit.has_uniformity() && !record.uniformity.is_empty());
        self.pseudo += u64::from(!fit.has_pseudo_counts() && record.is_pseudo());
        let Some(values) = record.values else { return };
        for (kind, records) in values.kinds.iter().zip(&mut self.kinds).skip(fit.kinds) {
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

/// Returns the flags to write, without those of MemProf and traces, which follow from the sections.
pub(super) fn flags(profile: &Profile, target: Target) -> Result<Flags, Error> {
    let flags = profile.flags().without(Flags::DEBUG_CORRELATE | Flags::MEMPROF | Flags::TEMPORAL);
    flags.check_fit(target.release())?;
    Ok(flags)
}
