//! What the members leave undefined: only what `allowed-undefined.txt` allows, where it allows it, and never some kinds.

use std::collections::BTreeSet;

use anyhow::{Context, Result};

use super::archive::Archive;
use super::list::{self, Entry};
use testkit::dist::members::is_mangled;

/// Symbol (or `prefix*`), members (or `prefix*`, or `*`; several with commas), reason.
pub type Allowed = Entry<2>;

/// Calls that no reason can allow: the heap, which may be broken when the profile is written, and unwinding.
const NEVER: [&str; 19] = [
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "free",
    "posix_memalign",
    "aligned_alloc",
    "memalign",
    "strdup",
    "strndup",
    "asprintf",
    "vasprintf",
    "getline",
    "open_memstream",
    "__cxa_throw",
    "__gxx_personality_v0",
    "longjmp",
    "setjmp",
    "alloca",
];

/// The one call whose result the program frees (`__llvm_profile_get_filename`), in a member of its own that no dump reaches.
const FOR_THE_CALLER: (&str, &str) = ("helpers-heap", "malloc");

pub fn parse(text: &str) -> Result<Vec<Allowed>> {
    list::parse(text).context("in xtask/audit/allowed-undefined.txt")
}

/// Checks all archives at once, since an entry has to be used by one of them.
pub fn check(archives: &[&Archive], allowed: &[Allowed]) -> Vec<String> {
    let mut findings = Vec::new();
    let mut used = BTreeSet::new();
    for (archive, member, symbol) in undefined(archives) {
        let raw = archive.raw;
        if let Some(why) = never(symbol)
            && (stem(member), symbol) != FOR_THE_CALLER
        {
            findings.push(format!("raw {raw}: {member} needs {symbol}, {why}"));
            continue;
        }
        let covers = |entry: &Allowed| {
            let [symbols, members] = &entry.columns;
            list::matches(symbols, symbol) && members.split(',').any(|pattern| list::matches(pattern, stem(member)))
        };
        let entries: Vec<usize> = (0..allowed.len()).filter(|&index| covers(&allowed[index])).collect();
        if entries.is_empty() {
            findings.push(format!(
                "raw {raw}: {member} needs {symbol}; remove the call, or give a reason in allowed-undefined.txt"
            ));
        }
        used.extend(entries);
    }
    for (index, entry) in allowed.iter().enumerate().filter(|(index, _)| !used.contains(index)) {
        let [symbols, members] = &entry.columns;
        findings.push(format!(
            "`{symbols} {members}` is used by no member; take it off allowed-undefined.txt (entry {})",
            index + 1
        ));
    }
    findings
}

/// What no member of the same archive defines.
fn undefined<'a>(archives: &[&'a Archive]) -> Vec<(&'a Archive, &'a str, &'a str)> {
    let mut all = Vec::new();
    for &archive in archives {
        let defined: BTreeSet<&str> = archive.definitions().map(|(_, symbol)| symbol.name.as_str()).collect();
        for member in &archive.members {
            let open =
                member.symbols.iter().filter(|symbol| !symbol.defined && !defined.contains(symbol.name.as_str()));
            all.extend(open.map(|symbol| (archive, member.name.as_str(), symbol.name.as_str())));
        }
    }
    all
}

/// `profrt.sink-file.o` is called `sink-file` in the list.
fn stem(member: &str) -> &str {
    let name = member.strip_prefix("profrt.").unwrap_or(member);
    name.strip_suffix(".o").unwrap_or(name)
}

fn never(symbol: &str) -> Option<&'static str> {
    let rust = ["rust_", "__rust", "__rg_", "__rdl_"].iter().any(|prefix| symbol.starts_with(prefix));
    if is_mangled(symbol) || rust {
        return Some("which is Rust's: it is not in the archive, so a C program does not link");
    }
    if symbol.starts_with("_Unwind_") || symbol.contains("personality") {
        return Some("which is the unwinder's");
    }
    NEVER.contains(&symbol).then_some("which no reason allows: the heap may be broken when the profile is written")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{archive, barks};
    use super::*;

    const LIST: &str = "open sink-file,os-* to write the file\n__start_* * bounds\n";

    fn findings(members: &[(&str, &str)], list: &str) -> Vec<String> {
        let (archive, _directory) = archive(10, members);
        check(&[&archive], &parse(list).unwrap())
    }

    #[test]
    fn what_is_allowed_passes() {
        let file = ".quad open, inner\n.weak __start_x\n.quad __start_x\n";
        let found = findings(&[("profrt.sink-file.o", file), ("profrt.b.o", ".globl inner\ninner: ret\n")], LIST);
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn an_unknown_one_a_wrong_place_and_an_unused_entry_are_found() {
        let found = findings(&[("profrt.abi-write_buffer.o", ".quad open, fopen\n")], LIST);
        barks(&found, &["abi-write_buffer", "needs open;"]);
        barks(&found, &["needs fopen;"]);
        barks(&found, &["`__start_* *`", "used by no member"]);
    }

    #[test]
    fn some_cannot_be_allowed() {
        let core = "_ZN4core9panicking5panic17h6b946dbfe6cae7e9E";
        let source = format!(".quad {core}, malloc, _Unwind_Resume, rust_eh_personality\n");
        let found = findings(&[("profrt.a.o", &source)], "* * everything\n");
        for name in [core, "malloc", "_Unwind_Resume", "rust_eh_personality"] {
            barks(&found, &["needs", name, "which"]);
        }
    }

    #[test]
    fn one_member_may_allocate_for_the_caller() {
        let found = findings(&[("profrt.helpers-heap.o", ".quad malloc, free\n")], "* * everything\n");
        barks(&found, &["needs free"]);
        assert_eq!(found.len(), 1);
    }
}
