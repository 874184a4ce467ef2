//! WebAssembly: mappings are in custom sections, names in a segment of the data that is named in one more custom section.

use std::collections::BTreeSet;

use super::Sections;
use crate::leb128;

/// Numbers of sections and of parts of custom sections.
const CUSTOM: u8 = 0;
/// In a component: a module.
const MODULE: u8 = 1;
const DATA: u8 = 11;
/// In `name`, which modules have.
const SEGMENT_NAMES: u8 = 9;
/// In `linking`, which objects have.
const SEGMENTS: u8 = 5;

/// Returns the sections of a module, a component or an object; `None`: it is cut.
pub(super) fn sections(module: &[u8]) -> Option<Sections<'_>> {
    let mut found = Sections::default();
    let (mut data, mut named) = (&[][..], None);
    let mut rest = module.get(8..)?;
    while !rest.is_empty() {
        match numbered(&mut rest)? {
            // The first one is the program's; those behind adapt it.
            (MODULE, module) if module.starts_with(b"\0asm") => return sections(module),
            (DATA, section) => data = section,
            (CUSTOM, mut section) => match sized(&mut section)? {
                b"name" => named = part(section, SEGMENT_NAMES).or(named),
                // A version stands before its parts.
                b"linking" => named = section.get(1..).and_then(|parts| part(parts, SEGMENTS)).or(named),
                name => found.list(name).into_iter().for_each(|list| list.push(section)),
            },
            _ => {}
        }
    }
    let is_object = named.is_some_and(|(number, _)| number == SEGMENTS);
    let named = named.map(|(_, names)| of_names(names, is_object).unwrap_or_default());
    found.is_stripped = named.is_none() && !found.functions.is_empty();
    found.names = segments(data, &named.unwrap_or_default()).unwrap_or_default();
    Some(found)
}

/// Takes a number and what it is of from the front.
fn numbered<'a>(rest: &mut &'a [u8]) -> Option<(u8, &'a [u8])> {
    let (number, after) = rest.split_first()?;
    *rest = after;
    Some((*number, sized(rest)?))
}

/// Takes bytes behind their length from the front.
fn sized<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = usize::try_from(leb128::take(rest)?).ok()?;
    let (bytes, after) = rest.split_at_checked(len)?;
    *rest = after;
    Some(bytes)
}

/// Returns the part of a custom section with a number, and the number.
fn part(mut rest: &[u8], wanted: u8) -> Option<(u8, &[u8])> {
    std::iter::from_fn(|| numbered(&mut rest)).find(|(number, _)| *number == wanted)
}

/// Returns the numbers of the segments that have names of functions. An object names all, in order, with two numbers of each.
fn of_names(mut rest: &[u8], is_object: bool) -> Option<BTreeSet<u64>> {
    let mut found = BTreeSet::new();
    for at in 0..leb128::take(&mut rest)? {
        let number = if is_object { at } else { leb128::take(&mut rest)? };
        if sized(&mut rest)? == b"__llvm_prf_names" {
            found.insert(number);
        }
        if is_object {
            leb128::take(&mut rest).and_then(|_| leb128::take(&mut rest))?;
        }
    }
    Some(found)
}

/// Returns the bytes of segments of the data, up to the last that is wanted.
fn segments<'a>(mut rest: &'a [u8], wanted: &BTreeSet<u64>) -> Option<Vec<&'a [u8]>> {
    let (mut found, last) = (Vec::new(), wanted.last().copied().unwrap_or(0));
    for number in 0..leb128::take(&mut rest)?.min(last.saturating_add(1)) {
        let kind = leb128::take(&mut rest)?;
        if kind == 2 {
            // The memory.
            leb128::take(&mut rest)?;
        }
        if kind != 1 {
            skip_address(&mut rest)?;
        }
        let bytes = sized(&mut rest)?;
        if wanted.contains(&number) {
            found.push(bytes);
        }
    }
    Some(found)
}

/// Skips the instructions that compute where a segment is: constants, globals and sums.
fn skip_address(rest: &mut &[u8]) -> Option<()> {
    loop {
        let (instruction, after) = rest.split_first()?;
        *rest = after;
        match instruction {
            // `end`
            0x0b => return Some(()),
            // `global.get`, `i32.const`, `i64.const`
            0x23 | 0x41 | 0x42 => {
                let end = rest.iter().position(|byte| *byte < 0x80)?;
                *rest = rest.get(end.checked_add(1)?..)?;
            }
            _ => {}
        }
    }
}
