//! Which of three compilations of a module is shipped: the one with unwind tables where something unwinds, else the smaller one, or the
//! faster one where that counts.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use object::{Object, ObjectSection, SectionKind};

use super::members::{Compiled, title};

/// Modules in which the time of a program goes, or that of its exit: hooks of values, and loops over counters and records. (A
/// merge of values takes a fifth of LLVM's instructions, at the other level a quarter; that is 1.5 KB.)
const FAST: [&str; 7] = ["merge-check", "merge-counters", "merge-rebase", "merge-write", "raw", "sink-", "value-"];

/// Modules whose functions can be on the stack when it is unwound: hooks, which instrumented code calls wherever it is canceled; what
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

/// Bytes of an entry in `.rela.dyn`.
const RELOCATION: u64 = 24;

/// The members of `usual`, but those of `unwound` for modules that need unwind tables, and elsewhere those of `small` that define the
/// same, need nothing that the others do not, and are smaller.
///
/// What calls whom across members is in names, and those are the same on all sides. So is what a name means: rustc decides on
/// types and arguments before levels matter, and LLVM changes the arguments of functions only that it makes local to a member.
pub(super) fn choose(usual: Vec<Compiled>, small: Vec<Compiled>, unwound: Vec<Compiled>) -> Result<Vec<Compiled>> {
    let known: BTreeSet<String> =
        usual.iter().flat_map(|member| member.defines.iter().chain(&member.wants)).cloned().collect();
    let (mut small, mut unwound) = (by_key(small), by_key(unwound));
    let mut chosen = Vec::new();
    for member in usual {
        let title = title(&member.defines);
        let fast = FAST.iter().any(|module| title.starts_with(module));
        let fits = |other: &Compiled| other.wants.iter().all(|name| known.contains(name));
        // Two that define the same, or nothing, cannot be told apart.
        let same = |others: &mut BTreeMap<Vec<String>, Vec<Compiled>>| {
            others.remove(&key(&member)).filter(|same| same.len() == 1)?.pop().filter(fits)
        };
        chosen.push(match same(if is_unwound(&title) { &mut unwound } else { &mut small }) {
            Some(other) if is_unwound(&title) || !fast && cost(&other)? < cost(&member)? => other,
            _ => member,
        });
    }
    Ok(chosen)
}

fn by_key(members: Vec<Compiled>) -> BTreeMap<Vec<String>, Vec<Compiled>> {
    let mut map: BTreeMap<_, Vec<Compiled>> = BTreeMap::new();
    for member in members {
        map.entry(key(&member)).or_default().push(member);
    }
    map
}

fn key(member: &Compiled) -> Vec<String> {
    let mut names = member.defines.clone();
    names.sort();
    names
}

/// Bytes that the member adds to a program's file.
fn cost(member: &Compiled) -> Result<u64> {
    let file =
        object::File::parse(&*member.bytes).context("a member of cargo's static library is not an object file")?;
    Ok(file
        .sections()
        .map(|section| match section.kind() {
            SectionKind::Text | SectionKind::ReadOnlyData | SectionKind::ReadOnlyString => section.size(),
            // Addresses in data are for the loader to fill in.
            SectionKind::Data | SectionKind::ReadOnlyDataWithRel => {
                section.size() + RELOCATION * section.relocations().count() as u64
            }
            _ => 0,
        })
        .sum())
}

#[cfg(test)]
mod tests {
    use object::write::{Object as Writer, Symbol, SymbolSection};
    use object::{Architecture, BinaryFormat, Endianness, SymbolFlags, SymbolKind, SymbolScope};

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

    fn chosen(usual: Vec<Compiled>, small: Vec<Compiled>) -> Vec<u64> {
        choose(usual, small, vec![]).unwrap().iter().map(|member| cost(member).unwrap()).collect()
    }

    const COLD: &str = "_ZN6profrt8filename6expand17h6b946dbfe6cae7e9E";
    const HOT: &str = "_ZN6profrt5value4hook4bump17h6b946dbfe6cae7e9E";

    #[test]
    fn the_smaller_one_is_taken_where_speed_does_not_count() {
        assert_eq!(chosen(vec![member(COLD, 30), member(HOT, 30)], vec![member(HOT, 20), member(COLD, 20)]), [20, 30]);
        assert_eq!(chosen(vec![member(COLD, 20)], vec![member(COLD, 30)]), [20]);
    }

    #[test]
    fn modules_that_are_unwound_have_their_tables() {
        let unwound = || vec![member(COLD, 50), member(HOT, 50)];
        let chosen = choose(vec![member(COLD, 30), member(HOT, 30)], vec![member(HOT, 20)], unwound()).unwrap();
        assert_eq!(chosen.iter().map(|member| cost(member).unwrap()).collect::<Vec<_>>(), [30, 50]);
    }

    #[test]
    fn members_that_cannot_be_matched_stay() {
        assert_eq!(chosen(vec![member(COLD, 30)], vec![member("other", 20)]), [30]);
        assert_eq!(chosen(vec![member(COLD, 30)], vec![member(COLD, 20), member(COLD, 10)]), [30]);
    }

    #[test]
    fn members_that_need_more_than_the_others_stay() {
        let needing = |name: &str| {
            let mut member = member(COLD, 20);
            member.wants.push(name.to_owned());
            member
        };
        assert_eq!(chosen(vec![member(COLD, 30), member(HOT, 30)], vec![needing(HOT)]), [20, 30]);
        assert_eq!(chosen(vec![member(COLD, 30), member(HOT, 30)], vec![needing("memcpy")]), [30, 30]);
    }
}
