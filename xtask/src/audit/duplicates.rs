//! Names that stand for several things in `runtime/`: types of one name in two files, and modules of one name in four. Those that are
//! known are in `xtask/audit/known-duplicates.txt`, which only gets shorter.

use std::collections::{BTreeMap, BTreeSet};

use super::list::Entry;
use super::source::Source;

/// `type` or `module`, the name, its files with commas; then the reason.
pub type Known = Entry<3>;

/// Files that may have one name for their modules.
const MODULES: usize = 3;

/// Compares the names that several files have with those that are known.
pub fn check(sources: &BTreeMap<String, Source>, known: &[Known]) -> Vec<String> {
    let found = duplicates(sources);
    let known: BTreeMap<(&str, &str), BTreeSet<&str>> = known
        .iter()
        .map(|Entry { columns: [kind, name, files], .. }| ((&**kind, &**name), files.split(',').collect()))
        .collect();
    let shown = |files: &BTreeSet<&str>| files.iter().copied().collect::<Vec<_>>().join(",");
    let mut findings = Vec::new();
    for (&(kind, name), files) in &found {
        match known.get(&(kind, name)) {
            Some(entry) if entry == files => {}
            Some(entry) if files.is_subset(entry) => findings.push(format!(
                "the {kind} `{name}` is in fewer files now; known-duplicates.txt should say `{kind} {name} {}`",
                shown(files)
            )),
            _ => findings.push(format!("the {kind} `{name}` is in {} files: {}", files.len(), shown(files))),
        }
    }
    for (kind, name) in known.keys().filter(|key| !found.contains_key(*key)) {
        findings.push(format!("the {kind} `{name}` is no duplicate; take it off known-duplicates.txt"));
    }
    findings
}

/// The files that have each name that too many have.
fn duplicates(sources: &BTreeMap<String, Source>) -> BTreeMap<(&'static str, &str), BTreeSet<&str>> {
    let mut all: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
    for (file, source) in sources {
        for defined in source.defined.iter().filter(|defined| defined.is_type) {
            all.entry(("type", defined.name.as_str())).or_default().insert(file);
        }
        all.entry(("module", module(file))).or_default().insert(file);
    }
    all.retain(|(kind, _), files| files.len() > if *kind == "type" { 1 } else { MODULES });
    all
}

/// `values` for `merge/values.rs` and for `values/mod.rs`.
fn module(file: &str) -> &str {
    let path = file.strip_suffix("/mod.rs").or_else(|| file.strip_suffix(".rs")).unwrap_or(file);
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::super::list;
    use super::super::testing::barks;
    use super::*;

    fn findings(files: &[(&str, &str)], known: &str) -> Vec<String> {
        let sources = files.iter().map(|(name, text)| ((*name).to_owned(), Source::read(text).unwrap())).collect();
        check(&sources, &list::parse(known).unwrap())
    }

    const TWO: [(&str, &str); 2] = [("a.rs", "struct Pair;"), ("b.rs", "type Pair = u8;")];
    const FOUR: [(&str, &str); 4] =
        [("values.rs", ""), ("a/values.rs", ""), ("b/values/mod.rs", ""), ("c/values.rs", "")];

    #[test]
    fn names_of_one_thing_and_known_ones_pass() {
        let one =
            [("a.rs", "struct Pair; mod b { struct Pair; } fn f() {}"), ("b.rs", "const Pair: u8 = 1; fn f() {}")];
        assert_eq!(findings(&one, ""), [""; 0]);
        assert_eq!(findings(&FOUR[..3], ""), [""; 0]);
        assert_eq!(findings(&TWO, "type Pair a.rs,b.rs why\n"), [""; 0]);
    }

    #[test]
    fn names_of_several_things_are_found() {
        barks(&findings(&TWO, ""), &["type `Pair`", "2 files: a.rs,b.rs"]);
        barks(&findings(&TWO, "type Pair a.rs,c.rs why\n"), &["type `Pair`", "2 files"]);
        barks(&findings(&FOUR, ""), &["module `values`", "4 files"]);
    }

    #[test]
    fn entries_that_are_no_duplicates_are_found() {
        barks(&findings(&TWO[..1], "type Pair a.rs,b.rs why\n"), &["type `Pair`", "take it off"]);
        barks(&findings(&TWO, "type Pair a.rs,b.rs,c.rs why\n"), &["should say `type Pair a.rs,b.rs`"]);
    }
}
