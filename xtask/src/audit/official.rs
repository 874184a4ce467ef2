//! What LLVM's archives define: the list `official-symbols.txt`, read and made.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail};

use super::archive::Archive;
use testkit::toolchain::Clang;

/// A line of the list: a symbol as the archives of some releases define it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Official {
    pub name: String,
    /// Kind, binding and visibility: `func global hidden`.
    pub described: String,
    pub clangs: Vec<u32>,
}

const HEADER: &str = "\
# What libclang_rt.profile-x86_64.a of Debian's clang 14, 16, 19 and 22 defines for linkers, by name. Made by
# `cargo xtask audit --refresh-official` from those archives with an object reader; not from any source.
# Columns: name, kind, binding, visibility, releases. A symbol that changed has several lines.
";

/// Reads the list.
pub fn parse(text: &str) -> Result<Vec<Official>> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| parse_line(line).with_context(|| format!("official-symbols.txt has the line `{line}`"))).collect()
}

fn parse_line(line: &str) -> Result<Official> {
    let columns: Vec<&str> = line.split_whitespace().collect();
    let [name, kind, binding, visibility, clangs] = columns[..] else { bail!("there are five columns") };
    let clangs = clangs.split(',').map(|version| version.parse().context("the last column lists releases"));
    Ok(Official {
        name: name.to_owned(),
        described: format!("{kind} {binding} {visibility}"),
        clangs: clangs.collect::<Result<_>>()?,
    })
}

/// The releases in the list that say what an archive of this raw version has to define. Versions that no listed release emits
/// are held to their neighbours: 9 (clang 18) to what 16 and 19 both have, later ones to what 22 has.
fn releases(raw: u8) -> &'static [&'static [u32]] {
    match raw {
        8 => &[&[14], &[16]],
        9 => &[&[16, 19]],
        10 => &[&[19], &[22]],
        _ => &[&[22]],
    }
}

/// What has to be there for `raw`, as the newest of its releases has it.
pub fn required(all: &[Official], raw: u8) -> BTreeMap<&str, &str> {
    let mut required = BTreeMap::new();
    for group in releases(raw) {
        for line in all {
            let named =
                |version: &u32| all.iter().any(|other| other.name == line.name && other.clangs.contains(version));
            let newest = group.iter().max().is_some_and(|version| line.clangs.contains(version));
            if newest && group.iter().all(named) {
                required.insert(line.name.as_str(), line.described.as_str());
            }
        }
    }
    required
}

/// What may be there for any `raw`: a symbol of another release, as the newest release has it.
pub fn known(all: &[Official]) -> BTreeMap<&str, &str> {
    let mut sorted: Vec<&Official> = all.iter().collect();
    sorted.sort_by_key(|line| line.clangs.iter().max().copied());
    sorted.into_iter().map(|line| (line.name.as_str(), line.described.as_str())).collect()
}

/// What a program that links the official archive exports, on purpose or not.
pub fn exported(all: &[Official], raw: u8) -> Vec<&str> {
    let visible = |described: &str| described.ends_with("default");
    required(all, raw).into_iter().filter(|(_, described)| visible(described)).map(|(name, _)| name).collect()
}

/// Makes the list from the archives of these clangs.
pub fn refresh(clangs: &[Clang]) -> Result<String> {
    let mut releases: BTreeMap<(String, String), Vec<u32>> = BTreeMap::new();
    for clang in clangs {
        let bytes = fs::read(&clang.official).with_context(|| format!("cannot read {}", clang.official.display()))?;
        for (_, symbol) in Archive::parse(clang.raw, &bytes)?.definitions() {
            let key = (symbol.name.clone(), symbol.described());
            let versions = releases.entry(key).or_default();
            if !versions.contains(&clang.version) {
                versions.push(clang.version);
            }
        }
    }
    let mut text = HEADER.to_owned();
    for ((name, described), versions) in releases {
        let versions: Vec<String> = versions.iter().map(u32::to_string).collect();
        text.push_str(&format!("{name} {described} {}\n", versions.join(",")));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "# comment
old func global hidden 14,16,19
both func global hidden 14,16,19,22
changed object weak default 14
changed object weak hidden 16,19,22
new func global default 22
";

    #[test]
    fn the_newest_release_of_a_raw_version_counts() {
        let list = parse(LIST).unwrap();
        assert_eq!(required(&list, 8)["changed"], "object weak hidden");
        assert!(required(&list, 10).contains_key("old"), "19 has it, and 10 serves 19");
        assert!(!required(&list, 11).contains_key("old"));
        assert!(!required(&list, 8).contains_key("new"));
        assert!(required(&list, 9).contains_key("changed"));
        assert_eq!(known(&list)["changed"], "object weak hidden");
        assert_eq!(exported(&list, 10), ["new"]);
        assert!(exported(&list, 8).is_empty());
    }

    #[test]
    fn a_damaged_line_is_named() {
        let error = parse("name func global\n").unwrap_err();
        assert!(format!("{error:#}").contains("name func global"));
    }
}
