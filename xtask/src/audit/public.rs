//! The public items of a crate: what a program can name, and what is not `#[doc(hidden)]`.

mod item;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use syn::Item;

use super::source::is_test;
use super::text::sources;
use item::{Features, attributes, is_hidden, is_shown, kind, leaves, owner};

/// What a crate may have, and the list of what it has.
pub struct Promise {
    /// The most items at the root.
    pub root: usize,
    /// The most items in all: without fields and variants, which a list has but nobody imports.
    pub all: usize,
    /// The text of the list.
    pub list: Option<String>,
}

/// Returns a finding for each limit that a list of items breaks, and each difference between it and the checked-in one.
pub fn check(items: &BTreeSet<String>, promise: &Promise) -> Vec<String> {
    let counted = || items.iter().filter(|item| !["field", "variant"].contains(&word(item)));
    let root = counted().filter(|item| !item.contains("::")).count();
    let limits = [(counted().count(), promise.all, "public items"), (root, promise.root, "of them at the root")];
    let broken = limits.iter().filter(|(number, limit, _)| number > limit);
    let mut findings: Vec<String> =
        broken.map(|(number, limit, what)| format!("{number} {what}, and the limit is {limit}")).collect();
    if let Some(list) = &promise.list {
        let listed: BTreeSet<String> = list.lines().map(str::to_owned).collect();
        let renew = "`cargo xtask audit --refresh-public` writes the list anew";
        findings.extend(items.difference(&listed).map(|item| format!("`{item}` is new; {renew}")));
        findings.extend(listed.difference(items).map(|item| format!("`{item}` is gone; {renew}")));
    }
    findings
}

fn word(item: &str) -> &str {
    item.split(' ').next().unwrap_or_default()
}

/// Returns the public items of the crate whose sources are in `directory`, as `fn File::parse`: those of the root and of its public modules,
/// and what belongs to public types and traits. With `features`, only what these let through.
pub fn items(directory: &Path, features: Option<&BTreeSet<String>>) -> Result<BTreeSet<String>> {
    let mut files = BTreeMap::new();
    for (path, text) in sources(directory)? {
        let name = path.to_string_lossy().into_owned();
        if !is_test(&name) && !name.starts_with("format/") {
            files.insert(name.clone(), syn::parse_file(&text).with_context(|| format!("in {name}"))?.items);
        }
    }
    let off: Vec<String> = files.iter().flat_map(|(file, items)| kept_out(file, items, Features(features))).collect();
    files.retain(|file, _| {
        let is_off = |module: &String| file.strip_prefix(&**module).is_some_and(|rest| rest.starts_with(['.', '/']));
        !off.iter().any(is_off)
    });
    let mut reader =
        Reader { files: &files, features: Features(features), items: BTreeSet::new(), known: BTreeSet::new() };
    reader.module(&[]);
    Ok(reader.items)
}

/// Returns the modules that a file declares and the features keep out, as their files begin.
fn kept_out(file: &str, items: &[Item], features: Features<'_>) -> Vec<String> {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let directory = match stem.strip_suffix("mod").or(stem.strip_suffix("lib")) {
        Some(directory) if directory.is_empty() || directory.ends_with('/') => directory.to_owned(),
        _ => format!("{stem}/"),
    };
    let out = items.iter().filter(|item| !features.let_through(attributes(item)));
    let modules = out.filter_map(|item| if let Item::Mod(module) = item { Some(&module.ident) } else { None });
    modules.map(|name| format!("{directory}{name}")).collect()
}

/// Returns the features that `default` of a manifest turns on.
pub fn default_features(manifest: &str) -> BTreeSet<String> {
    let listed = |name: &str| {
        let line = manifest.lines().find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix("= ["));
        line.into_iter().flat_map(|list| list.split('"').skip(1).step_by(2)).map(str::to_owned).collect::<Vec<_>>()
    };
    let (mut all, mut open) = (BTreeSet::new(), listed("default"));
    while let Some(feature) = open.pop() {
        open.extend(listed(&feature));
        all.insert(feature);
    }
    all
}

