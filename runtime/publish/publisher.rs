//! The state of the writer of one profile file, which all files of this folder work on.

use core::ops::Range;

use super::identity::NOTHING;
use super::own::{ReadBuffer, WrittenParts};
use crate::os::file::{At, Fd, Status};
use crate::path::PathBuf;

/// What is known about the file, and scratch space. Small fields come first, as in the file state, of which it is a part.
#[derive(Debug)]
#[repr(C)]
pub struct Publisher {
    /// [`identity_of`] the file that was there when the first process of this run began: to be replaced. 0: none was.
    pub old: u64,
    /// The file that has the name, as it was when we looked last.
    pub(super) status: Status,
    /// The bytes of that file which the profile takes the place of.
    pub(super) dropped: Range<u64>,
    /// Bytes of the profile that was written last.
    pub(super) written: u64,
    /// New files have names (in `scratch`) from the beginning, for files without one have failed here.
    pub(super) named: bool,
    /// How the name that was given leads to `real`.
    pub(super) resolution: Resolution,
    /// The directory of `real`, once it was found: whatever happens to the names on the way there, the new file is made in the
    /// directory in which the old one was seen.
    pub(super) directory: Option<Fd>,
    /// What this image has written before.
    pub(super) own: WrittenParts,
    /// The name of the file after symbolic links.
    pub(super) real: PathBuf,
    /// Directories on the way, and the name of a new file.
    pub(super) scratch: PathBuf,
    /// Bytes on their way from the old file to the new one; targets of links.
    pub(super) bytes: ReadBuffer,
}

/// How the name that was given leads to the real one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Resolution {
    /// It is the real one.
    Direct,
    /// By a symbolic link.
    Linked,
    /// By a symbolic link, and the system does not tell the real name: only the file itself can be written to.
    Unknown,
}

impl Publisher {
    /// Nothing known.
    pub const fn new() -> Publisher {
        Publisher {
            old: 0,
            status: NOTHING,
            dropped: 0..0,
            written: 0,
            named: false,
            resolution: Resolution::Direct,
            directory: None,
            own: WrittenParts::new(),
            real: PathBuf::new(),
            scratch: PathBuf::new(),
            bytes: [0; 4096],
        }
    }

    /// Whether a write has to know how our part begins, for it has written before.
    pub fn looks_for_header(&self) -> bool {
        !self.own.is_empty()
    }

    /// A name in the directory of the real one.
    pub(super) fn at<'a>(&'a self, path: &'a PathBuf) -> At<'a> {
        match &self.directory {
            Some(directory) => directory.at(path.file_name()),
            None => path.as_path().into(),
        }
    }
}
