//! Text in a fixed buffer: always terminated by NUL, never longer than the buffer. Paths above all.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_char};

use crate::copy::copy;
use crate::error::{Error, Result};

/// Bytes of the longest path, its NUL included (`PATH_MAX` on Linux).
pub const CAPACITY: usize = 4096;

/// At most `N - 1` bytes and a NUL.
#[derive(Debug)]
pub struct Text<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

/// A path of at most [`CAPACITY`] bytes.
pub type PathBuf = Text<CAPACITY>;

impl<const N: usize> Text<N> {
    /// No bytes.
    pub const fn new() -> Text<N> {
        Text { bytes: [0; N], len: 0 }
    }

    /// Forgets all bytes.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Keeps the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
        if let Some(end) = self.bytes.get_mut(self.len) {
            *end = 0;
        }
    }

    /// Appends bytes. Error: [`Error::NameTooLong`]; the text is unchanged then.
    pub fn push(&mut self, bytes: &[u8]) -> Result {
        push(&mut self.bytes, &mut self.len, bytes)
    }

    /// Inserts bytes at `at`, or at the end when that is nearer. Error: [`Error::NameTooLong`]; unchanged then.
    pub fn insert(&mut self, at: usize, bytes: &[u8]) -> Result {
        insert(&mut self.bytes, &mut self.len, at, bytes)
    }

    /// Appends a number in base 10 or 16.
    pub fn push_number(&mut self, number: u64, base: u64) -> Result {
        push_number(&mut self.bytes, &mut self.len, number, base)
    }

    /// Replaces the text.
    pub fn set(&mut self, bytes: &[u8]) -> Result {
        self.clear();
        self.push(bytes)
    }

    /// The bytes, without the NUL.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&[])
    }

    /// The text for the system. Ends at the first NUL that was pushed, if one was.
    pub fn as_c_str(&self) -> &CStr {
        // SAFETY: `push` and `truncate` keep a NUL at `len`, which is below `N`.
        unsafe { c_str(self.bytes.as_ptr().cast()) }
    }
}

// The same for all sizes, so that there is one of each.

fn push(text: &mut [u8], len: &mut usize, bytes: &[u8]) -> Result {
    let end = len.saturating_add(bytes.len());
    if end >= text.len() {
        return Err(Error::NameTooLong);
    }
    let room = text.get_mut(*len..).unwrap_or_default();
    put(room, bytes);
    *len = end;
    if let Some(nul) = text.get_mut(end) {
        *nul = 0;
    }
    Ok(())
}

/// Copies bytes to the start of a place, as far as there is room.
fn put(room: &mut [u8], bytes: &[u8]) {
    let len = room.len().min(bytes.len());
    // SAFETY: both are that long, and nobody else has the room.
    unsafe { copy(room.as_mut_ptr(), bytes.as_ptr(), len) };
}

fn insert(text: &mut [u8], len: &mut usize, at: usize, bytes: &[u8]) -> Result {
    let at = at.min(*len);
    let tail = len.wrapping_sub(at);
    push(text, len, bytes)?;
    // From the end, for the two places overlap. (`rotate_right` and `copy_within` are not free of panics.)
    for step in 1..=tail {
        let from = at.wrapping_add(tail).wrapping_sub(step);
        let byte = text.get(from).copied().unwrap_or(0);
        if let Some(to) = text.get_mut(from.wrapping_add(bytes.len())) {
            *to = byte;
        }
    }
    put(text.get_mut(at..).unwrap_or_default(), bytes);
    Ok(())
}

fn push_number(text: &mut [u8], len: &mut usize, mut number: u64, base: u64) -> Result {
    let mut digits = [0u8; 20];
    let mut used: usize = 0;
    for slot in digits.iter_mut().rev() {
        // Division takes long where the CPU has none for this width, and for hashes there is no need of it.
        let digit = if base == 16 { number & 15 } else { number.checked_rem(base).unwrap_or(0) } as u8;
        *slot = if digit < 10 { b'0'.wrapping_add(digit) } else { b'a'.wrapping_add(digit.wrapping_sub(10)) };
        used = used.wrapping_add(1);
        number = if base == 16 { number >> 4 } else { number.checked_div(base).unwrap_or(0) };
        if number == 0 {
            break;
        }
    }
    push(text, len, digits.get(digits.len().wrapping_sub(used)..).unwrap_or(&[]))
}

/// The string at an address, without `strlen`: a program's start is no place to have one more function looked up.
///
/// # Safety
/// It must be a C string that stays as it is.
pub unsafe fn c_str<'a>(start: *const c_char) -> &'a CStr {
    let mut len: usize = 0;
    // SAFETY: a C string by the caller's contract, not read behind its NUL. Volatile, or the compiler makes a call of it.
    while unsafe { start.wrapping_add(len).read_volatile() } != 0 {
        len = len.wrapping_add(1);
    }
    // SAFETY: as many bytes and the NUL behind them, which is the first.
    unsafe { CStr::from_bytes_with_nul_unchecked(core::slice::from_raw_parts(start.cast::<u8>(), len.wrapping_add(1))) }
}

/// Bytes of `path` up to and with its last `/`; empty when it has none.
pub fn directory(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at.wrapping_add(1));
    path.get(..end).unwrap_or(&[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounded_and_terminated() {
        let mut path = PathBuf::new();
        path.push(b"a/b").unwrap();
        path.push_number(0, 10).unwrap();
        path.push_number(u64::MAX, 10).unwrap();
        path.push_number(0xbeef, 16).unwrap();
        assert_eq!(path.as_c_str(), c"a/b018446744073709551615beef");
        path.truncate(3);
        assert_eq!(path.as_c_str(), c"a/b");
        path.insert(2, b"xy.").unwrap();
        assert_eq!(path.as_c_str(), c"a/xy.b");
        path.set(b"a/b").unwrap();
        assert_eq!(path.push(&[b'x'; CAPACITY - 3]), Err(Error::NameTooLong));
        assert_eq!(path.as_c_str(), c"a/b");
        path.push(&[b'x'; CAPACITY - 4]).unwrap();
        assert_eq!(path.as_c_str().to_bytes().len(), CAPACITY - 1);
    }

    #[test]
    fn directories() {
        assert_eq!(directory(b"a/b/c"), b"a/b/");
        assert_eq!(directory(b"/c"), b"/");
        assert_eq!(directory(b"c"), b"");
    }
}
