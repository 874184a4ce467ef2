//! Files by name: looked up by the kernel, in an opened directory. There are no unnamed files, and no owners and modes; a file that somebody has open
//! cannot be replaced everywhere.

#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};
use core::mem::ManuallyDrop;

pub use super::super::files::Lock;
pub use super::super::plain_files::*;
pub use super::handle::Fd;
use super::handle::{Handle, IoStatus, checked};
use super::name::{self, UnicodeString};
use crate::error::{Error, Result};
use crate::path::Path;
use crate::span::Span;

/// A name, and the directory in which it is looked up.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// 0: the working directory, or that in the name.
    pub(super) directory: Handle,
    pub(super) name: Path<'a>,
}

impl<'a> From<Path<'a>> for At<'a> {
    /// Returns the place of a name in the working directory, or of a full one.
    fn from(name: Path<'a>) -> At<'a> {
        At { directory: 0, name }
    }
}

/// Most files can be locked.
pub const LOCKS: bool = true;
/// Only on NTFS from Windows 10 on.
pub const REPLACES_OPEN: bool = false;

/// What a file is opened for.
const READ: u32 = 0x12_0089;
const WRITE: u32 = 0x12_0116;
const APPEND: u32 = 0x10_0004;
const DELETE: u32 = 0x11_0000;
const QUERY: u32 = 0x10_0080;
const LIST_AND_LOOK_UP: u32 = 0x10_00a1;
/// What becomes of an existing or missing file.
const OPEN: u32 = 1;
const CREATE: u32 = 2;
const OPEN_OR_CREATE: u32 = 3;
/// Options.
const SYNCHRONOUS: u32 = 0x20;
const DIRECTORY: u32 = 0x1;
const NO_DIRECTORY: u32 = 0x40;
const THE_LINK: u32 = 0x20_0000;
/// What others may do meanwhile: read and write; also remove and rename.
const OTHERS_WRITE: u32 = 3;
const OTHERS_REMOVE: u32 = 7;

#[repr(C)]
struct ObjectAttributes {
    len: u32,
    root: Handle,
    name: *const UnicodeString,
    attributes: u32,
    security: [usize; 2],
}

#[link(name = "ntdll")]
unsafe extern "system" {
    fn NtCreateFile(
        file: *mut Handle,
        access: u32,
        object: *const ObjectAttributes,
        status: *mut IoStatus,
        size: *const i64,
        attributes: u32,
        share: u32,
        disposition: u32,
        options: u32,
        extended: *const c_void,
        len: u32,
    ) -> i32;
}

unsafe extern "system" {
    fn GetStdHandle(which: u32) -> Handle;
}

unsafe extern "C" {
    fn _get_osfhandle(fd: c_int) -> Handle;
}

fn open_shared(at: At<'_>, access: u32, share: u32, disposition: u32, options: u32) -> Result<Fd> {
    const CASE_INSENSITIVE: u32 = 0x40;
    const NORMAL: u32 = 0x80;
    name::with(at.name, at.directory, |name, root| {
        let len = size_of::<ObjectAttributes>() as u32;
        let object = ObjectAttributes { len, root, name, attributes: CASE_INSENSITIVE, security: [0; 2] };
        let (mut file, mut status) = (0, IoStatus::default());
        let (size, extended, options) = (core::ptr::null(), core::ptr::null(), options | SYNCHRONOUS);
        // SAFETY: a name, and room for the answers.
        checked(unsafe {
            let (file, status) = (&raw mut file, &raw mut status);
            NtCreateFile(file, access, &object, status, size, NORMAL, share, disposition, options, extended, 0)
        })?;
        Ok(Fd(file))
    })
}

fn open(at: At<'_>, access: u32, disposition: u32, options: u32) -> Result<Fd> {
    open_shared(at, access, OTHERS_REMOVE, disposition, options)
}

