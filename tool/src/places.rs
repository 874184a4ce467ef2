//! Where functions are in the sources, by the debug info (DWARF) of programs.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use gimli::{AttributeValue, DebuggingInformationEntry, DwAt, Dwarf, EndianSlice, RunTimeEndian};
use object::{File, Object, ObjectSection};

use crate::report::names::split;
use crate::text::{display, printable_bytes};

type Slice<'a> = EndianSlice<'a, RunTimeEndian>;
type Unit<'u, 'a> = gimli::UnitRef<'u, Slice<'a>>;
type Entry<'e, 'a> = DebuggingInformationEntry<'e, 'e, Slice<'a>>;

/// A line of a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    pub(crate) path: String,
    pub(crate) number: u64,
}

/// A function, and the line that is run in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Frame {
    pub(crate) symbol: Vec<u8>,
    pub(crate) line: Line,
}

/// Functions of programs by their symbols.
#[derive(Default)]
pub(crate) struct Places(HashMap<Vec<u8>, Vec<Function>>);

struct Function {
    /// The source that was compiled: local functions of one name are told apart by it.
    unit: Vec<u8>,
    line: Line,
    /// The functions that it was inlined into, the innermost first, with the lines of the calls. Empty if it has code of its own, or was
    /// inlined at several places.
    callers: Vec<Frame>,
}

impl Places {
    /// Adds the functions of a program. Errors: it has no debug info that can be read.
    pub(crate) fn add(&mut self, path: &Path, bytes: &[u8]) -> Result<()> {
        let file = File::parse(bytes)
            .with_context(|| format!("{} is no object file whose debug info can be read", display(path)))?;
        let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let load = |id: gimli::SectionId| -> object::Result<Cow<'_, [u8]>> {
            file.section_by_name(id.name()).map_or(Ok(Cow::default()), |section| section.uncompressed_data())
        };
        let sections = gimli::DwarfSections::load(load)
            .with_context(|| format!("{} has debug info that cannot be read", display(path)))?;
        let dwarf = sections.borrow(|section| EndianSlice::new(section, endian));
        let mut reader = Reader::default();
        reader
            .units(&dwarf)
            .with_context(|| format!("{} has debug info that is damaged, or of an unknown form", display(path)))?;
        ensure!(!reader.entries.is_empty(), "{} has no debug info: compile with -g", display(path));
        reader.finish(self);
        Ok(())
    }

    /// Returns the place of the function with this name in a profile, and the functions that it was inlined into, if that is at one place only.
    pub(crate) fn find(&self, name: &[u8]) -> Option<(&Line, &[Frame])> {
        let (file, symbol) = split(name);
        let all = self.0.get(symbol)?;
        let is_of_unit = |function: &&Function| file.split_last().map_or(&[][..], |(_, file)| file) == function.unit;
        if let Some(Function { line, callers, .. }) = all.iter().find(is_of_unit) {
            return Some((line, callers));
        }
        let Function { line, callers, .. } = all.first()?;
        Some((line, if all.len() == 1 { callers } else { &[] }))
    }
}

/// What an entry says of a function. Entries refer to others for what those say already.
#[derive(Default)]
struct Described<'a> {
    unit: &'a [u8],
    /// As linkers know it.
    symbol: Option<&'a [u8]>,
    name: Option<&'a [u8]>,
    line: Option<(Vec<u8>, u64)>,
    /// The entry that has the rest.
    origin: Option<usize>,
    has_code: bool,
}

/// A call that was replaced by the code of the function.
struct Inlined {
    function: usize,
    into: Owner,
    line: (Vec<u8>, u64),
}

#[derive(Clone, Copy)]
enum Owner {
    /// The function of an entry.
    Function(usize),
    /// What was inlined, by its number.
    Inlined(usize),
}

#[derive(Default)]
struct Reader<'a> {
    /// Entries of functions by their offsets.
    entries: BTreeMap<usize, Described<'a>>,
    inlined: Vec<Inlined>,
}

