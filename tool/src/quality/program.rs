//! What a program says of itself: instrumented functions with their hashes, and all functions with their sizes.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use indexmap::IndexMap;
use object::{File, Object, ObjectSection, ObjectSymbol, SymbolKind};
use profdata::correlate::ObjectFiles;
use profdata::name::name_hash;
use profdata::read::names::NameTable;
use serde::Serialize;

use crate::inputs::display;
use crate::rebuild::elf::Elf;
use crate::report::{Page, exact};

/// An executable, a shared object, or the debug info of one.
pub(crate) struct Program {
    pub(crate) path: String,
    /// Instrumented functions; `None` for a program without records.
    pub(crate) records: Option<Vec<Record>>,
    /// PGO names of instrumented functions, by their hashes.
    pub(crate) names: HashMap<u64, Vec<u8>>,
    /// Functions that have code of their own.
    pub(crate) code: Vec<Code>,
    pub(crate) build_ids: Vec<Vec<u8>>,
    pub(crate) raw_version: Option<u64>,
    /// Raw version, and where the records are.
    pub(crate) kind: String,
    /// Why names of functions are missing.
    pub(crate) damage: Option<String>,
}

/// An instrumented function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Record {
    pub(crate) name: u64,
    pub(crate) hash: u64,
    pub(crate) counters: u32,
}

/// A function with its code.
#[derive(Default)]
pub(crate) struct Code {
    /// Symbols at its address.
    pub(crate) names: Vec<Vec<u8>>,
    pub(crate) size: u64,
}

/// A program, for the report.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Described {
    path: String,
    /// Raw version and place of the records; empty without records.
    records: String,
    instrumented_functions: Option<u64>,
    function_symbols: u64,
    code_bytes: u64,
    build_ids: Vec<String>,
}

impl Described {
    /// Writes a line about the program.
    pub(crate) fn show(&self, page: &mut Page) {
        let instrumented = match self.instrumented_functions {
            Some(number) => format!("{} instrumented functions ({})", exact(number), self.records),
            None => "not instrumented".into(),
        };
        page.title(&self.path, format_args!("{instrumented}; {} function symbols", exact(self.function_symbols)));
    }
}

impl Program {
    /// Reads an ELF file. Errors: it cannot be read, or is damaged.
    pub(crate) fn read(path: &Path) -> Result<Program> {
        let bytes =
            std::fs::read(path).with_context(|| format!("{} cannot be read; is the path right?", display(path)))?;
        Program::parse(path, bytes).with_context(|| format!("{} cannot be used", display(path)))
    }

    fn parse(path: &Path, bytes: Vec<u8>) -> Result<Program> {
        let elf = Elf::parse(path, &bytes)?;
        let file = File::parse(&*bytes).context("it is damaged; link it again, or copy it again")?;
        let section = |name| file.section_by_name(name).and_then(|section| section.data().ok()).unwrap_or(&[]);
        let mut program = Program {
            path: display(path),
            records: None,
            names: HashMap::new(),
            code: code(&file),
            build_ids: elf.build_ids.clone(),
            raw_version: None,
            kind: String::new(),
            damage: None,
        };
        let in_debug_info = elf.correlate() == Some("--debug-info");
        let (data, names, place) = match (elf.sections.data.bytes.is_empty(), section("__llvm_covdata")) {
            (true, [_, ..]) => {
                (section("__llvm_covdata"), section("__llvm_covnames"), ", for -profile-correlate=binary")
            }
            _ => (&*elf.sections.data.bytes, &*elf.sections.names.bytes, ""),
        };
        ensure!(
            elf.sections.data.size == 0 || !elf.sections.data.bytes.is_empty(),
            "its records (__llvm_prf_data) are not in the file: it is the debug info of a program; name the program itself"
        );
        if !data.is_empty() {
            let version = elf.version(None, &mut drop).map_err(|_| {
                anyhow!("it is stripped, and its records look like none that profrt knows; give the program as the linker wrote it")
            })?;
            let (number, records) = elf.records_of(data, version)?;
            program.kind = format!("raw version {number}{place}");
            program.raw_version = Some(number);
            let record = |[name, hash, counters]: [u64; 3]| Record { name, hash, counters: counters as u32 };
            program.records = Some(records.into_iter().map(record).collect());
            let (names, error) = NameTable::salvage(names);
            program.add_names(&names);
            program.damage = error.map(|error| error.to_string());
        } else if in_debug_info {
            let mut files = ObjectFiles::new();
            files.add(bytes.clone())?;
            program.kind = "for -profile-correlate=debug-info".into();
            let mut all = Vec::new();
            for found in files.debug_info()? {
                let own = found.records.iter();
                all.extend(own.map(|head| Record {
                    name: head.name_ref,
                    hash: head.hash,
                    counters: head.num_counters,
                }));
                program.add_names(&found.names);
            }
            program.records = Some(all);
        }
        if let Some(records) = &mut program.records {
            let mut seen = HashSet::new();
            records.retain(|record| seen.insert(*record));
        }
        Ok(program)
    }

