//! Names of files: UTF-8 in the runtime, UTF-16 in the system.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_int, c_void};

use super::handle::Handle;
use crate::error::{Error, Result};
use crate::path::{CAPACITY, Path, c_str};

/// The longest name in UTF-16, its NUL included.
pub const LONGEST: usize = 2048;
/// The longest name in UTF-8, its NUL included.
pub const LONGEST_UTF8: usize = CAPACITY;

const UTF_8: u32 = 65001;
/// The program's code page.
const ANSI: u32 = 0;

#[link(name = "ntdll")]
unsafe extern "system" {
    fn RtlIsDosDeviceName_U(name: *const u16) -> u32;
}

unsafe extern "system" {
    fn GetFullPathNameW(name: *const u16, len: u32, full: *mut u16, part: *mut c_void) -> u32;
    fn MultiByteToWideChar(page: u32, flags: u32, text: *const u8, len: c_int, wide: *mut u16, room: c_int) -> c_int;
    fn WideCharToMultiByte(
        page: u32,
        flags: u32,
        wide: *const u16,
        len: c_int,
        text: *mut u8,
        room: c_int,
        default: *const c_char,
        used: *mut c_int,
    ) -> c_int;
}

/// Text as the kernel takes it.
#[derive(Debug)]
#[repr(C)]
pub struct UnicodeString {
    /// Bytes.
    pub len: u16,
    capacity: u16,
    /// The first character.
    pub text: *const u16,
}

/// Converts to UTF-8. Returns `None` where there is no room.
pub fn to_utf8<'a>(wide: &[u16], text: &'a mut [u8; LONGEST_UTF8]) -> Option<&'a CStr> {
    let (none, room) = (core::ptr::null(), LONGEST_UTF8 as c_int - 1);
    // SAFETY: the slice's bounds, and room of that length.
    let len = unsafe {
        let to = text.as_mut_ptr();
        WideCharToMultiByte(UTF_8, 0, wide.as_ptr(), wide.len() as c_int, to, room, none, core::ptr::null_mut())
    };
    *text.get_mut(len as usize)? = 0;
    // SAFETY: a text that the NUL above ends.
    Some(unsafe { c_str(text.as_ptr().cast()) })
}

/// Converts a name with its NUL: from UTF-8, or, where it is none, from the program's code page.
fn to_wide(name: Path<'_>, wide: &mut [u16; LONGEST]) -> Result {
    const INVALID_IS_AN_ERROR: u32 = 8;
    // SAFETY: a path is a C string.
    let text = unsafe { c_str(name.as_ptr()) }.to_bytes_with_nul();
    for (page, flags) in [(UTF_8, INVALID_IS_AN_ERROR), (ANSI, 0)] {
        let (to, room) = (wide.as_mut_ptr(), LONGEST as c_int);
        // SAFETY: the slice's bounds, and room of that length.
        if unsafe { MultiByteToWideChar(page, flags, text.as_ptr(), text.len() as c_int, to, room) } > 0 {
            return Ok(());
        }
    }
    Err(Error::NAME_TOO_LONG)
}

/// Calls `with` for a name and the opened directory that it is in. Without one (0) the kernel gets a full name.
pub fn with<R>(name: Path<'_>, directory: Handle, with: impl FnOnce(&UnicodeString, Handle) -> Result<R>) -> Result<R> {
    let mut wide = [0; LONGEST];
    to_wide(name, &mut wide)?;
    // SAFETY: a text with a NUL. Names of devices (NUL) are those in every directory.
    if directory != 0 && unsafe { RtlIsDosDeviceName_U(wide.as_ptr()) } == 0 {
        return with(&string(&wide, 0, wide.iter().take_while(|unit| **unit != 0).count()), directory);
    }
    // The prefix comes before it, or in the place of its begin: \\.\NUL, \\server\share\name, C:\name.
    const START: usize = 8;
    let mut full = [0; START + LONGEST];
    let to = full.as_mut_ptr().wrapping_add(START);
    // SAFETY: a text with a NUL, and room of that length.
    let len = unsafe { GetFullPathNameW(wide.as_ptr(), LONGEST as u32, to, core::ptr::null_mut()) } as usize;
    if len == 0 || len >= LONGEST {
        return Err(if len == 0 { Error::ENOENT } else { Error::NAME_TOO_LONG });
    }
    const SLASH: u16 = b'\\' as u16;
    const DOT: u16 = b'.' as u16;
    const QUESTION_MARK: u16 = b'?' as u16;
    let (first, prefix): (usize, &[u8]) = match full.get(START..) {
        Some([SLASH, SLASH, DOT | QUESTION_MARK, SLASH, ..]) => (START, b"\\??\\"),
        Some([SLASH, SLASH, ..]) => (START - 6, b"\\??\\UNC"),
        _ => (START - 4, b"\\??\\"),
    };
    for (to, from) in full.iter_mut().skip(first).zip(prefix) {
        *to = u16::from(*from);
    }
    with(&string(&full, first, START.wrapping_add(len)), 0)
}

/// Returns the text between two places.
fn string(text: &[u16], from: usize, to: usize) -> UnicodeString {
    let bytes = to.wrapping_sub(from).wrapping_mul(2) as u16;
    UnicodeString { len: bytes, capacity: bytes, text: text.as_ptr().wrapping_add(from) }
}
