//! Names that stand for several things in `runtime/`: types of one name in two files, and modules of one name in four.

use std::collections::{BTreeMap, BTreeSet};

use super::source::Source;

/// Files that may have one name for their modules.
const MODULES: usize = 3;

/// Returns a finding for each name that too many files have.
pub fn check(sources: &BTreeMap<String, Source>) -> Vec<String> {
    let mut all: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
    for (file, source) in sources {
        for defined in source.defined.iter().filter(|defined| defined.is_type) {
            all.entry(("type", defined.name.as_str())).or_default().insert(file);
        }
        all.entry(("module", module(file))).or_default().insert(file);
    }
    all.retain(|(kind, _), files| files.len() > if *kind == "type" { 1 } else { MODULES });
    let found = all.into_iter().map(|((kind, name), files)| {
        let shown = files.iter().copied().collect::<Vec<_>>().join(",");
        format!("the {kind} `{name}` is in {} files: {shown}", files.len())
    });
    found.collect()
}

/// `values` for `merge/values.rs` and for `values/mod.rs`.
fn module(file: &str) -> &str {
    let path = file.strip_suffix("/mod.rs").or_else(|| file.strip_suffix(".rs")).unwrap_or(file);
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::super::testing::barks;
    use super::*;

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let sources = files.iter().map(|(name, text)| ((*name).to_owned(), Source::read(text).unwrap())).collect();
        check(&sources)
    }

    const FOUR: [(&str, &str); 4] =
        [("values.rs", ""), ("a/values.rs", ""), ("b/values/mod.rs", ""), ("c/values.rs", "")];

    #[test]
    fn names_of_one_thing_pass() {
        let one =
            [("a.rs", "struct Pair; mod b { struct Pair; } fn f() {}"), ("b.rs", "const Pair: u8 = 1; fn f() {}")];
        assert_eq!(findings(&one), [""; 0]);
        assert_eq!(findings(&FOUR[..3]), [""; 0]);
    }

    #[test]
    fn names_of_several_things_are_found() {
        let two = [("a.rs", "struct Pair;"), ("b.rs", "type Pair = u8;")];
        barks(&findings(&two), &["type `Pair`", "2 files: a.rs,b.rs"]);
        barks(&findings(&FOUR), &["module `values`", "4 files"]);
    }
}
