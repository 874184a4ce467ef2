//! What programs can name of the published libraries, with signatures, beside the list of it: each change is seen in a diff.
//!
//! rustdoc says what is public, the crate `public-api` puts it into lines. Implementations that are derived, automatic or for all types
//! are left out.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use public_api::{Builder, PublicItem};
use testkit::dist::compile;
use testkit::{paths, run};

/// A library, its list, and how many items it may have.
struct Library {
    package: &'static str,
    list: &'static str,
    limit: usize,
}

const LIBRARIES: [Library; 3] = [
    Library { package: "profrt", list: "runtime/public-api.txt", limit: 60 },
    Library { package: "profdata", list: "profdata/public-api.txt", limit: usize::MAX },
    Library { package: "profrt-coverage", list: "coverage/public-api.txt", limit: usize::MAX },
];

/// Differences between the libraries, with their default features, and their lists.
pub fn check() -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for library in &LIBRARIES {
        let path = paths::root().join(library.list);
        let list = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        findings.extend(compare(library, &items(library.package)?, &list));
    }
    Ok(findings)
}

/// Writes the lists anew.
pub fn refresh() -> Result<()> {
    for library in &LIBRARIES {
        let path = paths::root().join(library.list);
        let lines = items(library.package)?.join("\n") + "\n";
        fs::write(&path, lines).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn compare(library: &Library, items: &[String], list: &str) -> Vec<String> {
    let (now, listed): (BTreeSet<&str>, BTreeSet<&str>) =
        (items.iter().map(String::as_str).collect(), list.lines().collect());
    let remedy = "`cargo xtask audit --refresh-public` writes the list";
    let new = now.difference(&listed).map(|item| format!("{} does not list `{item}`; {remedy}", library.list));
    let gone = listed.difference(&now).map(|item| format!("{} lists `{item}`, which is gone; {remedy}", library.list));
    let many = (items.len() > library.limit)
        .then(|| format!("{} has {} public items, more than {}", library.package, items.len(), library.limit));
    new.chain(gone).chain(many).collect()
}

/// The public items of a library as lines of Rust.
fn items(package: &str) -> Result<Vec<String>> {
    // A directory of its own: what allows unstable options would make all else stale.
    let directory = paths::target().join("public-api");
    let mut rustdoc = compile::cargo();
    rustdoc.args(["rustdoc", "--quiet", "--lib", "--package", package, "--target-dir"]).arg(&directory);
    rustdoc.args(["--", "-Zunstable-options", "--output-format=json", "--cap-lints=allow"]);
    run::run(rustdoc.env("RUSTC_BOOTSTRAP", "1"))?;
    let json: PathBuf = directory.join(format!("doc/{}.json", package.replace('-', "_")));
    let api = Builder::from_rustdoc_json(&json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .context("rustdoc's JSON is of another rustc than the crate `public-api` reads: take its version for that in xtask/Cargo.toml")?;
    let items: Vec<String> = api.items().map(PublicItem::to_string).collect();
    if items.is_empty() {
        bail!("{package} has no public item");
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::super::tests::barks;
    use super::*;

    #[test]
    fn a_changed_signature_is_found() {
        let library = Library { package: "p", list: "list", limit: 2 };
        let items = |text: &[&str]| text.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>();
        let list = "pub fn p::f() -> u8\npub mod p\n";
        assert_eq!(compare(&library, &items(&["pub fn p::f() -> u8", "pub mod p"]), list), [""; 0]);
        let findings = compare(&library, &items(&["pub fn p::f() -> u16", "pub mod p"]), list);
        barks(&findings, &["does not list `pub fn p::f() -> u16`"]);
        barks(&findings, &["lists `pub fn p::f() -> u8`, which is gone"]);
        barks(&compare(&library, &items(&["pub mod p", "pub mod p::q", "pub mod p::r"]), list), &["3 public items"]);
    }
}
