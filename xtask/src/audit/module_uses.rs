//! Checks which module of a crate uses which, by the paths in the sources: none uses one that lib.rs lists in a later section, and those
//! of `runtime/` only the ones that a table has.
//!
//! Tests may use anything: files called `tests.rs` or in a folder `tests`, and what is `#[cfg(test)]` in a file.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};

use super::source::{Source, is_test};
use super::text::sources;

/// Modules that every module may use, and that use nothing but errors.
const BASE: &[&str] = &["copy", "error", "format", "path", "span", "sync"];

/// Each module of `runtime/` and the modules that it may use besides itself and the base, in the order of lib.rs. A module that is not here
/// is a finding.
pub const RUNTIME: &[(&str, &str)] = &[
    // Another crate.
    ("format", ""),
    ("error", "format"),
    ("copy", ""),
    ("path", "copy error"),
    ("span", ""),
    ("sync", ""),
    ("os", ""),
    ("state", ""),
    ("native", ""),
    ("sections", "native"),
    ("sink", "os"),
    ("value", "os native sections sink"),
    ("raw", "native sections sink value"),
    ("dump", "native sections sink value raw"),
    ("mismatch", "native sections"),
    ("check", "sections mismatch"),
    ("compact", "sections sink value raw"),
    ("capture", "native sections sink value raw dump mismatch compact"),
    ("merge", "os native sections sink value raw dump mismatch"),
    ("report", "os"),
    ("helpers", "os sink report"),
    ("filename", ""),
    ("name", "os state sections value report filename"),
    ("publish", "os native sink report"),
    ("reset", "state sections value mismatch"),
    ("continuous", "os state native sections sink value raw dump mismatch merge report filename name publish reset"),
    ("output", "os merge name continuous"),
    (
        "lifecycle",
        "os state native sections sink value raw dump \
         mismatch merge report filename name publish reset continuous output",
    ),
    ("gcov", "os sections sink merge report publish output lifecycle"),
    ("abi", "os state native sections sink value raw dump check capture merge helpers name reset lifecycle gcov"),
    ("internals", "os"),
    // The table of contents.
    ("lib", "check capture reset lifecycle"),
];

/// Returns a finding for each use in the sources of a crate that its table, unless it has none, or the order of its lib.rs does not allow.
pub fn check(directory: &Path, table: &[(&str, &str)]) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    let known = |name: &str| table.iter().any(|(module, _)| *module == name);
    let sources = sources(directory)?;
    let lib = sources.iter().find(|(path, _)| path == Path::new("lib.rs"));
    let order = lib.map(|(_, text)| order(text)).unwrap_or_default();
    for (path, text) in &sources {
        let name = path.to_string_lossy().into_owned();
        let module = module(&name);
        // What is in the crate `profrt-format` cannot use the runtime.
        if is_test(&name) || module == "format" {
            continue;
        }
        if !table.is_empty() && !known(&module) {
            findings.push(format!("{name} is in no module that the table in xtask/src/audit/module_uses.rs knows"));
            continue;
        }
        let source = Source::read(text).with_context(|| format!("in {name}"))?;
        for (used, line) in uses(&source) {
            if known(used) && !allowed(table, &module, used) {
                findings.push(format!("{name}:{line} uses crate::{used}, and {module} may not use {used}"));
            }
            if order.get(used) > order.get(module.as_str()) && order.contains_key(module.as_str()) {
                findings.push(format!("{name}:{line} uses crate::{used}, which lib.rs lists in a later section"));
            }
        }
    }
    Ok(findings)
}

/// Returns the number of the section of `lib.rs` that lists each module. Sections are separated by comments.
fn order(lib: &str) -> BTreeMap<&str, usize> {
    let mut section = 0;
    let mut order = BTreeMap::new();
    for line in lib.lines() {
        section += usize::from(line.starts_with("// "));
        let declared = line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ");
        if let Some(module) = declared.and_then(|module| module.strip_suffix(';')) {
            order.insert(module, section);
        }
    }
    order
}