/// Opens a directory to look names up in it ([`Fd::at`]).
pub fn open_directory(path: Path<'_>) -> Result<Fd> {
    open(path.into(), LIST_AND_LOOK_UP, OPEN, DIRECTORY)
}

/// Creates a file that did not exist before. As long as it is open nobody else can remove or rename it ([`Error::FILE_IN_USE`]).
pub fn create_new(at: At<'_>, _replaced: Option<&Status>) -> Result<Fd> {
    open_shared(at, READ | WRITE | DELETE, OTHERS_WRITE, CREATE, NO_DIRECTORY)
}

/// Opens a file for reading and writing, or creates an empty one; not through a link.
pub fn open_or_create_no_link(at: At<'_>) -> Result<Fd> {
    open(at, READ | WRITE, OPEN_OR_CREATE, THE_LINK | NO_DIRECTORY)
}

/// Opens an existing file that is no link for writing at its end.
pub fn open_for_appending(at: At<'_>) -> Result<Fd> {
    open(at, APPEND | QUERY, OPEN, THE_LINK | NO_DIRECTORY)
}

/// Opens an existing file that is no link for reading.
pub fn open_for_reading(path: Path<'_>) -> Result<Fd> {
    open(path.into(), READ, OPEN, THE_LINK | NO_DIRECTORY)
}

/// Opens a file for reading and writing, or creates an empty one. Follows links.
pub fn open_or_create(at: At<'_>) -> Result<Fd> {
    open(at, READ | WRITE, OPEN_OR_CREATE, NO_DIRECTORY)
}

/// Opens a device, a pipe or the like for writing.
pub fn open_stream(at: At<'_>, _known: &Status, _link: bool) -> Result<Fd> {
    open(at, WRITE, OPEN, 0)
}

/// Returns the status of the file with this name. Follows links.
pub fn status(at: At<'_>) -> Result<Status> {
    open(at, QUERY, OPEN, 0)?.status()
}

/// Returns the status of what has this very name, which may be a link.
pub fn status_of_name(at: At<'_>) -> Result<Status> {
    open(at, QUERY, OPEN, THE_LINK)?.status()
}

/// Creates one directory. An existing one is no error.
pub fn make_directory(path: Path<'_>, _mode: u32) -> Result {
    open(path.into(), QUERY, OPEN_OR_CREATE, DIRECTORY).map(drop)
}

/// Gives `from`'s file the name `to`, whatever was there.
pub fn rename(from: At<'_>, to: At<'_>) -> Result {
    open(from, DELETE, OPEN, THE_LINK)?.link(to)
}

/// Removes a name: at once where the file system can, else when all others have closed the file.
pub fn remove(at: At<'_>) -> Result {
    const DISPOSITION: u32 = 13;
    const DISPOSITION_EX: u32 = 64;
    const REMOVE_AT_ONCE: u32 = 3;
    let file = open(at, DELETE, OPEN, THE_LINK | NO_DIRECTORY)?;
    file.set(DISPOSITION_EX, &REMOVE_AT_ONCE, 4).or_else(|_| file.set(DISPOSITION, &true, 1))
}

/// The descriptors to which programs print.
pub const STANDARD_OUTPUTS: [c_int; 2] = [1, 2];

/// Writes to the standard error stream.
pub fn print_error(spans: &[Span]) {
    const STANDARD_ERROR: u32 = 0_u32.wrapping_sub(12);
    // SAFETY: no preconditions.
    let stream = ManuallyDrop::new(Fd(unsafe { GetStdHandle(STANDARD_ERROR) }));
    // SAFETY: the spans are readable by the caller's promise.
    let _ = unsafe { stream.write(spans, 0, None) };
}

/// Returns a file that stays open: one that the program has open under a descriptor of the C library, or that with this [`Fd::number`].
pub fn borrowed(fd: c_int) -> ManuallyDrop<Fd> {
    // SAFETY: a descriptor that is not open is an error.
    ManuallyDrop::new(Fd(if fd < 0 { !fd as Handle } else { unsafe { _get_osfhandle(fd) } }))
}
