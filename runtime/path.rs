//! Text in a fixed buffer: always terminated by NUL, never longer than the buffer. Paths above all.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_char};
use core::marker::PhantomData;

use crate::copy::copy;
use crate::error::{Error, Result};

/// Bytes of the longest path, its NUL included (`PATH_MAX` on Linux).
pub const CAPACITY: usize = 4096;

/// A path for system calls: the address of a C string, whose length is not measured.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a>(*const c_char, PhantomData<&'a CStr>);

impl Path<'_> {
    /// Returns the address of the C string, which is valid as long as its source.
    pub fn as_ptr(self) -> *const c_char {
        self.0
    }
}

impl<'a> From<&'a CStr> for Path<'a> {
    #[inline]
    fn from(path: &'a CStr) -> Path<'a> {
        Path(path.as_ptr(), PhantomData)
    }
}

/// A text of at most `N - 1` bytes, with a NUL. The length comes first, mostly on the page of the bytes that are used.
#[repr(C)]
pub struct Text<const N: usize> {
    len: usize,
    bytes: [u8; N],
}

/// A path of at most [`CAPACITY`] bytes.
pub type PathBuf = Text<CAPACITY>;

impl<const N: usize> Text<N> {
    /// Creates an empty text.
    pub const fn new() -> Text<N> {
        Text { len: 0, bytes: [0; N] }
    }

    /// Removes all bytes.
    pub fn clear(&mut self) {
        self.len = 0;
        if let Some(end) = self.bytes.first_mut() {
            *end = 0;
        }
    }

    /// Appends bytes. Error: [`Error::NAME_TOO_LONG`]; the text is unchanged then.
    pub fn push(&mut self, bytes: &[u8]) -> Result {
        push(&mut self.bytes, &mut self.len, bytes)
    }

    /// Inserts bytes at `at`, or at the end when that is nearer. Error: [`Error::NAME_TOO_LONG`]; unchanged then.
    pub fn insert(&mut self, at: usize, bytes: &[u8]) -> Result {
        insert(&mut self.bytes, &mut self.len, at, bytes)
    }

    /// Inserts a number in base 10 at `at`.
    pub fn insert_number(&mut self, at: usize, number: u64) -> Result {
        insert_number(&mut self.bytes, &mut self.len, at, number)
    }

    /// Appends a number in base 10.
    pub fn push_number(&mut self, number: u64) -> Result {
        self.insert_number(self.len, number)
    }

    /// Replaces the text.
    pub fn set(&mut self, bytes: &[u8]) -> Result {
        self.clear();
        self.push(bytes)
    }

    /// Returns the bytes, without the NUL.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&[])
    }

    /// Returns the text as a path, which ends at the first NUL in the text.
    #[inline]
    pub fn as_path(&self) -> Path<'_> {
        // `push` and `clear` keep a NUL at `len`, which is below `N`.
        Path(self.bytes.as_ptr().cast(), PhantomData)
    }

    /// Returns the end of the path from the byte `at` on, to be looked up in the directory of the bytes before.
    #[inline]
    pub fn path_from(&self, at: usize) -> Path<'_> {
        // At most `len`, where a NUL stands.
        Path(self.bytes.as_ptr().wrapping_add(at.min(self.len)).cast(), PhantomData)
    }

    /// Returns the text as a C string, which ends at the first NUL in the text.
    #[inline]
    pub fn as_c_str(&self) -> &CStr {
        // SAFETY: `push` and `clear` keep a NUL at `len`, which is below `N`.
        unsafe { c_str(self.bytes.as_ptr().cast()) }
    }
}

// The functions below serve texts of all sizes, so that each is compiled once.

/// Appends bytes to a text.
fn push(text: &mut [u8], len: &mut usize, bytes: &[u8]) -> Result {
    let room = text.get_mut(*len..).unwrap_or_default();
    *room.get_mut(bytes.len()).ok_or(Error::NAME_TOO_LONG)? = 0;
    put(room, bytes);
    *len = len.wrapping_add(bytes.len());
    Ok(())
}

/// Copies as many bytes as fit to the start of `room`.
fn put(room: &mut [u8], bytes: &[u8]) {
    let len = room.len().min(bytes.len());
    // SAFETY: both are that long, and nobody else has the room.
    unsafe { copy(room.as_mut_ptr(), bytes.as_ptr(), len) };
}

/// Inserts bytes into a text.
fn insert(text: &mut [u8], len: &mut usize, at: usize, bytes: &[u8]) -> Result {
    let end = *len;
    let at = at.min(end);
    push(text, len, bytes)?;
    // From the end, for the two places overlap. (`rotate_right` and `copy_within` are not free of panics.)
    for from in (at..end).rev() {
        let byte = text.get(from).copied().unwrap_or(0);
        if let Some(to) = text.get_mut(from.wrapping_add(bytes.len())) {
            *to = byte;
        }
    }
    put(text.get_mut(at..).unwrap_or_default(), bytes);
    Ok(())
}

