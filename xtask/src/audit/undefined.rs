//! What the members leave undefined: only what `allowed-undefined.txt` allows, and where it allows it.

use std::collections::BTreeSet;

use super::archive::Archive;
use super::list;

/// Symbol (or `prefix*`), members (or `prefix*`, or `*`; several with commas), reason.
pub type Allowed = [String; 2];

/// Checks all archives at once, since an entry has to be used by one of them.
pub fn check(archives: &[&Archive], allowed: &[Allowed]) -> Vec<String> {
    let mut findings = Vec::new();
    let mut used = BTreeSet::new();
    for (archive, member, symbol) in undefined(archives) {
        let raw = archive.raw;
        let covers = |[symbols, members]: &Allowed| {
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
    for (index, [symbols, members]) in allowed.iter().enumerate().filter(|(index, _)| !used.contains(index)) {
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

#[cfg(test)]
mod tests {
    use super::super::tests::{archive, barks};
    use super::*;

    const LIST: &str = "open sink-file,os-* to write the file\n__start_* * bounds\n";

    fn findings(members: &[(&str, &str)], list: &str) -> Vec<String> {
        let (archive, _directory) = archive(10, members);
        check(&[&archive], &list::parse(list).unwrap())
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
}
