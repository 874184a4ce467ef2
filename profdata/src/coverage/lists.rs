//! File lists: the paths of a translation unit.

use hashbrown::DefaultHashBuilder;
use indexmap::IndexMap;

use super::malformed;
use super::paths::Paths;
use super::rules::Rules;
use super::units::Unit;
use crate::error::{Error, ErrorKind};
use crate::leb128;
use crate::read::names::inflate;

/// The file lists of all units, each distinct one once.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists<'a> {
    pub(super) paths: Paths,
    /// The numbers of the paths of all lists.
    numbers: Vec<u32>,
    /// The units that have a list first, and where it ends in `numbers`.
    lists: IndexMap<Unit<'a>, usize, DefaultHashBuilder>,
}

impl<'a> Lists<'a> {
    /// Returns the numbers of the paths of a list, in its order.
    pub(super) fn get(&self, list: u32) -> &[u32] {
        let list = list as usize;
        let end = |list: usize| self.lists.get_index(list).map(|(_, end)| *end);
        let start = list.checked_sub(1).and_then(end).unwrap_or(0);
        end(list).and_then(|end| self.numbers.get(start..end)).unwrap_or(&[])
    }

    /// Returns the number of the list of a unit, which is read unless it is there. `budget` is the number of bytes that texts may take
    /// beyond what is stored: compression makes a thousand of one, and so does a long directory.
    ///
    /// Errors: the list is damaged, or takes more than the budget.
    pub(super) fn add(&mut self, unit: Unit<'a>, rules: Rules, budget: &mut usize) -> Result<u32, Error> {
        if let Some(list) = self.lists.get_index_of(&unit) {
            return Ok(list as u32);
        }
        let before = self.numbers.len();
        if let Err(error) = read(unit, rules, &mut self.paths, &mut self.numbers, budget) {
            self.numbers.truncate(before);
            return Err(error);
        }
        let list = u32::try_from(self.lists.len()).map_err(|_| too_large())?;
        self.lists.insert(unit, self.numbers.len());
        Ok(list)
    }
}

/// Appends the numbers of the paths of a unit's list. Those of Windows get `/`; `llvm-cov` knows them on Windows only.
fn read(
    unit: Unit<'_>,
    rules: Rules,
    paths: &mut Paths,
    numbers: &mut Vec<u32>,
    budget: &mut usize,
) -> Result<(), Error> {
    let damaged = || malformed("file list");
    let mut rest = unit.list;
    let mut next = || leb128::take(&mut rest).and_then(|number| usize::try_from(number).ok()).ok_or_else(damaged);
    let [count, len, compressed] = [next()?, next()?, next()?];
    let mut text = Vec::new();
    let mut names = if compressed == 0 {
        rest
    } else {
        spend(budget, len)?;
        let stream = rest.get(..compressed).ok_or_else(damaged)?;
        inflate(stream, len as u64, &mut text).map_err(|_| Error::new(ErrorKind::UncompressFailed, "file list"))?;
        &text
    };
    let mut directory = None;
    let mut path = Vec::new();
    for _ in 0..count {
        let len = leb128::take(&mut names).and_then(|len| usize::try_from(len).ok()).ok_or_else(damaged)?;
        let (name, after) = names.split_at_checked(len).ok_or_else(damaged)?;
        names = after;
        path.clear();
        let is_foreign = |path| rules == Rules::Own && is_of_windows(path);
        match directory {
            _ if is_foreign(name) => join(name, b"", true, &mut path),
            Some(directory) if !name.starts_with(b"/") => {
                spend(budget, <[u8]>::len(directory))?;
                join(directory, name, is_foreign(directory), &mut path);
            }
            _ => path.extend_from_slice(name),
        }
        if unit.has_directory {
            directory.get_or_insert(name);
        }
        numbers.push(paths.add(&path).ok_or_else(too_large)?);
    }
    Ok(())
}

fn spend(budget: &mut usize, bytes: usize) -> Result<(), Error> {
    *budget = budget.checked_sub(bytes).ok_or_else(too_large)?;
    Ok(())
}

fn too_large() -> Error {
    Error::new(ErrorKind::TooLarge, "file list")
}

