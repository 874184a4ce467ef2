//! The fingerprint of a file: a hash that identifies it in its current state.

use crate::os::file::{self, Fd, Status};
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

/// Returns a number, not 0, for a file in its current state: a write changes the number, and so does a new file with a reused inode number.
pub(super) fn fingerprint(of: &Status) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let fields = [of.device, of.inode, of.size, of.modified as u64, of.modified_nanos as u64];
    let hash = fields.iter().fold(ODD, |hash, field| (hash ^ field).wrapping_mul(ODD).rotate_left(29));
    hash.max(1)
}

/// Gives a written file another time if it looks like the file `earlier` of an earlier run, which the next write would replace. That happens
/// where the file system keeps whole seconds, and gives the inode number of a removed file to a new one.
pub(super) fn make_distinct(file: &Fd, earlier: u64) {
    if earlier == 0 {
        return;
    }
    if let Ok(status) = file.status()
        && fingerprint(&status) == earlier
    {
        // Some file systems keep every other second. A file of another user in a directory of others keeps its time.
        let _ = file.set_modified(status.modified.saturating_add(2), status.modified_nanos);
    }
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

/// Returns the fingerprint of the regular file that has this name; 0: there is none, or it is empty, so that a profile that is appended is the
/// only one; or it was changed at the time `since` or later.
pub fn fingerprint_of(name: Path<'_>, since: impl FnOnce() -> Since) -> u64 {
    match &file::status(name) {
        Ok(status) if status.regular && status.size > 0 && !is_later(status, since()) => fingerprint(status),
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

#[cfg(test)]
mod tests {
    use std::ffi::CString;

    use super::*;

    #[test]
    fn a_new_file_is_not_taken_for_the_one_of_an_earlier_run() {
        let directory = tempfile::tempdir().unwrap();
        let name = directory.path().join("x.profraw");
        std::fs::write(&name, "profile").unwrap();
        let name = CString::new(name.into_os_string().into_encoded_bytes()).unwrap();
        let file = file::open_or_create_no_link(Path::from(name.as_c_str()).into()).unwrap();
        let before = file.status().unwrap();
        for earlier in [0, fingerprint(&before) ^ 1] {
            make_distinct(&file, earlier);
            assert_eq!(fingerprint(&file.status().unwrap()), fingerprint(&before));
        }
        make_distinct(&file, fingerprint(&before));
        let after = file.status().unwrap();
        assert_ne!(fingerprint(&after), fingerprint(&before));
        assert!(after.modified > before.modified);
    }
}