struct Reader<'a> {
    files: &'a BTreeMap<String, Vec<Item>>,
    features: Features<'a>,
    items: BTreeSet<String>,
    /// Modules and names of what is in `items`: what has several paths stands there once.
    known: BTreeSet<(Vec<String>, String)>,
}

impl<'a> Reader<'a> {
    fn file(&self, module: &[String]) -> &'a [Item] {
        let path = module.join("/");
        let names = if path.is_empty() {
            ["lib.rs".to_owned(), String::new()]
        } else {
            [format!("{path}.rs"), path + "/mod.rs"]
        };
        names.iter().find_map(|name| self.files.get(name)).map_or(&[], Vec::as_slice)
    }

    /// Adds the items of a public module.
    fn module(&mut self, module: &[String]) {
        let features = self.features;
        let shown = |item: &&Item| is_shown(item) && features.let_through(attributes(item));
        // What has several paths has the shortest one in the list: modules come last.
        let (modules, others): (Vec<&Item>, Vec<_>) =
            self.file(module).iter().filter(shown).partition(|item| matches!(item, Item::Mod(_)));
        for item in others.into_iter().chain(modules) {
            match item {
                Item::Use(item) => {
                    let mut paths = Vec::new();
                    leaves(&item.tree, &mut Vec::new(), &mut paths);
                    for (path, name) in paths {
                        self.named(module, &path, &inner(module, name), 8);
                    }
                }
                Item::Mod(item) => {
                    let inner = inner(module, item.ident.to_string());
                    self.items.insert(format!("mod {}", inner.join("::")));
                    self.module(&inner);
                }
                _ => self.defined(module, item, &inner(module, item::name(item).unwrap_or_default())),
            }
        }
    }

    /// Adds what a path, in the module `place`, stands for, under the path `shown`.
    fn named(&mut self, place: &[String], path: &[String], shown: &[String], depth: usize) {
        let features = self.features;
        let Some((last, way)) = path.split_last() else { return };
        let mut from = place.to_vec();
        for step in way {
            match step.as_str() {
                "crate" => from.clear(),
                "self" => {}
                "super" => _ = from.pop(),
                _ => from.push(step.clone()),
            }
        }
        for item in self.file(&from).iter().filter(|item| features.let_through(attributes(item))) {
            if let (Item::Use(item), Some(depth)) = (item, depth.checked_sub(1)) {
                let mut paths = Vec::new();
                leaves(&item.tree, &mut Vec::new(), &mut paths);
                for (path, _) in paths.iter().filter(|(path, found)| found == last && path.len() > 1) {
                    self.named(&from, path, shown, depth);
                }
            } else if !matches!(item, Item::Impl(_) | Item::Macro(_)) && item::name(item).as_ref() == Some(last) {
                self.defined(&from, item, shown);
            }
        }
    }

    /// Adds an item that is defined in the module `place`, and its members, under the path `shown`.
    fn defined(&mut self, place: &[String], item: &Item, shown: &[String]) {
        let features = self.features;
        let Some(name) = item::name(item) else { return };
        if is_hidden(attributes(item)) || !self.known.insert((place.to_vec(), name.clone())) {
            return;
        }
        let path = shown.join("::");
        self.items.insert(format!("{} {path}", kind(item)));
        // The members of one type stand in files of one module at the root.
        let top = place.first().cloned().unwrap_or_default();
        let near = self.files.iter().filter(|(file, _)| top.is_empty() || file.split(['/', '.']).next() == Some(&top));
        let others = near.flat_map(|(_, items)| items).filter(|other| matches!(other, Item::Impl(_) | Item::Macro(_)));
        let others: Vec<&Item> = others.filter(|other| owner(other).as_ref() == Some(&name)).collect();
        for item in [item].into_iter().chain(others) {
            if features.let_through(attributes(item)) {
                let members = features.members(item);
                self.items.extend(members.into_iter().map(|(kind, member)| format!("{kind} {path}::{member}")));
            }
        }
    }
}

