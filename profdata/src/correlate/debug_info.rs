//! Correlation with DWARF: the compiler describes the counters of each function as a variable with annotations.

use std::collections::HashSet;

use gimli::{
    Attribute, AttributeValue, DebuggingInformationEntry, DwTag, Dwarf, EndianSlice, Operation, RunTimeEndian,
};
use object::{File, Object, ObjectSection};

use super::Correlated;
use crate::error::{Error, ErrorKind};
use crate::name::name_hash;
use crate::read::names::{NameTable, write_blob};
use crate::read::raw::RecordHead;

type Slice<'a> = EndianSlice<'a, RunTimeEndian>;
type Unit<'u, 'a> = gimli::UnitRef<'u, Slice<'a>>;
type Entry<'e, 'a> = DebuggingInformationEntry<'e, 'e, Slice<'a>>;

/// `DW_TAG_LLVM_annotation`.
const ANNOTATION: DwTag = DwTag(0x6000);
/// How names of variables with counters begin.
const COUNTERS: &[u8] = b"__profc_";

/// What the annotations of a variable say.
#[derive(Default)]
struct Annotations<'a> {
    depth: isize,
    address: Option<u64>,
    /// Where the function begins.
    function: Option<u64>,
    name: Option<&'a [u8]>,
    hash: Option<u64>,
    counters: Option<u64>,
}

/// Returns records and names of a program that was compiled with `-profile-correlate=debug-info`.
pub(super) fn read(elf: &File<'_>) -> Result<Correlated, Error> {
    let start = counters_address(elf)?;
    let endian = if elf.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let load = |id: gimli::SectionId| {
        let data = elf.section_by_name(id.name()).map_or(Ok(&[][..]), |section| section.data());
        data.map(|data| EndianSlice::new(data, endian)).map_err(|error| unable(id.name()).found(error))
    };
    let dwarf = Dwarf::load(load)?;
    let mut functions = Functions { start, seen: HashSet::new(), records: Vec::new(), names: Vec::new() };
    functions.units(&dwarf).map_err(|error| unable(".debug_info").found(error))?;
    if functions.records.is_empty() {
        return Err(unable(".debug_info").expected("variables with annotations").found("none"));
    }
    let names = NameTable::read(&write_blob(functions.names, false))?;
    Ok(Correlated { records: functions.records, names })
}

struct Functions<'a> {
    /// Address of the section of counters.
    start: u64,
    /// Functions whose counters are known: inlined ones are described in several places.
    seen: HashSet<(u64, u64)>,
    records: Vec<RecordHead>,
    names: Vec<&'a [u8]>,
}

impl<'a> Functions<'a> {
    fn units(&mut self, dwarf: &Dwarf<Slice<'a>>) -> Result<(), gimli::Error> {
        let mut headers = dwarf.units();
        while let Some(header) = headers.next()? {
            self.unit(dwarf.unit(header)?.unit_ref(dwarf))?;
        }
        Ok(())
    }

    fn unit(&mut self, unit: Unit<'_, 'a>) -> Result<(), gimli::Error> {
        let mut entries = unit.entries();
        let mut depth: isize = 0;
        let mut open: Option<Annotations<'a>> = None;
        // Where the functions begin that the entry is in.
        let mut functions = Vec::new();
        while let Some((step, entry)) = entries.next_dfs()? {
            depth = depth.saturating_add(step);
            if open.as_ref().is_some_and(|variable| depth <= variable.depth) {
                self.close(open.take());
            }
            functions.truncate(usize::try_from(depth).unwrap_or(0));
            let function = functions.last().copied().flatten();
            functions.resize(usize::try_from(depth).unwrap_or(0), None);
            functions.push(begin(unit, entry)?);
            if entry.tag() == gimli::DW_TAG_variable {
                let name = string(unit, entry.attr(gimli::DW_AT_name)?);
                if name.is_some_and(|name| name.starts_with(COUNTERS)) {
                    self.close(open.take());
                    let address = address(unit, entry)?;
                    open = Some(Annotations { depth, address, function, ..Annotations::default() });
                }
            } else if entry.tag() == ANNOTATION
                && let Some(variable) = &mut open
            {
                let value = entry.attr(gimli::DW_AT_const_value)?;
                let number =
                    value.as_ref().and_then(|value| value.udata_value().or_else(|| Some(value.sdata_value()? as u64)));
                match string(unit, entry.attr(gimli::DW_AT_name)?) {
                    Some(b"Function Name") => variable.name = string(unit, value),
                    Some(b"CFG Hash") => variable.hash = number,
                    Some(b"Num Counters") => variable.counters = number,
                    _ => {}
                }
            }
        }
        self.close(open);
        Ok(())
    }

    /// Adds a function, if the variable has all that describes it.
    fn close(&mut self, variable: Option<Annotations<'a>>) {
        let Some(Annotations {
            address: Some(address),
            name: Some(name),
            hash: Some(hash),
            counters: Some(counters),
            function,
            ..
        }) = variable
        else {
            return;
        };
        let (Some(counters_at), Ok(num_counters)) = (address.checked_sub(self.start), u32::try_from(counters)) else {
            return;
        };
        let name_ref = name_hash(name);
        if !self.seen.insert((name_ref, counters_at)) {
            return;
        }
        let function_pointer = function.unwrap_or(0);
        self.records.push(RecordHead {
            name_ref,
            hash,
            counters_at,
            num_counters,
            function_pointer,
            ..RecordHead::default()
        });
        self.names.push(name);
    }
}

/// Returns the bytes of an attribute that is a string.
fn string<'a>(unit: Unit<'_, 'a>, attribute: Option<Attribute<Slice<'a>>>) -> Option<&'a [u8]> {
    match attribute?.value() {
        AttributeValue::Udata(_) | AttributeValue::Sdata(_) | AttributeValue::Data8(_) => None,
        value => unit.attr_string(value).ok().map(|string| string.slice()),
    }
}

/// Returns where the code of an entry begins.
fn begin<'a>(unit: Unit<'_, 'a>, entry: &Entry<'_, 'a>) -> Result<Option<u64>, gimli::Error> {
    entry.attr_value(gimli::DW_AT_low_pc)?.map_or(Ok(None), |value| unit.attr_address(value))
}

/// Returns the address of a variable whose location is one address.
fn address<'a>(unit: Unit<'_, 'a>, entry: &Entry<'_, 'a>) -> Result<Option<u64>, gimli::Error> {
    let location = entry.attr_value(gimli::DW_AT_location)?;
    let Some(AttributeValue::Exprloc(expression)) = location else { return Ok(None) };
    Ok(match expression.operations(unit.encoding()).next()? {
        Some(Operation::Address { address }) => Some(address),
        Some(Operation::AddressIndex { index }) => Some(unit.address(index)?),
        _ => None,
    })
}

/// Returns an error about a part of an object file.
pub(super) fn unable(part: &'static str) -> Error {
    Error::new(ErrorKind::UnableToCorrelate, part)
}

/// Returns the address of the counters.
pub(super) fn counters_address(elf: &File<'_>) -> Result<u64, Error> {
    elf.section_by_name("__llvm_prf_cnts").map(|section| section.address()).ok_or_else(|| unable("__llvm_prf_cnts"))
}
