//! Rules that every source file keeps: a header, a bounded length, `unsafe` only where the file says so, nothing left for later.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::source::identifiers;

/// The lint that denies `unsafe` at the root.
const PERMISSION: &str = "unsafe_code";

/// A file may be longer where its header says why, with this word in the reason.
const LIMIT: (usize, &str) = (400, "lines");

/// The directories with sources of ours.
const TREES: [&str; 9] =
    ["runtime", "profdata", "tool/src", "python/src", "xtask", "c-tests", "tests", "fuzz/src", "fuzz/fuzz_targets"];

/// The trees in which `unsafe` is denied at the root.
const FENCED: [&str; 3] = ["runtime", "profdata", "python/src"];

/// The crate with the layout of raw profiles, and the directories of `tool/src` that may use it: others ask the crate `profdata`.
const LAYOUT: (&str, [&str; 2]) = ("profrt_format", ["rebuild", "receive"]);

/// Files in the trees that break a rule.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for tree in TREES.iter().filter(|tree| root.join(tree).is_dir()) {
        let all = sources(&root.join(tree))?;
        for (path, text) in &all {
            let name = format!("{tree}/{}", path.display());
            let fenced =
                FENCED.contains(tree) && !all.iter().any(|(above, text)| is_above(above, path) && opens_fence(text));
            let found = file(text, fenced).with_context(|| format!("in {name}"))?;
            findings.extend(found.into_iter().map(|finding| format!("{name} {finding}")));
            if *tree == "tool/src" && knows_layout(path, text)? {
                findings.push(format!("{name} uses {}, which is for {}", LAYOUT.0, LAYOUT.1.join(" and ")));
            }
        }
    }
    Ok(findings)
}

/// Whether a file of the tool uses the layout of raw profiles, and may not.
fn knows_layout(path: &Path, text: &str) -> Result<bool> {
    let may = LAYOUT.1.iter().any(|directory| path.starts_with(directory));
    Ok(!may && identifiers(text)?.iter().any(|name| name == LAYOUT.0))
}

/// Whether `path` is a module inside the module `above`: that is `a/mod.rs` or `a.rs`, and `path` is in `a/`.
fn is_above(above: &Path, path: &Path) -> bool {
    let directory = match above.file_name() {
        Some(name) if name == "mod.rs" => above.parent().map(Path::to_path_buf),
        _ => Some(above.with_extension("")),
    };
    above != path && directory.is_some_and(|directory| path.starts_with(directory))
}

/// Whether the file allows `unsafe` for itself and the modules in it.
fn opens_fence(text: &str) -> bool {
    let inner = syn::parse_file(text).map(|file| file.attrs).unwrap_or_default();
    inner.iter().any(|attribute| {
        attribute.path().is_ident("allow")
            && attribute.meta.require_list().is_ok_and(|list| word(&list.tokens.to_string(), PERMISSION))
    })
}

/// The rules for one file; `fenced` is one that needs a permission of its own for `unsafe`.
fn file(text: &str, fenced: bool) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    let header: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!") || line.trim().is_empty()).collect();
    if !text.starts_with("//!") {
        findings.push("does not open with `//!` and what it holds".to_owned());
    }
    let length = text.lines().count();
    if length > LIMIT.0 && !header.iter().any(|line| line.contains(LIMIT.1)) {
        findings.push(format!("has {length} lines, and its header gives no reason why more than {}", LIMIT.0));
    }
    for mark in [concat!("TO", "DO"), concat!("FIX", "ME")] {
        for (number, line) in text.lines().enumerate().filter(|(_, line)| word(line, mark)) {
            findings.push(format!("line {} says {mark}: {}", number + 1, line.trim()));
        }
    }
    let names = identifiers(text)?;
    let allowed = names.windows(2).any(|pair| pair == ["allow", PERMISSION]);
    if fenced && !allowed && names.iter().any(|name| name == "unsafe") {
        findings.push("has `unsafe` and no `allow(unsafe_code)`, by which such files are found".to_owned());
    }
    Ok(findings)
}

fn word(text: &str, word: &str) -> bool {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word)
        .any(|(at, _)| !inside(text[..at].chars().next_back()) && !inside(text[at + word.len()..].chars().next()))
}

/// Every `.rs` file below `directory`, by its path from there, in order.
pub fn sources(directory: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).with_context(|| format!("cannot read {}", next.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
                found.push((path.strip_prefix(directory).unwrap_or(&path).to_path_buf(), text));
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::barks;

    #[test]
    fn a_tidy_file_passes() {
        let text = "//! What it holds.\n\n#![allow(unsafe_code)]\n\nfn f() { unsafe {} }\n";
        assert_eq!(file(text, true).unwrap(), [""; 0]);
        let safe = "//! Mentions unsafe.\n// unsafe\nfn f() -> &'static str { \"unsafe\" }\nfn unsafely() {}\n";
        assert_eq!(file(safe, true).unwrap(), [""; 0]);
        let long = format!("//! A table of 500 lines, one a symbol.\n{}", "const A: u8 = 1;\n".repeat(500));
        assert_eq!(file(&long, true).unwrap(), [""; 0]);
    }

    #[test]
    fn each_rule_barks() {
        barks(&file("fn f() {}\n", false).unwrap(), &["does not open"]);
        barks(&file(&format!("//! Long.\n{}", "fn f() {}\n".repeat(500)), false).unwrap(), &["has 501 lines"]);
        barks(&file(concat!("//! Later.\n// TO", "DO: more\n"), false).unwrap(), &["line 2 says"]);
        barks(&file("//! Bold.\nfn f() { unsafe {} }\n", true).unwrap(), &["unsafe_code"]);
        barks(&file("//! Bold.\n#[unsafe(no_mangle)]\nfn f() {}\n", true).unwrap(), &["unsafe_code"]);
    }

    #[test]
    fn only_some_modules_of_the_tool_know_the_layout() {
        let knows = |path: &str| knows_layout(Path::new(path), "//! A.\nuse profrt_format::Header;\n").unwrap();
        assert!(knows("show/mod.rs") && !knows("rebuild/elf.rs") && !knows("receive/mod.rs"));
    }

    #[test]
    fn a_module_may_allow_unsafe_for_those_inside() {
        let above = |above: &str, path: &str| is_above(Path::new(above), Path::new(path));
        assert!(
            above("abi/mod.rs", "abi/file.rs")
                && above("raw.rs", "raw/tests.rs")
                && above("os/mod.rs", "os/unix/file.rs")
        );
        assert!(
            !above("abi/mod.rs", "abi/mod.rs")
                && !above("raw.rs", "rawer/tests.rs")
                && !above("abi/file.rs", "abi/mod.rs")
        );
        assert!(opens_fence("#![allow(unsafe_code)]") && !opens_fence("// #![allow(unsafe_code)]"));
    }
}
