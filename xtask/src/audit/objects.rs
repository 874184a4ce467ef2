//! What the object files carry along: nothing but code and data.

use std::env;

use object::elf;

use super::archive::{Archive, Member};
use testkit::dist::unwind_tables;
use testkit::paths;

/// Paths that say where this archive was built.
pub fn marks_of_this_machine() -> Vec<String> {
    let variables = ["HOME", "CARGO_HOME", "RUSTUP_HOME"].into_iter().filter_map(env::var_os);
    let directories = variables.map(|value| value.to_string_lossy().into_owned());
    let ours = [paths::root(), paths::target(), env::temp_dir()].map(|path| path.to_string_lossy().into_owned());
    let general = ["/registry/src/", "/home/"].map(str::to_owned);
    directories.chain(ours).chain(general).filter(|path| path.len() > 3).collect()
}

pub fn check(archive: &Archive, marks: &[String]) -> Vec<String> {
    let mut findings = Vec::new();
    for member in &archive.members {
        let mut found = |text: String| findings.push(format!("{}: {text}", member.name));
        stack(member).map(&mut found);
        for section in member.sections.iter().filter(|section| section.flags & elf::SHF_TLS.0 != 0) {
            found(format!("has thread-local storage, in {}", section.name));
        }
        unwind_tables(member).map(&mut found);
        for mark in marks.iter().filter(|mark| contains(&member.bytes, mark.as_bytes())) {
            found(format!("holds the path {mark} of the machine it was built on"));
        }
    }
    findings
}

/// An object without this note makes linkers give the whole program an executable stack.
fn stack(member: &Member) -> Option<String> {
    let Some(note) = member.sections.iter().find(|section| section.name == ".note.GNU-stack") else {
        return Some("has no .note.GNU-stack, so programs get an executable stack".to_owned());
    };
    (note.flags & elf::SHF_EXECINSTR.0 != 0).then(|| "asks for an executable stack".to_owned())
}

/// Tables where something unwinds, and nowhere else. None may name a function that cleans up, or catches.
fn unwind_tables(member: &Member) -> Option<String> {
    let has = |name: &str| member.sections.iter().any(|section| section.name == name);
    let code = member.symbols.iter().any(|symbol| symbol.defined && symbol.kind == "func");
    if has(".gcc_except_table") {
        return Some("cleans up when it is unwound: exceptions and cancellations may end there".to_owned());
    }
    match (unwind_tables::is_unwound(&member.name), has(".eh_frame")) {
        (true, false) if code => {
            Some("has no unwind tables, .eh_frame: exceptions and cancellations end there".to_owned())
        }
        (false, true) => {
            Some("has unwind tables, .eh_frame; see UNWOUND in xtask/kit/src/dist/unwind_tables.rs".to_owned())
        }
        _ => None,
    }
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{STACK_NOTE, archive, barks};
    use super::*;

    fn findings(source: &str) -> Vec<String> {
        let (archive, _directory) = archive(10, &[("a.o", source)]);
        check(&archive, &["/some/where".to_owned()])
    }

    #[test]
    fn a_plain_object_passes() {
        assert_eq!(findings(&format!(".globl f\nf: ret\n.quad memcpy{STACK_NOTE}")), [""; 0]);
    }

    #[test]
    fn each_kind_of_baggage_is_found() {
        barks(&findings("f: ret\n"), &["a.o", "no .note.GNU-stack"]);
        barks(&findings("f: ret\n.section .note.GNU-stack,\"x\",@progbits\n"), &["asks for an executable stack"]);
        let tls = format!(".section .tbss,\"awT\",@nobits\n.globl t\n.type t,@tls_object\nt: .zero 8{STACK_NOTE}");
        barks(&findings(&tls), &["thread-local storage", ".tbss"]);
        let tables = format!("f: .cfi_startproc\nret\n.cfi_endproc{STACK_NOTE}");
        barks(&findings(&tables), &["a.o", "has unwind tables", ".eh_frame"]);
        let (bare, _directory) =
            archive(10, &[("profrt.value-a.o", &format!(".globl f\n.type f,@function\nf: ret{STACK_NOTE}"))]);
        barks(&check(&bare, &[]), &["value-a.o", "has no unwind tables"]);
        barks(&findings(&format!(".section .gcc_except_table,\"a\"\n.byte 0{STACK_NOTE}")), &["a.o", "cleans up"]);
        barks(&findings(&format!(".ascii \"at /some/where/lib.rs\"{STACK_NOTE}")), &["/some/where"]);
    }
}