/// Returns the module of a file: `value` for `value/arena.rs`, and for `value.rs`.
pub fn module(name: &str) -> String {
    let first = name.split('/').next().unwrap_or_default();
    first.strip_suffix(".rs").unwrap_or(first).to_owned()
}

fn allowed(table: &[(&str, &str)], module: &str, used: &str) -> bool {
    let listed = table.iter().any(|(known, list)| *known == module && list.split(' ').any(|module| module == used));
    module == used || BASE.contains(&used) && !BASE.contains(&module) || listed
}

/// Returns the first names behind `crate::`, with the first line of each.
fn uses(source: &Source) -> BTreeMap<&str, usize> {
    let mut used = BTreeMap::new();
    for path in source.every_path() {
        if let [first, module, ..] = &path.segments[..]
            && first == "crate"
        {
            used.entry(module.as_str()).or_insert(path.line);
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::barks;
    use std::fs;

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        of_crate(files, RUNTIME)
    }

    fn of_crate(files: &[(&str, &str)], table: &[(&str, &str)]) -> Vec<String> {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        check(directory.path(), table).unwrap()
    }

    #[test]
    fn the_uses_of_the_design_pass() {
        let none = findings(&[
            (
                "raw.rs",
                "use crate::format::Record;\nuse crate::native::Plan;\nuse crate::error::Error;\n#[cfg(test)]\nmod tests { use crate::abi; }\n",
            ),
            ("value/arena.rs", "use crate::{os, sections::{self, Bounds}, sync};\n// not crate::abi\n"),
            ("abi/file.rs", "use crate::lifecycle;\nfn f() { crate::merge::into(\"crate::nothing\") }\n"),
            ("raw/tests.rs", "use crate::abi;\n"),
            ("raw/tests/more.rs", "use crate::abi;\n"),
        ]);
        assert_eq!(none, [""; 0]);
    }

    #[test]
    fn each_module_uses_only_modules_above_it() {
        for (at, (module, uses)) in RUNTIME.iter().enumerate() {
            for used in uses.split_whitespace() {
                assert!(RUNTIME[..at].iter().any(|(above, _)| *above == used), "{module} uses {used}");
            }
        }
    }

    #[test]
    fn uses_against_the_design_are_found() {
        barks(
            &findings(&[("native.rs", "//! Header.\nuse crate::sections::Image;\n")]),
            &["native.rs:2", "may not use sections"],
        );
        barks(
            &findings(&[("value/hook.rs", "fn f() { crate::raw::write() }\n")]),
            &["value/hook.rs", "may not use raw"],
        );
        barks(&findings(&[("merge.rs", "use crate::{raw, continuous::{Map, self}};\n")]), &["may not use continuous"]);
        barks(&findings(&[("lifecycle.rs", "use crate::abi;\n")]), &["may not use abi"]);
        barks(&findings(&[("sync.rs", "use crate::error::Error;\n")]), &["sync may not use error"]);
        barks(&findings(&[("attic.rs", "//! nothing\n")]), &["attic.rs", "no module"]);
    }

    #[test]
    fn an_order_in_lib_that_is_not_kept_is_found() {
        let lib = |order: &'static str| ("lib.rs", order);
        let user = ("dump.rs", "use crate::raw;\n");
        assert_eq!(findings(&[lib("// Raw\npub mod raw;\n\n// Dump\nmod dump;\n"), user]), [""; 0]);
        assert_eq!(findings(&[lib("// Both\nmod dump;\npub mod raw;\n"), user]), [""; 0]);
        let wrong = [lib("// Dump\nmod dump;\n\n// Raw\npub mod raw;\n"), user];
        barks(&findings(&wrong), &["dump.rs:1", "later section"]);
        barks(&of_crate(&wrong, &[]), &["dump.rs:1", "later section"]);
    }
}
