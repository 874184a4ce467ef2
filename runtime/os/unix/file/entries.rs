//! The entries of a directory.

#![allow(unsafe_code)]

use super::Fd;
use super::kernel::{self, libc};
use crate::error::Result;

impl Fd {
    /// Reads the next entries of a directory into `buffer`, for [`Entries`]. The number of bytes, 0 at the end.
    pub fn read_entries(&self, buffer: &mut [u8]) -> Result<usize> {
        // SAFETY: the slice's own bounds.
        kernel::checked(unsafe { kernel::getdents64(self.0, buffer.as_mut_ptr().cast(), buffer.len()) })
    }
}

/// The entries of a directory in the kernel's form (`linux_dirent64`): the names of regular files, and of all files where the file system
/// does not tell what they are. Each with the NUL that ends it and the padding after that: most names need no look beyond their start.
#[derive(Debug)]
pub struct Entries<'a>(pub &'a [u8]);

impl<'a> Iterator for Entries<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        // Inode and offset, of 8 bytes each, the length of the entry, of 2, its kind, and the name, which a NUL ends.
        const LEN: usize = 16;
        const KIND: usize = 18;
        const NAME: usize = 19;
        loop {
            let len = self.0.get(LEN..)?.first_chunk().map(|len| usize::from(u16::from_ne_bytes(*len)))?;
            let (entry, rest) = self.0.split_at_checked(len)?;
            self.0 = rest;
            if matches!(*entry.get(KIND)?, libc::DT_REG | libc::DT_UNKNOWN) {
                return entry.get(NAME..);
            }
        }
    }
}