impl<'a> Reader<'a> {
    fn units(&mut self, dwarf: &Dwarf<Slice<'a>>) -> Result<(), gimli::Error> {
        let mut headers = dwarf.units();
        while let Some(header) = headers.next()? {
            self.unit(dwarf.unit(header)?.unit_ref(dwarf))?;
        }
        Ok(())
    }

    fn unit(&mut self, unit: Unit<'_, 'a>) -> Result<(), gimli::Error> {
        // Of each depth what the entries below are in.
        let mut owners: Vec<Option<Owner>> = Vec::new();
        let (mut entries, mut depth) = (unit.entries(), 0isize);
        while let Some((step, entry)) = entries.next_dfs()? {
            depth = depth.saturating_add(step);
            owners.truncate(usize::try_from(depth).unwrap_or(0));
            let owner = owners.last().copied().flatten();
            owners.resize(usize::try_from(depth).unwrap_or(0), owner);
            owners.push(match (entry.tag(), owner) {
                (gimli::DW_TAG_subprogram, _) => self.function(unit, entry)?,
                (gimli::DW_TAG_inlined_subroutine, Some(into)) => self.inlined(unit, entry, into)?,
                _ => owner,
            });
        }
        Ok(())
    }

    fn function(&mut self, unit: Unit<'_, 'a>, entry: &Entry<'_, 'a>) -> Result<Option<Owner>, gimli::Error> {
        let text = |attribute: DwAt| -> Result<Option<&'a [u8]>, gimli::Error> {
            let value = entry.attr_value(attribute)?;
            Ok(value.and_then(|value| unit.attr_string(value).ok()).map(|text| text.slice()))
        };
        let described = Described {
            unit: unit.name.map_or(&[], |name| name.slice()),
            symbol: text(gimli::DW_AT_linkage_name)?,
            name: text(gimli::DW_AT_name)?,
            line: line(unit, entry, gimli::DW_AT_decl_file, gimli::DW_AT_decl_line)?,
            origin: match origin(unit, entry, gimli::DW_AT_abstract_origin)? {
                Some(origin) => Some(origin),
                None => origin(unit, entry, gimli::DW_AT_specification)?,
            },
            has_code: entry.attr(gimli::DW_AT_low_pc)?.is_some() || entry.attr(gimli::DW_AT_ranges)?.is_some(),
        };
        let offset = entry.offset().to_debug_info_offset(&unit.header).map(|offset| offset.0);
        Ok(offset.map(|offset| {
            self.entries.insert(offset, described);
            Owner::Function(offset)
        }))
    }

    fn inlined(
        &mut self,
        unit: Unit<'_, 'a>,
        entry: &Entry<'_, 'a>,
        into: Owner,
    ) -> Result<Option<Owner>, gimli::Error> {
        let function = origin(unit, entry, gimli::DW_AT_abstract_origin)?;
        let line = line(unit, entry, gimli::DW_AT_call_file, gimli::DW_AT_call_line)?;
        let (Some(function), Some(line)) = (function, line) else { return Ok(Some(into)) };
        self.inlined.push(Inlined { function, into, line });
        Ok(Some(Owner::Inlined(self.inlined.len() - 1)))
    }

    /// Returns an entry, and those that it refers to.
    fn chain(&self, offset: usize) -> impl Iterator<Item = &Described<'a>> {
        let next = |described: &&Described<'a>| self.entries.get(&described.origin?);
        // A damaged file may have a circle.
        std::iter::successors(self.entries.get(&offset), next).take(8)
    }

    /// Returns the symbol of a function; of one that has only its name, that.
    fn symbol(&self, offset: usize) -> Option<&'a [u8]> {
        let symbol = self.chain(offset).find_map(|described| described.symbol);
        symbol.or_else(|| self.chain(offset).find_map(|described| described.name))
    }

    /// Adds the functions that have code somewhere.
    fn finish(&self, places: &mut Places) {
        #[derive(Default)]
        struct Found {
            /// The first entry.
            entry: usize,
            has_code: bool,
            calls: Vec<usize>,
        }
        let mut all: BTreeMap<(&[u8], &[u8]), Found> = BTreeMap::new();
        let with_code = self.entries.iter().filter(|(_, described)| described.has_code);
        let calls = (0..).zip(&self.inlined).map(|(number, call)| (call.function, Some(number)));
        for (entry, call) in with_code.map(|(entry, _)| (*entry, None)).chain(calls) {
            let unit = self.entries.get(&entry).map_or(&[][..], |described| described.unit);
            let Some(symbol) = self.symbol(entry) else { continue };
            let found = all.entry((symbol, unit)).or_insert_with(|| Found { entry, ..Found::default() });
            found.has_code |= call.is_none();
            found.calls.extend(call);
        }
        for ((symbol, unit), Found { entry, has_code, calls }) in all {
            let Some(place) = self.chain(entry).find_map(|described| described.line.as_ref()) else { continue };
            let callers = match &calls[..] {
                [only] if !has_code => self.callers(*only),
                _ => Vec::new(),
            };
            let function = Function { unit: unit.to_vec(), line: Line::of(place), callers };
            places.0.entry(symbol.to_vec()).or_default().push(function);
        }
    }

    /// Returns the functions that one is in, which was inlined with this number.
    fn callers(&self, mut number: usize) -> Vec<Frame> {
        let mut frames = Vec::new();
        while let Some(call) = self.inlined.get(number) {
            let into = match call.into {
                Owner::Function(entry) => Some(entry),
                Owner::Inlined(outer) => self.inlined.get(outer).map(|outer| outer.function),
            };
            let symbol = into.and_then(|entry| self.symbol(entry)).unwrap_or(b"").to_vec();
            frames.push(Frame { symbol, line: Line::of(&call.line) });
            let Owner::Inlined(outer) = call.into else { break };
            number = outer;
        }
        frames
    }
}

