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

/// From when on a change of a file is of this run, in nanoseconds of the system's clock.
#[derive(Clone, Copy, Debug)]
pub enum Since {
    /// Nobody knows: what is there is of an earlier run.
    Unknown,
    /// A file with the number of this process: nobody else has changed it since then.
    Own(u64),
    /// A file that other processes of this run may have written. Where the clock of a file server is late, it is better to add to a file
    /// of an earlier run than to lose the counts of this one.
    Others(u64),
}

/// Returns the identity of the regular file that has this name; 0: there is none, or it is empty, so that a profile that is appended is the
/// only one; or it was changed at the time `since` or later.
pub fn identity_of(name: Path<'_>, since: impl FnOnce() -> Since) -> u64 {
    match &file::status(name) {
        Ok(status) if status.regular && status.size > 0 && !is_later(status, since()) => identity(status),
        _ => 0,
    }
}

/// Returns whether a file was changed at that time or later.
fn is_later(status: &Status, since: Since) -> bool {
    /// The time of a change may be that of the clock's last tick.
    const TICK: u64 = 10_000_000;
    const SECOND: u64 = 1_000_000_000;
    let (since, late) = match since {
        Since::Unknown => return false,
        Since::Own(since) => (since, TICK),
        Since::Others(since) => (since, 2 * SECOND),
    };
    // Some file systems keep seconds, or every other second.
    let coarse = if status.modified_nanos == 0 { 2 * SECOND } else { 0 };
    let modified = (status.modified as u64).wrapping_mul(SECOND).wrapping_add(status.modified_nanos as u64);
    modified.saturating_add(late.max(coarse)) >= since
}
