//! The state of the writer of profile files, with which all files of this directory work.
//!
//! The steps follow each other, and each uses what the earlier ones have set. A new `find` begins anew with another file:
//!
//! | step | sets |
//! | --- | --- |
//! | `find` | `real`, `resolution`, `directory`; clears `status` |
//! | `wait_for_lock` | `locked`; `status` of the file that has the name |
//! | or `claim`, `reopen` | `status` |
//! | `find_replaced`; or `create`, `replace_merged`: without it | `replaced` |
//! | `new_file`, `create_locked` | `uses_named_files`; `temporary`, if the new file has a name |
//! | `fill` | `written` |
//! | `rename_over`, `install` | `temporary`, if the new file had no name; then it becomes `real` |
//! | or `write_in_place`, if no new file is possible | `replaced`, `written` |
//! | or `create_in_place`, if there is no old file either | `status`, `written` |
//! | `remember` | `written_shares` |
//! | `close_directory` | `directory`: closed |
//!
//! `write_special` sets `real` alone: it writes into a device, a pipe, or a file of another process.
//!
//! After [`Publisher::retry_with_named_file`], which sets `uses_named_files`, the steps begin again.

use core::ops::Range;
use core::sync::atomic::AtomicBool;

use super::fingerprint::NOTHING;
use super::recent::Recent;
use super::written_share::{ReadBuffer, WrittenShare};
#[cfg(doc)]
use crate::error::Error;
use crate::os::Deadline;
use crate::os::file::{At, Fd, Status};
use crate::path::PathBuf;
use crate::sync::AtomicU32;

/// The writer of profile files: its knowledge of the file, and scratch memory. Small fields come first, as in `Output`, which contains it.
#[derive(Debug)]
#[repr(C)]
pub struct Publisher {
    /// The fingerprint of a file of an earlier run, which is replaced; 0: there is none, or it stays (`lifecycle::run` decides).
    pub earlier_fingerprint: u64,
    /// The last known status of the file that has the name.
    pub(super) status: Status,
    /// The bytes of that file that the profile replaces.
    pub(super) replaced: Range<u64>,
    /// Size of the profile that was written last.
    pub(super) written: u64,
    /// New files have names (`temporary`) from the beginning, because a file without a name has failed in this process.
    pub(super) uses_named_files: bool,
    /// What a wait does besides; `None`: nothing, for no signals are held back.
    pub wait: Option<WriteWait>,
    /// The time that a write has left which begins again ([`Error::BEGIN_AGAIN`]).
    pub(super) time_left: Deadline,
    /// The last attempt to lock the old file succeeded. (`update` unlocks it at its end.)
    pub(super) locked: bool,
    /// `None`: each write removes leftovers of other writers in the directory of its file. `Some`: a write of many files removes them only where
    /// it replaces a file, and not twice in one directory; the hash of the last directory's name, 0 before the first.
    pub swept: Option<u64>,
    /// How the given name leads to `real`.
    pub(super) resolution: Resolution,
    /// The open directory of `real`: whatever happens to the names on the way there, the new file is created in the directory in
    /// which the old one was found.
    pub(super) directory: Option<Fd>,
    /// The shares that this image has written before.
    pub(super) written_shares: Recent<WrittenShare>,
    /// The name of the file after symbolic links.
    pub(super) real: PathBuf,
    /// The name of the temporary file, in the directory of the real one.
    pub(super) temporary: PathBuf,
    /// Scratch memory for names: directories and links on the way, leftovers, quarantined files.
    pub(super) scratch: PathBuf,
    /// Scratch memory for bytes: copies from the old file to the new one, and targets of links.
    pub(super) bytes: ReadBuffer,
}

/// A wait of a write, in which signals come that the lock of the state holds back.
#[derive(Clone, Copy, Debug)]
pub struct WriteWait {
    /// The signal mask meanwhile.
    pub mask: u64,
    /// Set meanwhile.
    pub is_waiting: &'static AtomicBool,
    /// The number of resets of the counters. If it changes meanwhile, the write begins again.
    pub resets: &'static AtomicU32,
}

/// How a given name leads to the real one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Resolution {
    /// The given name is the real one.
    Direct,
    /// The given name is a symbolic link.
    Linked,
    /// The given name is a symbolic link, and the system does not tell the real name: only the file itself can be written to.
    Unknown,
}

impl Publisher {
    /// Creates a writer that knows nothing of any file.
    pub const fn new() -> Publisher {
        Publisher {
            earlier_fingerprint: 0,
            status: NOTHING,
            replaced: 0..0,
            written: 0,
            uses_named_files: false,
            wait: None,
            time_left: Deadline::new(),
            locked: false,
            swept: None,
            resolution: Resolution::Direct,
            directory: None,
            written_shares: Recent::new(),
            real: PathBuf::new(),
            temporary: PathBuf::new(),
            scratch: PathBuf::new(),
            bytes: [0; 4096],
        }
    }

    /// Begins a write: it has all of its time, and each time that it begins again what is left.
    pub fn begin(&mut self) {
        self.time_left = Deadline::new();
    }

    /// Returns the signal mask of waits, for [`os::with_mask`].
    pub fn mask_of_waits(&self) -> Option<u64> {
        self.wait.map(|wait| wait.mask)
    }

    /// Returns whether this image has written a share that a later write may replace.
    pub fn has_written(&self) -> bool {
        !self.written_shares.is_empty()
    }

    /// Returns whether the last write, which was the first of this image, has replaced an existing file.
    pub fn has_replaced(&self) -> bool {
        !self.replaced.is_empty()
    }

    /// Returns the place of a name in the directory of the real one.
    pub(super) fn at<'a>(&'a self, path: &'a PathBuf) -> At<'a> {
        match &self.directory {
            Some(directory) => directory.at(path.file_name()),
            None => path.as_path().into(),
        }
    }
}