impl Line {
    fn of((path, number): &(Vec<u8>, u64)) -> Line {
        Line { path: printable_bytes(path), number: *number }
    }
}

/// Returns the place of the entry that an attribute refers to, in all debug info.
fn origin<'a>(unit: Unit<'_, 'a>, entry: &Entry<'_, 'a>, attribute: DwAt) -> Result<Option<usize>, gimli::Error> {
    Ok(match entry.attr_value(attribute)? {
        Some(AttributeValue::UnitRef(offset)) => offset.to_debug_info_offset(&unit.header).map(|offset| offset.0),
        Some(AttributeValue::DebugInfoRef(offset)) => Some(offset.0),
        _ => None,
    })
}

/// Returns the path and the number of a line that two attributes have.
fn line<'a>(
    unit: Unit<'_, 'a>,
    entry: &Entry<'_, 'a>,
    file: DwAt,
    number: DwAt,
) -> Result<Option<(Vec<u8>, u64)>, gimli::Error> {
    let value = |attribute: DwAt| -> Result<Option<u64>, gimli::Error> {
        Ok(entry.attr(attribute)?.and_then(|attribute| attribute.udata_value()))
    };
    let Some(program) = &unit.line_program else { return Ok(None) };
    let (Some(AttributeValue::FileIndex(index)), Some(number)) = (entry.attr_value(file)?, value(number)?) else {
        return Ok(None);
    };
    let Some(file) = program.header().file(index) else { return Ok(None) };
    let mut path = unit.comp_dir.map_or_else(Vec::new, |directory| directory.slice().to_vec());
    if let Some(directory) = file.directory(program.header()) {
        push(&mut path, unit.attr_string(directory)?.slice());
    }
    push(&mut path, unit.attr_string(file.path_name())?.slice());
    Ok(Some((path, number)))
}

/// Puts a path behind another one; one from the root replaces it.
fn push(path: &mut Vec<u8>, more: &[u8]) {
    if more.first() == Some(&b'/') {
        path.clear();
    } else if !path.is_empty() && path.last() != Some(&b'/') {
        path.push(b'/');
    }
    path.extend(more);
}
