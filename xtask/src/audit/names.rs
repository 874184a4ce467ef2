//! Names, bindings and visibility against LLVM's own archives.
//!
//! Every official symbol is there as there, or is on the list of those not carried with a reason. Nothing else is visible to a
//! linker, but what rustc named for itself; that is hidden.

use super::archive::{Archive, Symbol};
use super::list::matches;
use super::official::{self, Official};
use testkit::dist::members::is_mangled;

/// Our own names that are visible: the images of a process share one list of images (`runtime/gcov/images.rs`).
pub const SHARED: &[&str] = &["profrt_gcov_images"];

/// What a linker may find in one archive.
pub fn check(archive: &Archive, official: &[Official], not_carried: &[[String; 1]]) -> Vec<String> {
    let required = official::required(official, archive.raw);
    let known = official::known(official);
    let listed = |name: &str| not_carried.iter().any(|[entry]| matches(entry, name));
    let mut findings = Vec::new();
    for name in required.keys().filter(|name| !archive.defines(name) && !listed(name)) {
        findings.push(format!(
            "{name} is missing; LLVM's archive defines it. Define it, or give a reason in not-carried.txt"
        ));
    }
    let mut seen: Vec<&str> = Vec::new();
    for (member, symbol) in archive.definitions() {
        let name = symbol.name.as_str();
        if seen.contains(&name) && !symbol.weak {
            findings.push(format!("{name} is defined by two members, the second is {}", member.name));
        }
        seen.push(name);
        match required.get(name).or_else(|| known.get(name)) {
            Some(&expected) => findings.extend(compare(symbol, expected)),
            None => findings.extend(other(symbol).map(|what| format!("{} in {}", what, member.name))),
        }
    }
    findings
}

fn compare(symbol: &Symbol, expected: &str) -> Option<String> {
    let actual = symbol.described();
    (actual != expected).then(|| format!("{} is `{actual}`, and `{expected}` in LLVM's archive", symbol.name))
}

/// A symbol that LLVM's archives do not have.
fn other(symbol: &Symbol) -> Option<String> {
    let name = &symbol.name;
    if name.contains("rust_begin_unwind") || name.contains("rust_eh_personality") {
        return Some(format!("{name}, which a Rust program that links the archive defines too, is defined"));
    }
    // Our own C calls, which runtime/abi/own.rs declares, and functions that only `-Wl,--wrap=_exit` makes programs call.
    let own = name.starts_with("profrt_") || name.starts_with("__wrap__");
    if !own && !is_mangled(name) {
        return Some(format!("{name}, which LLVM's archive does not define, is visible to linkers"));
    }
    let wanted = if SHARED.contains(&name.as_str()) { "default" } else { "hidden" };
    let is_wrong = symbol.visibility != wanted;
    is_wrong.then(|| format!("{name} ({:#}) is not {wanted}", rustc_demangle::demangle(name)))
}

/// Entries of not-carried.txt for what is carried, or for what no official archive has.
pub fn stale(archives: &[&Archive], official: &[Official], not_carried: &[[String; 1]]) -> Vec<String> {
    let mut findings = Vec::new();
    for [name] in not_carried {
        if archives.iter().any(|archive| archive.definitions().any(|(_, symbol)| matches(name, &symbol.name))) {
            findings.push(format!("{name} is carried; take it off not-carried.txt"));
        }
        if !official.iter().any(|line| matches(name, &line.name)) {
            findings.push(format!("{name} is in no official archive; take it off not-carried.txt"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::list;
    use super::super::tests::{archive, barks};
    use super::*;

    fn official() -> Vec<Official> {
        official::parse(
            "good func global hidden 19,22\nlater func global hidden 22\nsoft object weak hidden 16,19,22\n",
        )
        .unwrap()
    }

    const GOOD: &str = ".globl good\n.hidden good\n.type good,@function\ngood: ret\n";
    const SOFT: &str = ".data\n.weak soft\n.hidden soft\n.type soft,@object\nsoft: .quad 1\n";
    const MANGLED: &str = "_ZN6profrt5state4bump17h6b946dbfe6cae7e9E";

    #[test]
    fn what_is_as_in_the_official_archive_passes() {
        let inner = format!(".globl {MANGLED}\n.hidden {MANGLED}\n{MANGLED}: ret\n");
        let (archive, _directory) = archive(10, &[("a.o", GOOD), ("b.o", SOFT), ("c.o", &inner)]);
        let not_carried = list::parse::<1>("lat* comes later\n").unwrap();
        assert_eq!(check(&archive, &official(), &not_carried), [""; 0]);
        assert_eq!(stale(&[&archive], &official(), &not_carried), [""; 0]);
    }

    #[test]
    fn what_is_missing_is_found() {
        let (archive, _directory) = archive(10, &[("b.o", SOFT)]);
        barks(&check(&archive, &official(), &[]), &["good", "missing"]);
        barks(&check(&archive, &official(), &[]), &["later", "missing"]);
    }

    #[test]
    fn a_wrong_binding_visibility_or_kind_is_found() {
        for (wrong, actual) in [
            (GOOD.replace(".globl", ".weak"), "func weak hidden"),
            (GOOD.replace(".hidden good", ""), "func global default"),
            (GOOD.replace("@function", "@object"), "object global hidden"),
        ] {
            let (archive, _directory) = archive(10, &[("a.o", &wrong)]);
            barks(&check(&archive, &official(), &[]), &["good is", actual]);
        }
    }

    #[test]
    fn what_else_is_visible_is_found() {
        let visible = format!(".globl {MANGLED}\n{MANGLED}: ret\n");
        let bare = ".globl profrt_call\nprofrt_call: ret\n";
        let (archive_of_own, _own) = archive(10, &[("a.o", bare), ("d.o", GOOD)]);
        barks(&check(&archive_of_own, &official(), &[]), &["profrt_call", "not hidden"]);
        let stray = ".globl memcpy\n.hidden memcpy\nmemcpy: ret\n";
        let handler = "_RNvCsfLfy6EI15iL_7___rustc17rust_begin_unwind";
        let handler = format!(".globl {handler}\n.hidden {handler}\n{handler}: ret\n");
        let (archive, _directory) =
            archive(10, &[("a.o", &visible), ("b.o", stray), ("c.o", &handler), ("d.o", GOOD), ("e.o", GOOD)]);
        let findings = check(&archive, &official(), &[]);
        barks(&findings, &["profrt::state::bump", "not hidden", "a.o"]);
        barks(&findings, &["memcpy", "visible", "b.o"]);
        barks(&findings, &["rust_begin_unwind", "c.o"]);
        barks(&findings, &["good", "two members", "e.o"]);
    }

    #[test]
    fn an_entry_too_many_is_found() {
        let (archive, _directory) = archive(10, &[("a.o", GOOD)]);
        let not_carried = list::parse::<1>("go* never\nunknown* why\nlater comes later\n").unwrap();
        let findings = stale(&[&archive], &official(), &not_carried);
        barks(&findings, &["go*", "is carried"]);
        barks(&findings, &["unknown*", "no official archive"]);
        assert_eq!(findings.len(), 2);
    }
}
