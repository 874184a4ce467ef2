//! In the place of the sums of MemProf sections, without the feature `memprof`: sections are left out, with a finding.

use crate::finding::{Finding, InputId, MemProfLoss};
use crate::flags::Flags;
use crate::profile::Profile;

/// No sections.
#[derive(Debug, Default)]
pub(crate) struct MemProfs {
    pub(crate) inputs: Vec<InputId>,
}

impl MemProfs {
    pub(crate) fn add(&mut self, _input: InputId, _start: u64, _section: &[u8]) -> Result<(), MemProfLoss> {
        Err(MemProfLoss::NoFeature)
    }

    pub(crate) fn absorb(&mut self, _other: MemProfs) {}

    pub(super) fn finish(self, profile: &mut Profile, _findings: &mut Vec<Finding>) {
        profile.flags = profile.flags.without(Flags::MEMPROF);
    }
}