/// Returns whether a path is an absolute one of Windows.
fn is_of_windows(path: &[u8]) -> bool {
    matches!(path, [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic()) || path.starts_with(b"\\\\")
}

/// Sets `path` to a name in a directory, without the parts `.` and `..` as far as they can be left out.
fn join(directory: &[u8], name: &[u8], is_windows: bool, path: &mut Vec<u8>) {
    let is_absolute = is_windows || directory.starts_with(b"/");
    let is_separator = |byte: &u8| *byte == b'/' || is_windows && *byte == b'\\';
    // `\\server` has two.
    let most = if is_windows { 2 } else { 1 };
    path.extend(directory.iter().take(most).take_while(|byte| is_separator(byte)).map(|_| b'/'));
    let root = path.len();
    // Where the last `..` that stays ends, or the drive: those after a name remove it.
    let mut kept = if is_windows && root == 0 { 2 } else { root };
    for part in directory.split(is_separator).chain(name.split(is_separator)) {
        match part {
            b"" | b"." => {}
            b".." if path.len() > kept => {
                let end =
                    memchr::memrchr(b'/', path.get(kept..).unwrap_or(&[])).map_or(kept, |at| kept.saturating_add(at));
                path.truncate(end);
            }
            b".." if is_absolute => {}
            _ => {
                if path.len() > root {
                    path.push(b'/');
                }
                path.extend_from_slice(part);
                if part == b".." {
                    kept = path.len();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_joined_to_the_directory() {
        let joined = |directory: &str, name: &str| {
            let mut path = Vec::new();
            join(directory.as_bytes(), name.as_bytes(), is_of_windows(directory.as_bytes()), &mut path);
            String::from_utf8(path).unwrap()
        };
        assert_eq!(joined("/home/me", "a.c"), "/home/me/a.c");
        assert_eq!(joined("/home/me/", "./x//../a.c"), "/home/me/a.c");
        assert_eq!(joined("/", "../../a.c"), "/a.c");
        assert_eq!(joined(".", "../inc/a.h"), "../inc/a.h");
        assert_eq!(joined("../x", "../inc/a.h"), "../inc/a.h");
        assert_eq!(joined("../x", "../../inc/../a.h"), "../../a.h");
        assert_eq!(joined("", "a.c"), "a.c");
        assert_eq!(joined("C:\\me", "src\\x\\..\\main.rs"), "C:/me/src/main.rs");
        assert_eq!(joined("c:/me", "..\\..\\..\\a\\b.c"), "c:/a/b.c");
        assert_eq!(joined("\\\\server\\me", "../a.c"), "//server/a.c");
        assert_eq!(joined("\\me", "a\\b.c"), "\\me/a\\b.c");
    }

    fn unit(list: &[u8]) -> Unit<'_> {
        Unit { list, has_directory: true }
    }

    #[test]
    fn a_list_is_read_once() {
        let list = *b"\x03\x0c\x00\x02/d\x03a.c\x04/b.h";
        let copy = list;
        let other = *b"\x03\x0c\x00\x02/d\x03a.c\x04/b.h\0";
        let mut lists = Lists::default();
        assert_eq!(lists.add(unit(&list), Rules::Own, &mut 100).unwrap(), 0);
        assert_eq!(lists.add(unit(&copy), Rules::Own, &mut 0).unwrap(), 0);
        assert_eq!(lists.add(unit(&other), Rules::Own, &mut 100).unwrap(), 1);
        assert_eq!((lists.get(0), lists.get(1), lists.get(2)), (&[0, 1, 2][..], &[0, 1, 2][..], &[][..]));
        assert_eq!([0, 1, 2].map(|number| lists.paths.get(number)), [&b"/d"[..], b"/d/a.c", b"/b.h"]);
        assert_eq!(lists.add(Unit { list: &list, has_directory: false }, Rules::Own, &mut 0).unwrap(), 2);
        assert_eq!(lists.paths.get(lists.get(2)[1]), b"a.c");
    }

    #[test]
    fn damaged_and_greedy_lists_are_refused() {
        let list = *b"\x03\x0c\x00\x02/d\x03a.c\x04/b.h";
        let promise = [1, 0xff, 0xff, 0xff, 0x7f, 2, 0, 0];
        let stream = [1, 9, 2, 0, 0];
        let mut lists = Lists::default();
        for cut in 0..list.len() {
            assert_eq!(lists.add(unit(&list[..cut]), Rules::Own, &mut 100).unwrap_err().kind(), ErrorKind::Malformed);
        }
        assert_eq!(lists.add(unit(&list), Rules::Own, &mut 1).unwrap_err().kind(), ErrorKind::TooLarge);
        assert_eq!(lists.add(unit(&promise), Rules::Own, &mut 100).unwrap_err().kind(), ErrorKind::TooLarge);
        assert_eq!(lists.add(unit(&stream), Rules::Own, &mut 100).unwrap_err().kind(), ErrorKind::UncompressFailed);
        assert_eq!(lists.get(0), []);
    }
}
