//! What programs look like that were linked with the archive: they export nothing of it, and need no library for it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use object::elf::{DT_NEEDED, STV_HIDDEN};
use object::read::elf::ElfFile64;
use object::{Object, ObjectSymbol, SymbolFlags};

use super::archive::Archive;
use testkit::run;

/// Links with the whole archive and with what a program pulls; `exported` are the names that may be exported.
pub fn check(archive: &Archive, library: &Path, exported: &[&str]) -> Result<Vec<String>> {
    let directory = tempfile::tempdir()?;
    let source = directory.path().join("a.c");
    fs::write(&source, "int main(void) { return 0; }\n")?;
    let library = library.to_string_lossy();
    let whole = ["-Wl,--whole-archive".to_owned(), library.to_string(), "-Wl,--no-whole-archive".to_owned()];
    let pulled = ["-Wl,-u,__llvm_profile_runtime,-u,__llvm_profile_write_file".to_owned(), library.to_string()];
    let mut findings = Vec::new();
    for (name, options, arguments) in [
        ("whole.so", &["-shared", "-fPIC"][..], &whole[..]),
        ("pulled.so", &["-shared", "-fPIC"], &pulled),
        ("whole", &["-rdynamic"], &whole),
        ("pulled", &["-rdynamic"], &pulled),
    ] {
        let output: PathBuf = directory.path().join(name);
        let mut link = Command::new("cc");
        link.args(options).arg(&source).args(arguments).args(["-Wl,-z,noexecstack", "-o"]).arg(&output);
        if let Err(error) = run::quiet(&mut link) {
            findings.push(format!("{name} does not link: {}", complaint(&error)));
            continue;
        }
        let bytes = fs::read(&output)?;
        let file = object::File::parse(&*bytes).with_context(|| format!("{} is not a program", output.display()))?;
        findings
            .extend(exports(&file, archive, exported)?.into_iter().map(|symbol| format!("{name} exports {symbol}")));
        let needed = libraries(&bytes)?.into_iter().filter(|library| !is_libc(library));
        findings
            .extend(needed.map(|library| format!("{name} needs {library}, which it would not without the archive")));
    }
    Ok(findings)
}

/// What the linker misses or has twice, without the places; all it said where it is something else.
fn complaint(error: &anyhow::Error) -> String {
    let text = format!("{error:#}");
    let kinds = ["undefined reference to", "multiple definition of"];
    let named = text.lines().filter_map(|line| kinds.iter().find_map(|kind| line.find(kind)).map(|at| &line[at..]));
    let named: BTreeSet<&str> = named.collect();
    if named.is_empty() { text } else { named.into_iter().collect::<Vec<_>>().join(", ") }
}

/// Dynamic symbols that the archive brought. A name of ours is there too when it is only wanted: then it was not resolved.
/// GNU ld lists hidden bounds of sections there, which no other image can see.
fn exports(file: &object::File<'_>, archive: &Archive, exported: &[&str]) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let hidden = |symbol: &object::Symbol<'_, '_>| match symbol.flags() {
        SymbolFlags::Elf { st_other, .. } => st_other.visibility() == STV_HIDDEN,
        _ => false,
    };
    for symbol in file.dynamic_symbols().filter(|symbol| !hidden(symbol)) {
        let name = symbol.name()?;
        let section_bound = name.starts_with("__start___llvm_") || name.starts_with("__stop___llvm_");
        if (archive.defines(name) || section_bound) && !exported.contains(&name) {
            found.push(name.to_owned());
        }
    }
    Ok(found)
}

fn is_libc(library: &str) -> bool {
    library.starts_with("libc.so") || library.starts_with("ld-linux") || library.starts_with("libc.musl")
}

/// The entries `DT_NEEDED`.
fn libraries(program: &[u8]) -> Result<Vec<String>> {
    // 32-bit programs are linked nowhere yet.
    let file: ElfFile64<'_> = ElfFile64::parse(program)?;
    let table = file.elf_section_table().dynamic_table(file.endian(), program)?;
    let entries = table.iter().filter(|entry| entry.tag == DT_NEEDED);
    entries.map(|entry| Ok(String::from_utf8_lossy(table.string(entry)?).into_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{STACK_NOTE, archive, barks};
    use super::*;

    const CALLS: &str = "
.globl __llvm_profile_runtime, __llvm_profile_write_file
.hidden __llvm_profile_runtime
__llvm_profile_runtime: ret
__llvm_profile_write_file: ret
";

    #[test]
    fn what_a_shared_object_exports_is_found() {
        let (archive, directory) = archive(10, &[("a.o", &format!("{CALLS}{STACK_NOTE}"))]);
        let library = directory.path().join("lib.a");
        let findings = check(&archive, &library, &[]).unwrap();
        for program in ["whole.so", "pulled.so"] {
            barks(&findings, &[program, "exports __llvm_profile_write_file"]);
        }
        assert!(!findings.iter().any(|finding| finding.contains("__llvm_profile_runtime")), "{findings:?}");
        let findings = check(&archive, &library, &["__llvm_profile_write_file"]).unwrap();
        assert_eq!(findings, [""; 0]);
    }

    #[test]
    fn a_visible_reference_to_section_bounds_is_found() {
        let bounds = format!(
            "{CALLS}.hidden __llvm_profile_write_file\n.section __llvm_prf_cnts,\"aw\"\n.quad 0\n.data\n.weak __start___llvm_prf_cnts\n.quad __start___llvm_prf_cnts{STACK_NOTE}"
        );
        let (visible, directory) = archive(10, &[("a.o", &bounds)]);
        let findings = check(&visible, &directory.path().join("lib.a"), &[]).unwrap();
        barks(&findings, &["whole.so", "__start___llvm_prf_cnts"]);
        let hidden = bounds.replace(".weak __start", ".hidden __start___llvm_prf_cnts\n.weak __start");
        let (archive, directory) = archive(10, &[("a.o", &hidden)]);
        assert_eq!(check(&archive, &directory.path().join("lib.a"), &[]).unwrap(), [""; 0]);
    }

    #[test]
    fn an_archive_that_does_not_link_is_found() {
        let (archive, directory) = archive(10, &[("a.o", &format!("{CALLS}call nowhere_to_be_found\n{STACK_NOTE}"))]);
        let findings = check(&archive, &directory.path().join("lib.a"), &[]).unwrap();
        barks(&findings, &["whole does not link: undefined reference to `nowhere_to_be_found'"]);
        assert!(findings.iter().all(|finding| finding.lines().count() == 1), "{findings:?}");
    }
}
