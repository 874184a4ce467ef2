//! Tests that documents name exist. A promise whose test was renamed or removed would look proved.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// The directories of `c-tests/` with programs.
const GROUPS: [&str; 7] = ["abi", "continuous", "gcov", "link", "merge", "run", "values"];

/// Returns the names of tests in the documents of the project that no program in `c-tests/` has.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let tests = tests(&root.join("c-tests"))?;
    let mut documents = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(|name| root.join(name)).to_vec();
    for part in ["docs", "docs/tool"] {
        for entry in fs::read_dir(root.join(part)).with_context(|| format!("cannot read {part}"))? {
            documents.push(entry?.path());
        }
    }
    documents.sort();
    let mut findings = Vec::new();
    for path in documents.iter().filter(|path| path.extension().is_some_and(|extension| extension == "md")) {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
        findings
            .extend(missing(&text, &tests).into_iter().map(|test| format!("{name} names `{test}`, which no test has")));
    }
    Ok(findings)
}

/// Returns the names of all programs, `group/program`, and of their variants, `group/program/variant`.
fn tests(directory: &Path) -> Result<BTreeSet<String>> {
    let mut tests = BTreeSet::new();
    for group in GROUPS {
        let path = directory.join(group);
        for entry in fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))? {
            let path = entry?.path();
            let Some(program) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
            if !path.extension().is_some_and(|extension| extension == "c" || extension == "cpp") {
                continue;
            }
            tests.insert(format!("{group}/{program}"));
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let variants = text.lines().filter_map(|line| line.strip_prefix("// profrt: variant "));
            tests.extend(variants.map(|variant| format!("{group}/{program}/{}", variant.trim())));
        }
    }
    Ok(tests)
}

/// Returns the names in backticks that look like tests and are none. `run/signals*`, `values/…/merged` and a last part that stands for
/// several tests' names are taken by what stands before it.
fn missing(text: &str, tests: &BTreeSet<String>) -> Vec<String> {
    let quoted = text.split('`').skip(1).step_by(2);
    let named = quoted.filter(|name| {
        let parts: Vec<&str> = name.split('/').collect();
        let plain = |part: &str| !part.is_empty() && !part.contains([' ', '.', '…', '$', '(']);
        (2..=3).contains(&parts.len()) && GROUPS.contains(&parts[0]) && parts[1..].iter().all(|part| plain(part))
    });
    let known = |name: &str| match name.strip_suffix('*') {
        Some(start) => tests.iter().any(|test| test.starts_with(start)),
        None => tests.contains(name) || name.strip_suffix("/merged").is_some_and(|plain| tests.contains(plain)),
    };
    named.filter(|name| !known(name)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_is_not_there_is_found() {
        let tests = BTreeSet::from(["run/fork".to_owned(), "run/fork/twice".to_owned()]);
        let text =
            "`run/fork`, `run/fork/twice`, `run/fork/tw*`, `run/fork/merged`, `run/x.c`, `values/…/merged`, `docs/a`";
        assert!(missing(text, &tests).is_empty());
        assert_eq!(
            missing("`run/spoon` and `run/fork/thrice`, `merge/x*`", &tests),
            ["run/spoon", "run/fork/thrice", "merge/x*"]
        );
    }
}
