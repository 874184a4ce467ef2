//! What a target has a place for.

use crate::error::Error;
use crate::flags::Flags;
use crate::profile::Profile;
use crate::release::Target;
use crate::sink::LAST_WITHOUT_PSEUDO;
use crate::values::KINDS;
use crate::write::left_out::Kept;

/// What a target has a place for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    pub(super) version: u32,
    /// The parts of records that are written.
    pub(super) kept: Kept,
}

impl Fit {
    pub(super) fn new(target: Target) -> Fit {
        // Vtables came with LLVM 19, whose `-write-prev-version` writes them into version 11 too.
        let kinds = if target.release().number() < 19 { 2 } else { KINDS };
        let version = target.version();
        let pseudo_counts = version > LAST_WITHOUT_PSEUDO;
        Fit { version, kept: Kept { bitmaps: version >= 11, uniformity: version >= 14, pseudo_counts, kinds } }
    }

    pub(super) fn has_packed_bitmaps(self) -> bool {
        self.version >= 14
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

/// Returns the flags to write, without those of MemProf and traces, which follow from the sections.
pub(super) fn flags(profile: &Profile, target: Target) -> Result<Flags, Error> {
    let flags = profile.flags().without(Flags::DEBUG_CORRELATE | Flags::MEMPROF | Flags::TEMPORAL);
    flags.check_fit(target.release())?;
    Ok(flags)
}
