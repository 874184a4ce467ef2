//! Which calls a program has without calling them, beside a program that is linked with LLVM's archive.
//!
//! Programs refer to the runtime weakly, and find only what something else has pulled out of the archive (`runtime/abi/present.rs`). So
//! for each tested clang a program without a call is linked with both archives, and both have the same public names, but for those in
//! `not-present.txt`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use object::{Object, ObjectSymbol};

use super::archive::{Archive, Kind};
use super::list::{self, Entry};
use super::official::Official;
use testkit::run;
use testkit::toolchain::Clang;

/// Which of the two programs alone has the name (`official` or `ours`), the name (or `prefix*`), and the reason.
pub type Difference = Entry<2>;

/// What a compiler's two programs have of the names that LLVM's archives define, of any release.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    clang: u32,
    official: BTreeSet<String>,
    ours: BTreeSet<String>,
}

pub fn parse(text: &str) -> Result<Vec<Difference>> {
    list::parse(text).context("in xtask/audit/not-present.txt")
}

/// Links both programs of a compiler.
pub fn link(clang: &Clang, library: &Path, official: &[Official]) -> Result<Programs> {
    let directory = tempfile::tempdir()?;
    let source = directory.path().join("a.c");
    fs::write(&source, "int main(void) { return 0; }\n")?;
    let names = |library: Option<&Path>| -> Result<BTreeSet<String>> {
        let program = directory.path().join("a");
        // Ours stands before the compiler's own archive, which the driver adds.
        let mut link = Command::new(&clang.clang);
        link.arg("-fprofile-instr-generate").arg(&source).args(library).arg("-o").arg(&program);
        run::quiet(&mut link)?;
        defined(&fs::read(&program)?, official).with_context(|| format!("{} is not a program", program.display()))
    };
    Ok(Programs { clang: clang.version, official: names(None)?, ours: names(Some(library))? })
}

/// Names of LLVM's archives that a program defines. Hidden ones are local there.
fn defined(program: &[u8], official: &[Official]) -> Result<BTreeSet<String>> {
    let file = object::File::parse(program)?;
    let mut names = BTreeSet::new();
    for symbol in file.symbols().filter(|symbol| symbol.is_definition()) {
        let name = symbol.name()?;
        if official.iter().any(|line| line.name == name) {
            names.insert(name.to_owned());
        }
    }
    Ok(names)
}

/// Differences between the programs that the list does not have, and entries of the list that are no difference.
pub fn check(all: &[Programs], not_carried: &[Entry<1>], listed: &[Difference]) -> Vec<String> {
    let mut findings = Vec::new();
    let mut used = vec![false; listed.len()];
    for Programs { clang, official, ours } in all {
        let carried = |name: &&String| not_carried.iter().all(|entry| entry.columns[0] != **name);
        let mut look = |side: &str, name: &String| {
            let entries =
                || listed.iter().map(|Entry { columns: [on, pattern], .. }| on == side && list::matches(pattern, name));
            entries().zip(&mut used).for_each(|(hit, used)| *used |= hit);
            entries().any(|hit| hit)
        };
        for name in official.difference(ours).filter(carried) {
            if !look("official", name) {
                findings.push(format!(
                    "clang {clang}: a program has {name} when it is linked with LLVM's archive, and not with ours, where a weak reference to it stays null. Add it to runtime/abi/present.rs, or give a reason in not-present.txt"
                ));
            }
        }
        for name in ours.difference(official) {
            if !look("ours", name) {
                findings.push(format!(
                    "clang {clang}: a program has {name} when it is linked with our archive, and not with LLVM's, where a weak reference to it stays null. Take it out of runtime/abi/present.rs, or give a reason in not-present.txt"
                ));
            }
        }
    }
    for (Entry { columns: [side, pattern], .. }, _) in listed.iter().zip(used).filter(|(_, used)| !used) {
        findings.push(format!("not-present.txt has `{side} {pattern}`, and no program differs in that; take it off"));
    }
    findings
}

/// Members with more than one public function. A program that defines one of them would get the member for another, and two definitions.
pub fn alone(archive: &Archive, official: &[Official]) -> Vec<String> {
    let mut findings = Vec::new();
    for member in &archive.members {
        let public = |name: &str| official.iter().any(|line| line.name == name);
        let functions = member.symbols.iter().filter(|symbol| symbol.defined && symbol.kind == Kind::Func);
        let names: Vec<&str> = functions.map(|symbol| symbol.name.as_str()).filter(|name| public(name)).collect();
        if names.len() > 1 {
            findings.push(format!(
                "{} defines {}: a program that defines one of them and calls another does not link",
                member.name,
                names.join(" and ")
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::official;
    use super::super::testing::{archive, barks};
    use super::*;

    fn programs(official: &[&str], ours: &[&str]) -> [Programs; 1] {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        [Programs { clang: 22, official: set(official), ours: set(ours) }]
    }

    #[test]
    fn a_call_that_one_program_lacks_is_found() {
        let both = programs(&["write", "set"], &["write", "dump"]);
        let findings = check(&both, &[], &[]);
        barks(&findings, &["clang 22", "has set", "not with ours"]);
        barks(&findings, &["clang 22", "has dump", "not with LLVM's"]);
        assert_eq!(findings.len(), 2);
        let listed = parse("official set why\nours du* why\n").unwrap();
        assert_eq!(check(&both, &[], &listed), [""; 0]);
        let not_carried = list::parse::<1>("set why\n").unwrap();
        assert_eq!(check(&both, &not_carried, &listed[1..]), [""; 0]);
    }

    #[test]
    fn an_entry_that_is_no_difference_is_found() {
        let listed = parse("official write why\n").unwrap();
        barks(&check(&programs(&["write"], &["write"]), &[], &listed), &["official write", "take it off"]);
    }

    #[test]
    fn two_calls_in_one_member_are_found() {
        let official = official::parse("one func global hidden 22\ntwo func global hidden 22\n").unwrap();
        let call = |name: &str| format!(".globl {name}\n.type {name},@function\n{name}: ret\n");
        let (split, _directory) = archive(10, &[("a.o", &call("one")), ("b.o", &call("two"))]);
        assert_eq!(alone(&split, &official), [""; 0]);
        let (joined, _directory) = archive(10, &[("a.o", &(call("one") + &call("two")))]);
        barks(&alone(&joined, &official), &["a.o", "one and two"]);
    }

    #[test]
    fn hidden_names_of_a_program_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let (source, program) = (directory.path().join("a.c"), directory.path().join("a"));
        fs::write(
            &source,
            "__attribute__((visibility(\"hidden\"))) int one(void) { return 0; }\nint main(void) { return one(); }\n",
        )
        .unwrap();
        run::quiet(Command::new("cc").arg(&source).arg("-o").arg(&program)).unwrap();
        let official = official::parse("one func global hidden 22\ntwo func global hidden 22\n").unwrap();
        let names = defined(&fs::read(&program).unwrap(), &official).unwrap();
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["one"]);
    }
}
