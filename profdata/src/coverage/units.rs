//! The records of the two sections: a file list for each translation unit, and a mapping for each function.

use object::{Endian as _, Endianness};

use super::malformed;
use crate::error::{Error, ErrorKind};

/// The first version (of the field) that has a record per function in a section of its own: format 4.
const FIRST: u32 = 3;
/// The last version that is known: format 7.
const LAST: u32 = 6;
/// The first version whose file lists start with the compilation directory: format 6.
const FIRST_WITH_DIRECTORY: u32 = 5;

/// The part of a translation unit that functions refer to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Unit<'a> {
    /// Its file list, as it is stored.
    pub(super) list: &'a [u8],
    /// The list starts with the compilation directory.
    pub(super) has_directory: bool,
}

/// Takes the next unit from a section of which `rest` is left; `None` at its end.
///
/// Errors: the unit is cut; its version is unknown. The one after it cannot be found if `rest` is empty then.
pub(super) fn take_unit<'a>(
    section: &'a [u8],
    rest: &mut &'a [u8],
    order: Endianness,
) -> Option<Result<Unit<'a>, Error>> {
    if rest.is_empty() {
        return None;
    }
    let start = section.len().saturating_sub(rest.len());
    let Some((list, version)) = take_header(rest, order) else {
        *rest = &[];
        return Some(Err(malformed("__llvm_covmap").at(start as u64).found("a cut unit")));
    };
    align(section, rest);
    if !(FIRST..=LAST).contains(&version) {
        if version < FIRST {
            *rest = &[];
        }
        let number = u64::from(version).saturating_add(1);
        let error = Error::new(ErrorKind::UnsupportedVersion, "coverage mapping version").at(start as u64);
        return Some(Err(error.expected("format 4 to 7 (LLVM 11 to 23)").found(format_args!("format {number}"))));
    }
    Some(Ok(Unit { list, has_directory: version >= FIRST_WITH_DIRECTORY }))
}

fn take_header<'a>(rest: &mut &'a [u8], order: Endianness) -> Option<(&'a [u8], u32)> {
    // The sizes of records and mappings, which are 0 since format 4.
    let [_, size, _, version] =
        [take_u32(rest, order)?, take_u32(rest, order)?, take_u32(rest, order)?, take_u32(rest, order)?];
    let (list, after) = rest.split_at_checked(usize::try_from(size).ok()?)?;
    *rest = after;
    Some((list, version))
}

/// A function as its section has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stored<'a> {
    pub(super) name_hash: u64,
    pub(super) hash: u64,
    /// The hash of the bytes of its unit's file list.
    pub(super) list: u64,
    pub(super) mapping: &'a [u8],
}

/// Takes the next function from a section of which `rest` is left; `None` at its end. Errors: the function is cut, and `rest` empty.
pub(super) fn take_function<'a>(
    section: &'a [u8],
    rest: &mut &'a [u8],
    order: Endianness,
) -> Option<Result<Stored<'a>, Error>> {
    if rest.is_empty() {
        return None;
    }
    let start = section.len().saturating_sub(rest.len());
    let stored = take_stored(rest, order);
    if stored.is_some() {
        align(section, rest);
    } else {
        *rest = &[];
    }
    Some(stored.ok_or_else(|| malformed("__llvm_covfun").at(start as u64).found("a cut record")))
}

fn take_stored<'a>(rest: &mut &'a [u8], order: Endianness) -> Option<Stored<'a>> {
    let name_hash = take_u64(rest, order)?;
    let size = take_u32(rest, order)?;
    let [hash, list] = [take_u64(rest, order)?, take_u64(rest, order)?];
    let (mapping, after) = rest.split_at_checked(usize::try_from(size).ok()?)?;
    *rest = after;
    Some(Stored { name_hash, hash, list, mapping })
}

/// Takes a number of 4 bytes from the front.
fn take_u32(bytes: &mut &[u8], order: Endianness) -> Option<u32> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(order.read_u32(*number))
}

/// Takes a number of 8 bytes from the front.
fn take_u64(bytes: &mut &[u8], order: Endianness) -> Option<u64> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(order.read_u64(*number))
}

/// Skips the bytes up to the next multiple of 8, counted from the start of the section.
fn align<'a>(section: &'a [u8], rest: &mut &'a [u8]) {
    let at = section.len().saturating_sub(rest.len()).checked_next_multiple_of(8).unwrap_or(usize::MAX);
    *rest = section.get(at..).unwrap_or(&[]);
}
