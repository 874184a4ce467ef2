//! Which file it is, in which state.

use crate::os::file::{self, Status};
use crate::path::Path;

/// No file.
pub(super) const NOTHING: Status = Status {
    device: 0,
    inode: 0,
    size: 0,
    modified: 0,
    modified_nanos: 0,
    mode: 0,
    user: 0,
    group: 0,
    regular: false,
    directory: false,
};

/// A number that stands for a file in its state, not 0: another write gives another one, also where inode numbers are used
/// again.
pub(super) fn identity(of: &Status) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let fields = [of.device, of.inode, of.size, of.modified as u64, of.modified_nanos as u64];
    let hash = fields.iter().fold(ODD, |hash, field| (hash ^ field).wrapping_mul(ODD).rotate_left(29));
    hash.max(1)
}

/// The same of the regular file that has this name; 0: none has.
pub fn identity_of(name: Path<'_>) -> u64 {
    match &file::status(name) {
        Ok(status) if status.regular => identity(status),
        _ => 0,
    }
}
