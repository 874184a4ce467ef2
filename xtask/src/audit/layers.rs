//! No module of the runtime uses one that `runtime/lib.rs` lists in a later section, and only the floors know a system or an object format. Tests
//! may use anything.
//!
//! Names are found by text, outside of lines that are comments: of modules, the one behind `crate::`, and all in braces there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Modules, and what only they may have. (`target_os = "none"` is no system.)
const FLOORS: [(&str, &[&str]); 3] = [
    ("os", &["libc::", "0o", "/proc/", "target_os", "target_env"]),
    ("link", &["global_asm!", "link_section = \"", "__llvm_prf_", "__start_"]),
    ("link", &["(elf", " elf", "(wasm", " wasm", "(coff", " coff", "(macho", " macho"]),
];

pub fn check(directory: &Path) -> Result<Vec<String>> {
    let read = |path: &Path| fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
    let lib = read(&directory.join("lib.rs"))?;
    let sections = sections(&lib);
    let mut findings = Vec::new();
    for path in files(directory)? {
        let name = path.strip_prefix(directory).unwrap_or(&path).display().to_string();
        let section = name.split(['/', '.']).next().and_then(|module| sections.get(module));
        // What no section lists: lib.rs, and the crate in `format/`.
        let Some(section) = section.filter(|_| !name.contains("tests")) else { continue };
        let text = read(&path)?;
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let is_code = |line: &str| !line.trim_start().starts_with("//") && !line.contains("target_os = \"none\"");
        for (floor, theirs) in FLOORS.iter().filter(|(floor, _)| name.split(['/', '.']).next() != Some(floor)) {
            for (line, text) in (1..).zip(code.lines()).filter(|(_, line)| is_code(line)) {
                let found = theirs.iter().filter(|word| text.contains(**word));
                findings.extend(found.map(|word| format!("{name}:{line} has {word}, which is for {floor}")));
            }
        }
        for (at, _) in code.match_indices("crate::") {
            let (before, rest) = (&code[..at], &code[at + "crate::".len()..]);
            if before.rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with("//")) {
                continue;
            }
            let group = rest.strip_prefix('{').and_then(|group| group.split(';').next());
            let used = group.unwrap_or(identifier(rest)).split(['{', ',']).map(|part| identifier(part.trim_start()));
            let line = before.matches('\n').count() + 1;
            findings.extend(
                used.filter(|used| sections.get(used).is_some_and(|later| later > section))
                    .map(|used| format!("{name}:{line} uses crate::{used}, which lib.rs lists in a later section")),
            );
        }
    }
    Ok(findings)
}

fn identifier(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// The number of the section that lists each module. Sections are separated by comments.
fn sections(lib: &str) -> BTreeMap<&str, usize> {
    let mut section = 0;
    let mut sections = BTreeMap::new();
    for line in lib.lines() {
        section += usize::from(line.starts_with("// "));
        if let Some(module) = line.trim_start_matches("pub ").strip_prefix("mod ") {
            sections.insert(identifier(module), section);
        }
    }
    sections
}

/// Every `.rs` file below the directory.
fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_of_a_later_section_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
        write("lib.rs", "// Both\nmod dump;\npub mod raw;\nmod sink;\n\n// Files\nmod merge;\n");
        write("merge.rs", "use crate::raw;\nuse crate::dump::Dump;\n");
        write("raw.rs", "// crate::merge\nuse crate::dump;\n#[cfg(test)]\nmod tests { use crate::merge; }\n");
        write(
            "dump.rs",
            "use crate::raw;\n\nfn f() { raw::g(crate::merge::X) }\nuse crate::{raw, sink::{Sink, Bytes}, merge::X};\n",
        );
        write(
            "sink.rs",
            "mod sink {\n// libc::fork\n #[cfg(target_os = \"none\")]\n fn f() { libc::fork() } }\nglobal_asm!();\n",
        );
        let later = |line: u32| format!("dump.rs:{line} uses crate::merge, which lib.rs lists in a later section");
        let floors = ["sink.rs:4 has libc::, which is for os", "sink.rs:5 has global_asm!, which is for link"];
        let found = check(directory.path()).unwrap();
        assert_eq!(found, [&[later(3), later(4)], &floors.map(str::to_owned)[..]].concat());
    }
}
