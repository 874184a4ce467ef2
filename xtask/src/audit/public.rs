//! Counts the public items of the crate `profrt`: what a program can name, and what is not `#[doc(hidden)]`.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use proc_macro2::TokenTree;
use syn::{Attribute, ImplItem, Item, Meta, TraitItem, Type, UseTree, Visibility};

use super::source::is_test;
use super::text::sources;

/// Fewer than this.
const LIMIT: usize = 60;

/// Returns a finding when the crate below `runtime` has too many public items.
pub fn check(runtime: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for (path, text) in sources(runtime)? {
        let name = path.to_string_lossy().into_owned();
        if !is_test(&name) && !name.starts_with("format/") {
            files.push((name.clone(), syn::parse_file(&text).with_context(|| format!("in runtime/{name}"))?.items));
        }
    }
    let items = items(&files);
    let too_many = items.len() >= LIMIT;
    let list = items.into_iter().collect::<Vec<_>>();
    Ok(too_many
        .then(|| format!("{} public items, and {LIMIT} are too many: {}", list.len(), list.join(", ")))
        .into_iter()
        .collect())
}

/// Returns the public items: those of the root and of its public modules, and what belongs to public types and traits.
fn items(files: &[(String, Vec<Item>)]) -> BTreeSet<String> {
    let file = |name: &str| files.iter().find(|(known, _)| known == name).map_or(&[][..], |(_, items)| items);
    let mut names = BTreeSet::new();
    let mut open = vec!["lib.rs".to_owned()];
    while let Some(next) = open.pop() {
        for item in file(&next).iter().filter(|item| is_shown(item)) {
            match item {
                Item::Use(item) => leaves(&item.tree, &mut names),
                Item::Mod(item) => {
                    open.push(format!("{}.rs", item.ident));
                    names.insert(item.ident.to_string());
                }
                _ => names.extend(name(item)),
            }
        }
    }
    let mut all = names.clone();
    for item in files.iter().flat_map(|(_, items)| items) {
        let Some(name) = owner(item).filter(|name| names.contains(name)) else { continue };
        all.extend(members(item).into_iter().map(|member| format!("{name}::{member}")));
    }
    all
}

/// Whether an item is public and not hidden.
fn is_shown(item: &Item) -> bool {
    let (visibility, attributes) = match item {
        Item::Const(item) => (&item.vis, &item.attrs),
        Item::Enum(item) => (&item.vis, &item.attrs),
        Item::Fn(item) => (&item.vis, &item.attrs),
        Item::Mod(item) => (&item.vis, &item.attrs),
        Item::Static(item) => (&item.vis, &item.attrs),
        Item::Struct(item) => (&item.vis, &item.attrs),
        Item::Trait(item) => (&item.vis, &item.attrs),
        Item::Type(item) => (&item.vis, &item.attrs),
        Item::Use(item) => (&item.vis, &item.attrs),
        _ => return false,
    };
    is_public(visibility) && !is_hidden(attributes)
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Whether the attributes have `#[doc(hidden)]`.
fn is_hidden(attributes: &[Attribute]) -> bool {
    let hidden =
        |attribute: &Attribute| attribute.parse_args::<Meta>().is_ok_and(|meta| meta.path().is_ident("hidden"));
    attributes.iter().any(|attribute| attribute.path().is_ident("doc") && hidden(attribute))
}

/// Collects the names that a `use` brings.
fn leaves(tree: &UseTree, names: &mut BTreeSet<String>) {
    match tree {
        UseTree::Path(path) => leaves(&path.tree, names),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, names)),
        UseTree::Name(name) => _ = names.insert(name.ident.to_string()),
        UseTree::Rename(rename) => _ = names.insert(rename.rename.to_string()),
        UseTree::Glob(_) => _ = names.insert("*".to_owned()),
    }
}

fn name(item: &Item) -> Option<String> {
    Some(match item {
        Item::Const(item) => item.ident.to_string(),
        Item::Fn(item) => item.sig.ident.to_string(),
        Item::Static(item) => item.ident.to_string(),
        Item::Type(item) => item.ident.to_string(),
        _ => return owner(item),
    })
}

