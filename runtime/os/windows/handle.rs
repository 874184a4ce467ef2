//! Open files.

#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};
use core::mem::ManuallyDrop;

use super::super::files::Lock;
use super::file::{At, Status};
use super::name::{self, UnicodeString};
use crate::error::{Error, Result};
use crate::path::Path;
use crate::span::Span;

/// A number of the kernel for an open file.
pub type Handle = isize;

/// An open file, closed when dropped; see also [`super::file::borrowed`].
#[derive(Debug)]
pub struct Fd(pub(super) Handle);

/// The result of a call of the kernel, and the number of bytes.
#[derive(Default)]
#[repr(C)]
pub struct IoStatus {
    status: isize,
    bytes: usize,
}

/// A place in a file.
#[derive(Default)]
#[repr(C)]
struct Overlapped {
    internal: [usize; 2],
    offset: u64,
    event: Handle,
}

#[derive(Default)]
#[repr(C)]
struct Information {
    attributes: u32,
    times: [u32; 6],
    volume: u32,
    size: [u32; 2],
    links: u32,
    index: [u32; 2],
}

crate::link::library! { "ntdll" }

#[link(name = "ntdll")]
unsafe extern "system" {
    fn NtSetInformationFile(file: Handle, done: *mut IoStatus, what: *const c_void, len: u32, class: u32) -> i32;
    fn RtlNtStatusToDosError(status: i32) -> u32;
}

unsafe extern "system" {
    fn GetLastError() -> u32;
    fn CloseHandle(file: Handle) -> c_int;
    fn WriteFile(file: Handle, bytes: *const u8, len: u32, done: *mut u32, at: *mut Overlapped) -> c_int;
    fn ReadFile(file: Handle, bytes: *mut u8, len: u32, done: *mut u32, at: *mut Overlapped) -> c_int;
    fn GetFileInformationByHandle(file: Handle, information: *mut Information) -> c_int;
    fn GetFileType(file: Handle) -> u32;
    fn SetFilePointerEx(file: Handle, by: i64, now: *mut i64, from: u32) -> c_int;
    fn LockFileEx(file: Handle, flags: u32, zero: u32, len: u32, more: u32, at: *mut Overlapped) -> c_int;
    fn UnlockFileEx(file: Handle, zero: u32, len: u32, more: u32, at: *mut Overlapped) -> c_int;
}

unsafe extern "C" {}

/// Returns the error for a number of Windows.
fn error_of(code: u32) -> Error {
    match code {
        // The file, a directory of its name, the server, the share.
        2 | 3 | 53 | 67 | 161 => Error::ENOENT,
        4 => Error::EMFILE,
        5 => Error::EACCES,
        8 | 14 => Error::ENOMEM,
        17 => Error::EXDEV,
        19 => Error::EROFS,
        32 | 33 | 303 => Error::FILE_IN_USE,
        39 | 112 => Error::ENOSPC,
        1 | 50 | 120 => Error::EOPNOTSUPP,
        80 | 183 => Error::EEXIST,
        87 | 123 => Error::EINVAL,
        109 | 232 => Error::EPIPE,
        206 => Error::NAME_TOO_LONG,
        267 => Error::ENOTDIR,
        1295 => Error::EDQUOT,
        _ => Error::EIO,
    }
}

fn done(result: c_int) -> Result {
    // SAFETY: no preconditions.
    if result != 0 { Ok(()) } else { Err(error_of(unsafe { GetLastError() })) }
}

/// Converts the result of a call of the kernel.
pub fn checked(status: i32) -> Result {
    // A name whose file is gone when others close it.
    const DELETE_PENDING: i32 = 0xc000_0056_u32 as i32;
    match status {
        0.. => Ok(()),
        DELETE_PENDING => Err(Error::FILE_IN_USE),
        // SAFETY: no preconditions.
        _ => Err(error_of(unsafe { RtlNtStatusToDosError(status) })),
    }
}

/// How a file is renamed.
#[repr(C)]
struct Rename {
    flags: u32,
    root: Handle,
    len: u32,
    name: [u16; 256],
}

/// The byte that is locked. A lock keeps others from reading what is locked, so it is a byte that no file has; LLVM's runtime locks all bytes.
const LOCKED: u64 = 1 << 62;
const EXCLUSIVE: u32 = 2;
const AT_ONCE: u32 = 1;

impl Fd {
    /// Returns a number for [`super::file::borrowed`], below those of the C library. (Numbers of the kernel have 32 bits.)
    pub fn number(&self) -> c_int {
        !(self.0 as c_int)
    }

    /// Writes all bytes of the spans: from the file's own place on, or from the byte `at`.
    ///
    /// # Safety
    /// Each span must point to that many readable bytes.
    pub unsafe fn write(&self, spans: &[Span], _total: u64, mut at: Option<u64>) -> Result {
        for span in spans {
            let mut rest = *span;
            while rest.len > 0 {
                let len = rest.len.min(1 << 30) as u32;
                let mut place = Overlapped { offset: at.unwrap_or(0), ..Overlapped::default() };
                let place = if at.is_some() { &raw mut place } else { core::ptr::null_mut() };
                let mut written = 0;
                // SAFETY: readable by this function's contract; no place, or that above.
                done(unsafe { WriteFile(self.0, rest.start, len, &mut written, place) })?;
                if written == 0 {
                    return Err(Error::EIO);
                }
                rest = rest.skip(written as usize);
                at = at.map(|at| at.wrapping_add(written.into()));
            }
        }
        Ok(())
    }