/// Inserts a decimal number into a text.
fn insert_number(text: &mut [u8], len: &mut usize, at: usize, number: u64) -> Result {
    let mut digits = [0u8; 20];
    let mut rest = number;
    let mut first = digits.len();
    for digit in digits.iter_mut().rev() {
        *digit = b'0'.wrapping_add((rest % 10) as u8);
        first = first.wrapping_sub(1);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    insert(text, len, at, digits.get(first..).unwrap_or(&[]))
}

/// Returns the 16 digits of a number in base 16.
#[inline(never)]
pub fn hex(number: u64) -> [u8; 16] {
    let mut digits = [0; 16];
    let mut rest = number;
    for digit in digits.iter_mut().rev() {
        let value = (rest & 15) as u8;
        *digit = value.wrapping_add(if value < 10 { b'0' } else { b'a' - 10 });
        rest >>= 4;
    }
    digits
}

/// Returns the C string at an address, without `strlen`, which the loader would have to look up at the program's start.
///
/// # Safety
/// `start` must point to a C string that does not change.
pub unsafe fn c_str<'a>(start: *const c_char) -> &'a CStr {
    let mut len: usize = 0;
    // SAFETY: a C string by the caller's contract, not read behind its NUL. Volatile, or the compiler makes a call of it.
    while unsafe { start.wrapping_add(len).read_volatile() } != 0 {
        len = len.wrapping_add(1);
    }
    // SAFETY: as many bytes and the NUL behind them, which is the first.
    unsafe { CStr::from_bytes_with_nul_unchecked(core::slice::from_raw_parts(start.cast::<u8>(), len.wrapping_add(1))) }
}

/// Returns whether a byte separates names in a path.
#[inline(always)]
pub fn is_slash(byte: u8) -> bool {
    byte == b'/' || cfg!(drive_letters) && byte == b'\\'
}

/// Returns the bytes of `path` up to its last `/`, which is included; none when the path has no `/`. A drive is a directory, too.
pub fn directory(path: &[u8]) -> &[u8] {
    let ends = |byte: &u8| is_slash(*byte) || cfg!(drive_letters) && *byte == b':';
    let end = path.iter().rposition(ends).map_or(0, |at| at.wrapping_add(1));
    path.get(..end).unwrap_or(&[])
}

/// Removes the bytes up to the first `end` from `text`, and returns those before it; all bytes where there is no `end`.
pub fn until<'a>(text: &mut &'a [u8], end: u8) -> &'a [u8] {
    let all = *text;
    let len = all.iter().position(|byte| *byte == end).unwrap_or(all.len());
    *text = all.get(len.wrapping_add(1)..).unwrap_or_default();
    all.get(..len).unwrap_or_default()
}

/// Returns a word of at most eight bytes, none of them 0, as a number, which is that of no other word.
pub const fn packed(word: &[u8]) -> u64 {
    let (mut number, mut rest) = (0, word);
    while let Some((byte, after)) = rest.split_first() {
        number = number << 8 | *byte as u64;
        rest = after;
    }
    number
}

/// Parses a decimal number, and saturates a number that is too large.
pub fn decimal(digits: &[u8]) -> Option<u32> {
    let add = |sum: u32, digit: &u8| Some(sum.saturating_mul(10).saturating_add((*digit as char).to_digit(10)?));
    digits.first()?;
    digits.iter().try_fold(0, add)
}

/// Parses the number that a text begins with, as `atoi`; 0 where it begins with none.
pub fn leading_decimal(text: &[u8]) -> u32 {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.get(..digits).and_then(decimal).unwrap_or(0)
}

/// Returns `path` without its first `count` directories, but with the `/` that ends the last of them.
pub fn without_directories(path: &[u8], count: u32) -> &[u8] {
    let mut rest = path;
    for _ in 0..count {
        let tail = rest.get(1..).unwrap_or(&[]);
        let Some(next) = tail.iter().position(|byte| *byte == b'/') else { break };
        rest = tail.get(next..).unwrap_or(&[]);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;

    #[test]
    fn bounded_and_terminated() {
        let mut path = PathBuf::new();
        path.push(b"a/b").unwrap();
        path.push_number(0).unwrap();
        path.push_number(u64::MAX).unwrap();
        assert_eq!(path.as_c_str(), c"a/b018446744073709551615");
        path.set(b"a/b").unwrap();
        assert_eq!(path.as_c_str(), c"a/b");
        path.insert(2, b"xy.").unwrap();
        assert_eq!(path.as_c_str(), c"a/xy.b");
        path.set(b"a/b").unwrap();
        assert_eq!(path.push(&[b'x'; CAPACITY - 3]), Err(Error::NAME_TOO_LONG));
        assert_eq!(path.as_c_str(), c"a/b");
        path.push(&[b'x'; CAPACITY - 4]).unwrap();
        assert_eq!(path.as_c_str().to_bytes().len(), CAPACITY - 1);
    }

    #[test]
    fn hexadecimal() {
        for number in [0, 0xbeef, 0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, u64::MAX, 0x9a9a_a9a9_9a9a_a9a9] {
            assert_eq!(hex(number), *format!("{number:016x}").as_bytes());
        }
    }

    #[test]
    fn decimals() {
        assert_eq!((decimal(b"16"), decimal(b"0"), decimal(b"4294967295")), (Some(16), Some(0), Some(u32::MAX)));
        assert_eq!((decimal(b"4294967296"), decimal(b"99999999999")), (Some(u32::MAX), Some(u32::MAX)));
        assert_eq!((decimal(b""), decimal(b"-1"), decimal(b"1x")), (None, None, None));
        assert_eq!([b"2x", b"21", b"-1", b"x1"].map(|text| leading_decimal(text)), [2, 21, 0, 0]);
    }

    #[test]
    fn directories() {
        assert_eq!(directory(b"a/b/c"), b"a/b/");
        assert_eq!(directory(b"/c"), b"/");
        assert_eq!(directory(b"c"), b"");
    }

    #[test]
    fn directories_are_left_out() {
        assert_eq!(without_directories(b"/a/b/c", 0), b"/a/b/c");
        assert_eq!(without_directories(b"/a/b/c", 1), b"/b/c");
        assert_eq!(without_directories(b"/a/b/c", 9), b"/c");
        assert_eq!(without_directories(b"a/b", 1), b"/b");
        assert_eq!(without_directories(b"c", 1), b"c");
    }
}