/// Returns the type or trait that an item defines or adds members to.
fn owner(item: &Item) -> Option<String> {
    match item {
        Item::Enum(item) => Some(item.ident.to_string()),
        Item::Struct(item) => Some(item.ident.to_string()),
        Item::Trait(item) => Some(item.ident.to_string()),
        Item::Impl(item) if item.trait_.is_none() => match &*item.self_ty {
            Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        },
        // `ours! { public { … } internal { … } }` makes constants of `Error`.
        Item::Macro(item) if item.mac.path.is_ident("ours") => Some("Error".to_owned()),
        _ => None,
    }
}

/// Returns the public members of a type or trait.
fn members(item: &Item) -> Vec<String> {
    match item {
        Item::Enum(item) => item.variants.iter().map(|variant| variant.ident.to_string()).collect(),
        Item::Struct(item) => {
            let shown = item.fields.iter().enumerate().filter(|(_, field)| is_public(&field.vis));
            shown.map(|(at, field)| field.ident.as_ref().map_or(at.to_string(), ToString::to_string)).collect()
        }
        Item::Trait(item) => {
            let methods = item.items.iter().filter_map(|item| match item {
                TraitItem::Fn(item) if !is_hidden(&item.attrs) => Some(item.sig.ident.to_string()),
                _ => None,
            });
            methods.collect()
        }
        Item::Impl(item) => {
            let shown = item.items.iter().filter_map(|item| match item {
                ImplItem::Fn(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                    Some(item.sig.ident.to_string())
                }
                ImplItem::Const(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                    Some(item.ident.to_string())
                }
                _ => None,
            });
            shown.collect()
        }
        Item::Macro(item) => {
            let mut groups = item.mac.tokens.clone().into_iter().filter_map(|token| match token {
                TokenTree::Group(group) => Some(group.stream().into_iter().collect::<Vec<_>>()),
                _ => None,
            });
            let public = groups.next().unwrap_or_default();
            let named = public.windows(2).filter_map(|pair| match pair {
                [TokenTree::Ident(name), TokenTree::Punct(sign)] if sign.as_char() == '=' => Some(name.to_string()),
                _ => None,
            });
            named.collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let parsed: Vec<_> =
            files.iter().map(|(name, text)| ((*name).to_owned(), syn::parse_file(text).unwrap().items)).collect();
        items(&parsed).into_iter().collect()
    }

    #[test]
    fn items_and_members_that_a_program_can_name_are_counted() {
        let root = "mod a; pub mod b; #[doc(hidden)] pub mod c;\npub use a::{E, f};\n#[doc(hidden)] pub use a::g;";
        let a = "pub fn f() {} pub fn g() {} pub struct Inner;\npub enum E { One, Two }\n\
            impl E { pub fn shown(&self) {} fn own(&self) {} #[doc(hidden)] pub fn hidden(&self) {} }";
        let b = "pub struct S<F>(pub F, u8); pub(crate) fn h() {}\npub trait T { fn m(); #[doc(hidden)] fn n(); }";
        let expected = ["E", "E::One", "E::Two", "E::shown", "S", "S::0", "T", "T::m", "b", "f"];
        assert_eq!(found(&[("lib.rs", root), ("a.rs", a), ("b.rs", b), ("c.rs", "pub fn i() {}")]), expected);
    }

    #[test]
    fn named_errors_are_counted() {
        let error = "pub struct Error(u8); ours! { public { /// Doc.\nONE = 1; TWO = 2; } internal { THREE = 3; } }";
        assert_eq!(found(&[("lib.rs", "pub use e::Error;"), ("e.rs", error)]), ["Error", "Error::ONE", "Error::TWO"]);
    }

    #[test]
    fn too_many_are_a_finding() {
        let directory = tempfile::tempdir().unwrap();
        let write = |number: usize| {
            let text: String = (0..number).map(|at| format!("pub fn f{at}() {{}}\n")).collect();
            std::fs::write(directory.path().join("lib.rs"), text).unwrap();
            check(directory.path()).unwrap().len()
        };
        assert_eq!((write(LIMIT - 1), write(LIMIT)), (0, 1));
    }
}
