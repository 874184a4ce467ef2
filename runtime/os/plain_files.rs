//! Files where there are no unnamed ones, no owners and modes, and no mapped ones: what WASI and Windows have in common.

#![allow(unsafe_code)]

use core::ops::Range;

use super::file::{At, Fd};
use crate::error::{Error, Result};

/// What a file is and which one it is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Status {
    /// Device it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Names that it has.
    pub links: u64,
    /// Bytes.
    pub size: u64,
    pub(super) device_file: bool,
    /// 0: owners have no numbers.
    pub user: u32,
    /// 0.
    pub group: u32,
    /// Whether it is a regular file.
    pub regular: bool,
    /// Whether it is a directory.
    pub directory: bool,
    /// Whether it is a link, which only `status_of_name` sees.
    pub link: bool,
}

impl Status {
    /// Returns whether this is a device.
    pub fn is_device(&self) -> bool {
        self.device_file
    }

    /// Returns `false`: permissions are not known.
    pub fn others_may_replace(&self) -> bool {
        false
    }

    /// Returns `true`: permissions are not known.
    pub fn is_usual(&self) -> bool {
        true
    }
}

impl Fd {
    /// Does nothing: the writes find the space.
    pub fn allocate(&self, _len: u64) -> Result {
        Ok(())
    }

    /// Returns the whole range: the system does not tell holes.
    pub fn data(&self, range: Range<u64>) -> Range<u64> {
        range
    }

    /// Returns no error: writes have reported them.
    pub fn close_errors(&self) -> Result {
        Ok(())
    }

    /// Refuses.
    pub fn duplicate(&self) -> Result<Fd> {
        Err(Error::ENOSYS)
    }

    /// Refuses.
    pub fn map(&self, _offset: u64, _len: usize) -> Result<*mut u8> {
        Err(Error::ENODEV)
    }

    /// Does nothing: there are no owners.
    pub fn take_owner_of(&self, _old: &Fd, _status: &Status, _give: bool) {}

    /// Does nothing.
    pub fn admit_owner(&self, _status: &Status) {}
}

/// Refuses.
pub fn create_unnamed(_directory: &Fd) -> Result<Fd> {
    Err(Error::EOPNOTSUPP)
}

/// Refuses.
pub fn exchange(_one: At<'_>, _other: At<'_>) -> Result {
    Err(Error::ENOSYS)
}

/// Returns `None`: continuous mode would need it.
pub fn working_directory(_name: &mut [u8]) -> Option<usize> {
    None
}

/// Files cannot be mapped in the place of memory.
pub const MAPS_FILES: bool = false;

/// Refuses.
///
/// # Safety
/// None.
pub unsafe fn move_pages(_from: *mut u8, _to: *mut u8, _len: usize) -> Result {
    Err(Error::ENOSYS)
}

/// The file that is mapped: none.
#[derive(Debug)]
pub struct HeldFile;

impl HeldFile {
    /// No file.
    pub const NONE: HeldFile = HeldFile;

    /// Closes the file.
    pub fn keep(&mut self, _file: Fd, _identity: [u64; 2]) {}

    /// Returns `None`: there is none.
    pub fn links(&self) -> Option<u64> {
        None
    }

    /// Does nothing.
    pub fn release(&mut self) {}
}
