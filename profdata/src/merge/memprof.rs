//! The sum of MemProf sections.

use crate::error::ErrorKind;
use crate::finding::{Finding, InputId, MemProfLoss};
use crate::flags::Flags;
use crate::memprof::MemProf;
use crate::profile::Profile;

/// The MemProf sections of inputs.
#[derive(Debug, Default)]
pub(crate) struct MemProfs {
    /// The inputs whose sections can be read.
    pub(crate) inputs: Vec<InputId>,
    /// The place and the bytes of the section, if only one input has one: it stays as it is.
    pub(crate) single: Option<(u64, Vec<u8>)>,
    /// The sum; `None` where sections do not merge with each other.
    pub(crate) sum: Option<MemProf>,
}

impl MemProfs {
    /// Adds the section of an input. Errors: why it is left out.
    pub(crate) fn add(&mut self, input: InputId, start: u64, section: &[u8]) -> Result<(), MemProfLoss> {
        let read = MemProf::read(section, start).map_err(|error| match error.kind() {
            ErrorKind::UnsupportedVersion => MemProfLoss::UnknownVersion,
            _ => MemProfLoss::Damaged,
        })?;
        let single = self.inputs.is_empty().then(|| (start, section.to_vec()));
        self.absorb(MemProfs { inputs: vec![input], single, sum: Some(read) });
        Ok(())
    }

    /// Adds the sections of other inputs.
    pub(crate) fn absorb(&mut self, other: MemProfs) {
        if other.inputs.is_empty() {
            return;
        }
        if self.inputs.is_empty() {
            *self = other;
            return;
        }
        self.single = None;
        self.inputs.extend(other.inputs);
        self.sum = match (self.sum.take(), other.sum) {
            (Some(mut sum), Some(other)) => sum.absorb(&other).is_ok().then_some(sum),
            _ => None,
        };
    }

    /// Hands the sum to a profile. Findings say which sections are left out.
    pub(super) fn finish(self, profile: &mut Profile, findings: &mut Vec<Finding>) {
        let section = self.single.or_else(|| Some((0, self.sum?.write(0).ok()?)));
        profile.flags = profile.flags.without(Flags::MEMPROF);
        if let Some(section) = section {
            profile.flags |= Flags::MEMPROF;
            profile.memprof.push(section);
            return;
        }
        let finding = |input| Finding { input, function: None, kind: MemProfLoss::NoSum.into() };
        findings.extend(self.inputs.into_iter().map(finding));
    }
}
