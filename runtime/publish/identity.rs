//! Identifies a file in its current state.

use crate::os::file::{self, Status};
use crate::path::Path;

/// The status where there is no file.
pub(super) const NOTHING: Status = Status {
    device: 0,
    inode: 0,
    size: 0,
    modified: 0,
    modified_nanos: 0,
    mode: 0,
    user: 0,
    group: 0,
    links: 0,
    regular: false,
    directory: false,
    link: false,
};

/// Returns a number, not 0, for a file in its current state: a write changes the number, and so does a new file with a reused
/// inode number.
pub(super) fn identity(of: &Status) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let fields = [of.device, of.inode, of.size, of.modified as u64, of.modified_nanos as u64];
    let hash = fields.iter().fold(ODD, |hash, field| (hash ^ field).wrapping_mul(ODD).rotate_left(29));
    hash.max(1)
}

/// Returns the `identity` of the regular file `name`. Returns 0 where there is none; where the file is empty, so that an appended profile
/// is the only one; and where the file was changed at the time of `since` (nanoseconds of the system's clock) or later.
pub fn identity_of(name: Path<'_>, since: impl FnOnce() -> Option<u64>) -> u64 {
    /// File systems may take the time of a change from the last tick of the clock.
    const TICK: u64 = 10_000_000;
    match &file::status(name) {
        Ok(status) if status.regular && status.size > 0 => {
            let modified =
                (status.modified as u64).wrapping_mul(1_000_000_000).wrapping_add(status.modified_nanos as u64);
            let later = since().is_some_and(|since| modified.saturating_add(TICK) >= since);
            if later { 0 } else { identity(status) }
        }
        _ => 0,
    }
}