    /// Reads from the byte at `offset` on. Returns the number of bytes, 0 at the end.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        const END_OF_FILE: u32 = 38;
        let (mut read, mut place) = (0, Overlapped { offset, ..Overlapped::default() });
        let (start, len) = (buffer.as_mut_ptr(), buffer.len().min(1 << 30) as u32);
        // The call moves the place of the next write.
        let before = self.position()?;
        // SAFETY: the slice's own bounds.
        let ok = unsafe { ReadFile(self.0, start, len, &mut read, &mut place) } != 0;
        // SAFETY: no preconditions.
        let code = unsafe { GetLastError() };
        // SAFETY: an open file.
        unsafe { SetFilePointerEx(self.0, before as i64, core::ptr::null_mut(), 0) };
        match code {
            _ if ok => Ok(read as usize),
            END_OF_FILE => Ok(0),
            code => Err(error_of(code)),
        }
    }

    /// Sets something of the file.
    pub(super) fn set<T>(&self, class: u32, to: &T, len: usize) -> Result {
        // SAFETY: an open file; `to` is at least that long.
        checked(unsafe {
            let len = len.min(size_of::<T>()) as u32;
            NtSetInformationFile(self.0, &mut IoStatus::default(), core::ptr::from_ref(to).cast(), len, class)
        })
    }

    /// Truncates or extends the file.
    pub fn set_size(&self, size: u64) -> Result {
        const END_OF_FILE: u32 = 20;
        self.set(END_OF_FILE, &size, 8)
    }

    /// Returns `false`: only the C library knows.
    pub fn appends(&self) -> bool {
        false
    }

    /// Returns the position of the next write.
    pub fn position(&self) -> Result<u64> {
        const FROM_NOW: u32 = 1;
        let mut now = 0;
        // SAFETY: an open file and room for the answer.
        done(unsafe { SetFilePointerEx(self.0, 0, &mut now, FROM_NOW) }).map(|()| now as u64)
    }

    /// Returns the file's status. What is neither a file nor a directory is a device or a pipe.
    pub fn status(&self) -> Result<Status> {
        const ON_DISK: u32 = 1;
        const DEVICE: u32 = 2;
        // SAFETY: an open file.
        let kind = unsafe { GetFileType(self.0) };
        if kind != ON_DISK {
            return Ok(Status { device_file: kind == DEVICE, ..Status::default() });
        }
        let mut found = Information::default();
        // SAFETY: an open file and room for the answer.
        done(unsafe { GetFileInformationByHandle(self.0, &mut found) })?;
        let wide = |[high, low]: [u32; 2]| u64::from(high) << 32 | u64::from(low);
        let (directory, link) = (found.attributes & 0x10 != 0, found.attributes & 0x400 != 0);
        Ok(Status {
            device: found.volume.into(),
            inode: wide(found.index),
            links: found.links.into(),
            size: wide(found.size),
            regular: !directory && !link,
            directory: directory && !link,
            link,
            ..Status::default()
        })
    }

    /// Returns the place of a name in this directory.
    pub fn at<'a>(&'a self, name: Path<'a>) -> At<'a> {
        At { directory: self.0, name }
    }

    /// Gives the file the name `to` instead of its own, whatever was there. Where the file system can, also if somebody has that open; else it is in
    /// use.
    pub fn link(&self, to: At<'_>) -> Result {
        const RENAME: u32 = 10;
        const RENAME_EX: u32 = 65;
        const REPLACE: u32 = 1;
        const POSIX: u32 = 2;
        name::with(to.name, to.directory, |UnicodeString { len, text, .. }, root| {
            let mut new = Rename { flags: REPLACE | POSIX, root, len: (*len).into(), name: [0; 256] };
            let bytes = usize::from(*len);
            if bytes > size_of_val(&new.name) {
                return Err(Error::NAME_TOO_LONG);
            }
            // SAFETY: that many bytes of the name, which the array has room for.
            unsafe { crate::copy::copy(new.name.as_mut_ptr().cast(), text.cast(), bytes) };
            let size = core::mem::offset_of!(Rename, name).wrapping_add(bytes.max(8));
            let renamed = match self.set(RENAME_EX, &new, size) {
                Err(Error::EINVAL | Error::EOPNOTSUPP | Error::EIO) => {
                    new.flags = REPLACE;
                    self.set(RENAME, &new, size)
                }
                other => other,
            };
            renamed.map_err(|error| if error == Error::EACCES { Error::FILE_IN_USE } else { error })
        })
    }

    /// Locks the file; unless `at_once`, waits for it.
    pub(super) fn lock(&self, at_once: bool) -> Result {
        let flags = if at_once { EXCLUSIVE | AT_ONCE } else { EXCLUSIVE };
        let mut place = Overlapped { offset: LOCKED, ..Overlapped::default() };
        // SAFETY: an open file, a place.
        done(unsafe { LockFileEx(self.0, flags, 0, 1, 0, &mut place) })
    }

    /// Locks the file, if no other process has it locked.
    pub fn try_lock(&self) -> Lock {
        match self.lock(true) {
            Ok(()) => Lock::Taken,
            Err(Error::FILE_IN_USE) => Lock::Busy,
            Err(error) => Lock::Impossible(error),
        }
    }

    /// Unlocks it.
    pub fn unlock(&self) {
        let mut place = Overlapped { offset: LOCKED, ..Overlapped::default() };
        // SAFETY: an open file, a place.
        unsafe { UnlockFileEx(self.0, 0, 1, 0, &mut place) };
    }
}

impl Drop for Fd {
    fn drop(&mut self) {
        // SAFETY: opened by us and closed just here.
        unsafe { CloseHandle(self.0) };
    }
}