    fn add_names(&mut self, names: &NameTable) {
        self.names.extend(names.iter().filter_map(|name| Some((name.hash, name.bytes?.to_vec()))));
    }

    /// Returns what the report says of the program.
    pub(crate) fn described(&self) -> Described {
        Described {
            path: self.path.clone(),
            records: self.kind.clone(),
            instrumented_functions: self.records.as_ref().map(|records| records.len() as u64),
            function_symbols: self.code.len() as u64,
            code_bytes: self.code.iter().map(|code| code.size).sum(),
            build_ids: self.build_ids.iter().map(|id| data_encoding::HEXLOWER.encode(id)).collect(),
        }
    }

    /// Returns the names that functions of the program have, by their hashes: those of records, and of symbols.
    pub(crate) fn all_names(&self) -> HashMap<u64, &[u8]> {
        let symbols = self.code.iter().flat_map(|code| &code.names).map(|name| (name_hash(name), name.as_slice()));
        symbols.chain(self.names.iter().map(|(hash, name)| (*hash, name.as_slice()))).collect()
    }
}

/// Returns the functions that symbols name. Several symbols of one address are one function.
fn code(file: &File<'_>) -> Vec<Code> {
    let is_function = |symbol: &object::Symbol<'_, '_>| {
        symbol.kind() == SymbolKind::Text && symbol.is_definition() && symbol.size() > 0
    };
    let mut symbols: Vec<_> = file.symbols().filter(is_function).collect();
    if symbols.is_empty() {
        symbols = file.dynamic_symbols().filter(is_function).collect();
    }
    let mut all: IndexMap<u64, Code> = IndexMap::new();
    for symbol in symbols {
        let Ok(name) = symbol.name_bytes() else { continue };
        let code = all.entry(symbol.address()).or_default();
        code.names.push(name.to_vec());
        code.size = code.size.max(symbol.size());
    }
    all.into_values().collect()
}

/// Returns the name of the function of which a symbol names a part or a copy: `f` for `f.cold` and `f.llvm.123`.
fn base(name: &[u8]) -> &[u8] {
    const ENDINGS: &str = "cold part isra constprop llvm resume destroy cleanup specialized warm split __uniq";
    let mut base = name;
    while let Some(dot) = base.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0) {
        let ending = base.get(dot + 1..).unwrap_or(&[]);
        let is_number = !ending.is_empty() && ending.iter().all(u8::is_ascii_digit);
        if !is_number && !ENDINGS.split(' ').any(|known| known.as_bytes() == ending) {
            break;
        }
        base = base.get(..dot).unwrap_or(base);
    }
    base
}

impl Code {
    /// Finds what is known of the function by its symbols: as they are, or without what compilers append to parts and copies.
    pub(crate) fn find<'m, T>(&self, by_symbol: &'m HashMap<&[u8], T>) -> impl Iterator<Item = &'m T> {
        self.names.iter().filter_map(move |name| by_symbol.get(name.as_slice()).or_else(|| by_symbol.get(base(name))))
    }
}

/// Returns the symbol of a PGO name: what stands after the file that local functions have before it.
pub(crate) fn symbol(name: &[u8]) -> &[u8] {
    let after = |separator: u8| name.iter().rposition(|byte| *byte == separator).and_then(|at| name.get(at + 1..));
    after(b';').or_else(|| after(b':')).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_copies_are_of_their_functions() {
        for (name, expected) in [
            ("main", "main"),
            ("f.cold", "f"),
            ("f.llvm.1234", "f"),
            ("f.constprop.0.cold.1", "f"),
            ("_ZN4core3fmt$u20$..x", "_ZN4core3fmt$u20$..x"),
            (".hidden", ".hidden"),
            ("", ""),
        ] {
            assert_eq!(base(name.as_bytes()), expected.as_bytes());
        }
        assert_eq!(symbol(b"dir/a.c;helper.llvm.7"), b"helper.llvm.7");
        assert_eq!(symbol(b"a.c:helper"), b"helper");
        assert_eq!(symbol(b"_ZN3foo3barEv"), b"_ZN3foo3barEv");
    }
}