fn inner(module: &[String], name: String) -> Vec<String> {
    [module, &[name][..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::barks;

    fn found(files: &[(&str, &str)], features: Option<&[&str]>) -> Vec<String> {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = directory.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let features = features.map(|features| features.iter().map(|name| (*name).to_owned()).collect());
        items(directory.path(), features.as_ref()).unwrap().into_iter().collect()
    }

    #[test]
    fn items_and_members_that_a_program_can_name_are_counted() {
        let root = "mod a; pub mod b; #[doc(hidden)] pub mod c;\npub use a::{E, f};\n#[doc(hidden)] pub use a::g;";
        let a = "pub fn f() {} pub fn g() {} pub struct Inner;\npub enum E { One, Two }\n\
            impl E { pub fn shown(&self) {} fn own(&self) {} #[doc(hidden)] pub fn hidden(&self) {} }";
        let b = "mod d; pub use d::D; pub struct S<F>(pub F, u8); pub(crate) fn h() {}\n\
            pub trait T { fn m(); #[doc(hidden)] fn n(); }";
        let d = "pub struct D { pub x: u8 } impl D { pub const C: u8 = 1; }";
        let files = [("lib.rs", root), ("a.rs", a), ("b.rs", b), ("b/d.rs", d), ("c.rs", "pub fn i() {}")];
        let expected = [
            "const b::D::C",
            "enum E",
            "field b::D::x",
            "field b::S::0",
            "fn E::shown",
            "fn b::T::m",
            "fn f",
            "mod b",
            "struct b::D",
            "struct b::S",
            "trait b::T",
            "variant E::One",
            "variant E::Two",
        ];
        assert_eq!(found(&files, None), expected);
    }

    #[test]
    fn named_errors_are_counted() {
        let error = "pub struct Error(u8); ours! { public { /// Doc.\nONE = 1; TWO = 2; } internal { THREE = 3; } }";
        let expected = ["const Error::ONE", "const Error::TWO", "struct Error"];
        assert_eq!(found(&[("lib.rs", "pub use e::Error;"), ("e.rs", error)], None), expected);
    }

    #[test]
    fn what_features_keep_out_is_not_counted() {
        let root = "#[cfg(feature = \"a\")] pub mod a;\n#[cfg(not(feature = \"b\"))] pub fn f() {}\n\
            #[cfg(all(unix, any(feature = \"a\", feature = \"b\")))] pub fn g() {}\n#[cfg(test)] pub fn h() {}\n\
            pub struct S; impl S { #[cfg(feature = \"b\")] pub fn m() {} }";
        let own = "impl S { pub fn n() {} }";
        let of = |features| found(&[("lib.rs", root), ("a.rs", "mod b;"), ("a/b.rs", own)], features);
        assert_eq!(of(Some(&[])), ["fn f", "struct S"]);
        assert_eq!(of(Some(&["b"])), ["fn S::m", "fn g", "struct S"]);
        assert_eq!(of(None), ["fn S::m", "fn S::n", "fn f", "fn g", "mod a", "struct S"]);
        let manifest = "[features]\ndefault = [\"a\", \"b\"]\na = []\nb = [\"c\", \"dep:x\"]\n";
        assert!(["a", "b", "c"].iter().all(|name| default_features(manifest).contains(*name)));
    }

    #[test]
    fn limits_and_changes_are_findings() {
        let items = BTreeSet::from(["fn a::f".to_owned(), "mod a".to_owned(), "variant a::E::V".to_owned()]);
        let promise = |root, all, list: &[&str]| Promise { root, all, list: Some(list.join("\n")) };
        let listed = ["fn a::f", "mod a", "variant a::E::V"];
        assert_eq!(check(&items, &promise(1, 2, &listed)), [""; 0]);
        barks(&check(&items, &promise(1, 1, &listed)), &["2 public items", "limit is 1"]);
        barks(&check(&items, &promise(0, 2, &listed)), &["1 of them at the root"]);
        barks(&check(&items, &promise(1, 2, &listed[1..])), &["`fn a::f` is new"]);
        barks(&check(&items, &promise(1, 2, &[&listed[..], &["fn g"]].concat())), &["`fn g` is gone"]);
    }
}
