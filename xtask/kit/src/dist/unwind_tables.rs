//! Chooses the modules that are shipped with unwind tables: those whose functions can be on the stack when it is unwound.

use std::collections::BTreeMap;

use anyhow::{Context, Result};

use super::members::{Compiled, title};

/// The modules with unwind tables: hooks, which instrumented code calls wherever it is canceled; what
/// hands a profile to a function of the program, which may throw; and what calls the program's signal handlers, which may print a
/// backtrace. (Tables of all modules are 22 KB, a quarter of a small program.)
const UNWOUND: [&str; 17] = [
    "abi-buffer_io",
    "abi-instrument_",
    "abi-lprof",
    "abi-profrt_",
    "abi-reader",
    "abi-write",
    "capture",
    "compact",
    "dump",
    "generic-",
    "os-unix-chain",
    "os-unix-handler",
    "os-unix-kernel",
    "os-unix-memory",
    "raw",
    "sink",
    "value-",
];

/// Whether the functions of a module need unwind tables.
pub fn is_unwound(title: &str) -> bool {
    UNWOUND.iter().any(|module| title.starts_with(module))
}

/// Returns the members of `plain`, with those of `unwound` in the place of modules that need unwind tables.
///
/// Members of two compilations fit together: names have the same hashes in both, and what a name means, types and arguments, rustc
/// decides before it makes tables.
pub(super) fn choose(plain: Vec<Compiled>, unwound: Vec<Compiled>) -> Result<Vec<Compiled>> {
    let mut unwound: BTreeMap<_, _> = unwound.into_iter().map(|member| (key(&member), member)).collect();
    plain
        .into_iter()
        .map(|member| {
            let title = title(&member.defines);
            if !is_unwound(&title) {
                return Ok(member);
            }
            unwound.remove(&key(&member)).with_context(|| format!("{title} was not compiled with unwind tables"))
        })
        .collect()
}

/// Returns what identifies a member in both compilations: the names it defines.
fn key(member: &Compiled) -> Vec<String> {
    let mut names = member.defines.clone();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use object::write::{Object as Writer, Symbol, SymbolSection};
    use object::{Architecture, BinaryFormat, Endianness, SectionKind, SymbolFlags, SymbolKind, SymbolScope};

    use super::*;

    /// A member that defines one function of so many bytes.
    fn member(name: &str, size: u64) -> Compiled {
        let mut writer = Writer::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let text = writer.add_section(Vec::new(), b".text".to_vec(), SectionKind::Text);
        writer.append_section_data(text, &vec![0xc3; size as usize], 1);
        writer.add_symbol(Symbol {
            name: name.as_bytes().to_vec(),
            value: 0,
            size,
            kind: SymbolKind::Text,
            scope: SymbolScope::Linkage,
            weak: false,
            section: SymbolSection::Section(text),
            flags: SymbolFlags::None,
        });
        Compiled::of("profrt-1a2b.3c4d-cgu.0.rcgu.o", writer.write().unwrap()).unwrap()
    }

    const COLD: &str = "_ZN6profrt8filename6expand17h6b946dbfe6cae7e9E";
    const HOOK: &str = "_ZN6profrt5value4hook4bump17h6b946dbfe6cae7e9E";

    #[test]
    fn modules_that_are_unwound_have_their_tables() {
        let (plain, unwound) = ([(COLD, 30), (HOOK, 30)], [(HOOK, 50), (COLD, 50)]);
        let [plain, unwound] = [plain, unwound].map(|all| all.map(|(name, size)| member(name, size)).into());
        let sizes = [member(COLD, 30), member(HOOK, 50)].map(|member| member.bytes.len());
        let chosen = choose(plain, unwound).unwrap();
        assert_eq!(chosen.iter().map(|member| member.bytes.len()).collect::<Vec<_>>(), sizes);
    }

    #[test]
    fn a_module_without_its_tables_is_refused() {
        assert!(choose(vec![member(HOOK, 30)], vec![member(COLD, 30)]).is_err());
        assert!(choose(vec![member(COLD, 30)], vec![]).is_ok());
    }
}
