//! What the checks of sources read from one Rust file: the paths it names, the names it defines, its modules. Without its tests.
//!
//! Paths in the arguments of macros are read from their tokens, since only the macro knows their grammar.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use proc_macro2::{TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, ExprLit, File, ForeignItem, Ident, ImplItemFn, Item, ItemMacro, ItemType, Lit, Meta,
    MetaNameValue, Token, Type, UseName, UseRename, UseTree, Visibility,
};

type Metas = Punctuated<Meta, Token![,]>;

/// A path as it is written, for example `super::node::Head`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub segments: Vec<String>,
    /// The module of the file that the path stands in: empty for the file's own, else the names of modules in braces.
    pub within: Vec<String>,
    pub line: usize,
}

/// A name that a `use` brings into a module.
#[derive(Clone, Debug)]
pub struct Import {
    pub path: Named,
    /// The name it has here; none for `*`.
    pub name: Option<String>,
    /// Whether others may take the name from here.
    pub public: bool,
}

/// A name that a file defines, or a module in braces.
#[derive(Clone, Debug)]
pub struct Defined {
    pub name: String,
    pub within: Vec<String>,
    pub is_type: bool,
}

/// A `mod name;`.
#[derive(Clone, Debug)]
pub struct Declared {
    pub name: String,
    pub within: Vec<String>,
    /// Files of `#[path = "…"]`, also of those under a condition.
    pub files: Vec<String>,
}

/// What a file says outside of its tests.
#[derive(Clone, Debug, Default)]
pub struct Source {
    pub imports: Vec<Import>,
    /// Paths of two segments or more outside of `use`.
    pub paths: Vec<Named>,
    pub defined: Vec<Defined>,
    pub declared: Vec<Declared>,
    /// Modules in braces.
    pub inner: Vec<Vec<String>>,
    /// The first names of all paths outside of `use`.
    pub used: BTreeSet<String>,
}

impl Source {
    pub fn read(text: &str) -> Result<Source> {
        let file: File = syn::parse_file(text).context("not Rust")?;
        let mut reader = Reader::default();
        reader.visit_file(&file);
        Ok(reader.source)
    }

    /// Every path that the file makes use of: all but names that it hands on and does not use itself.
    pub fn own_paths(&self) -> impl Iterator<Item = &Named> {
        let own =
            |import: &&Import| !import.public || import.name.as_ref().is_some_and(|name| self.used.contains(name));
        self.imports.iter().filter(own).map(|import| &import.path).chain(&self.paths)
    }

    /// Every path, in `use` and elsewhere.
    pub fn every_path(&self) -> impl Iterator<Item = &Named> {
        self.imports.iter().map(|import| &import.path).chain(&self.paths)
    }
}

/// Returns the identifiers of a file in their order. Comments and literals have none.
pub fn identifiers(text: &str) -> Result<Vec<String>> {
    // A byte order mark or a `#!` line is none of the tokens, and none of our files has one.
    let tokens: TokenStream = text.parse().map_err(|error| anyhow::anyhow!("not Rust: {error}"))?;
    let mut found = Vec::new();
    collect(tokens, &mut found);
    Ok(found)
}

fn collect(tokens: TokenStream, found: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => found.push(ident.to_string()),
            TokenTree::Group(group) => collect(group.stream(), found),
            _ => {}
        }
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether an attribute is a `cfg` that holds in tests only.
fn only_in_tests(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") && attribute.parse_args::<Meta>().is_ok_and(|condition| needs_test(&condition))
}

fn needs_test(condition: &Meta) -> bool {
    match condition {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) => {
            let parts = || list.parse_args_with(Metas::parse_terminated).unwrap_or_default();
            list.path.is_ident("all") && parts().iter().any(needs_test)
                || list.path.is_ident("any") && parts().iter().all(needs_test)
        }
        _ => false,
    }
}

/// Returns the file of `#[path = "file"]` and of `#[cfg_attr(condition, path = "file")]`.
fn file_of(attribute: &Attribute) -> Option<String> {
    let value = |meta: &Meta| match meta {
        Meta::NameValue(MetaNameValue { path, value: Expr::Lit(ExprLit { lit: Lit::Str(file), .. }), .. }) => {
            path.is_ident("path").then(|| file.value())
        }
        _ => None,
    };
    if !attribute.path().is_ident("cfg_attr") {
        return value(&attribute.meta);
    }
    attribute.parse_args_with(Metas::parse_terminated).ok()?.iter().find_map(value)
}

/// Whether an alias gives arguments to a type of the same name: `type Plan = format::Plan<Native>`.
fn is_alias_of_same_name(item: &ItemType) -> bool {
    matches!(&*item.ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == item.ident))
}

/// Whether a file is all tests.
pub fn is_test(name: &str) -> bool {
    name.split('/').any(|part| part == "tests.rs" || part == "tests")
}

#[derive(Default)]
struct Reader {
    source: Source,
    within: Vec<String>,
}

impl Reader {
    fn named(&self, segments: Vec<String>, line: usize) -> Named {
        Named { segments, within: self.within.clone(), line }
    }

    fn define(&mut self, name: &Ident, is_type: bool) {
        self.source.defined.push(Defined { name: name.to_string(), within: self.within.clone(), is_type });
    }

    fn import(&mut self, tree: &UseTree, before: &[String], public: bool) {
        let path = |name: &Ident| before.iter().cloned().chain([name.to_string()]).collect::<Vec<_>>();
        let (segments, name, span) = match tree {
            UseTree::Path(next) => return self.import(&next.tree, &path(&next.ident), public),
            UseTree::Group(group) => return group.items.iter().for_each(|tree| self.import(tree, before, public)),
            UseTree::Glob(glob) => (before.to_vec(), None, glob.star_token.spans[0]),
            UseTree::Name(UseName { ident }) if ident == "self" => {
                (before.to_vec(), before.last().cloned(), ident.span())
            }
            UseTree::Name(UseName { ident }) => (path(ident), Some(ident.to_string()), ident.span()),
            UseTree::Rename(UseRename { ident, rename, .. }) => {
                let segments = if ident == "self" { before.to_vec() } else { path(ident) };
                (segments, Some(rename.to_string()), ident.span())
            }
        };
        let path = self.named(segments, span.start().line);
        self.source.imports.push(Import { path, name, public });
    }

    /// Finds `a::b::c` in what a macro is given.
    fn tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut line, mut colons) = (Vec::new(), 0, 0);
        for token in tokens {
            match token {
                TokenTree::Ident(ident) if colons == 2 && !path.is_empty() => {
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Ident(ident) => {
                    self.path(std::mem::replace(&mut path, vec![ident.to_string()]), line);
                    (line, colons) = (ident.span().start().line, 0);
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                other => {
                    self.path(std::mem::take(&mut path), line);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.path(path, line);
    }

    fn path(&mut self, segments: Vec<String>, line: usize) {
        self.source.used.extend(segments.first().cloned());
        if segments.len() > 1 {
            let named = self.named(segments, line);
            self.source.paths.push(named);
        }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        if attributes(item).iter().any(only_in_tests) {
            return;
        }
        match item {
            Item::Struct(item) => self.define(&item.ident, true),
            Item::Enum(item) => self.define(&item.ident, true),
            Item::Union(item) => self.define(&item.ident, true),
            Item::Trait(item) => self.define(&item.ident, true),
            Item::Type(item) => self.define(&item.ident, !is_alias_of_same_name(item)),
            Item::Fn(item) => self.define(&item.sig.ident, false),
            Item::Const(item) => self.define(&item.ident, false),
            Item::Static(item) => self.define(&item.ident, false),
            Item::Macro(item) => {
                if let Some(name) = &item.ident {
                    self.define(name, false);
                }
            }
            // `::name` is another crate.
            Item::Use(item) if item.leading_colon.is_some() => return,
            Item::Use(item) => return self.import(&item.tree, &[], !matches!(item.vis, Visibility::Inherited)),
            Item::Mod(item) => {
                let name = item.ident.to_string();
                if item.content.is_none() {
                    let files = item.attrs.iter().filter_map(file_of).collect();
                    self.source.declared.push(Declared { name, within: self.within.clone(), files });
                    return;
                }
                self.within.push(name);
                self.source.inner.push(self.within.clone());
                visit::visit_item_mod(self, item);
                self.within.pop();
                return;
            }
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_foreign_item(&mut self, item: &'ast ForeignItem) {
        match item {
            ForeignItem::Fn(item) => self.define(&item.sig.ident, false),
            ForeignItem::Static(item) => self.define(&item.ident, false),
            ForeignItem::Type(item) => self.define(&item.ident, true),
            _ => {}
        }
        visit::visit_foreign_item(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if path.leading_colon.is_none() {
            self.path(segments, path.segments[0].ident.span().start().line);
        }
        visit::visit_path(self, path);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if !item.attrs.iter().any(only_in_tests) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    /// Conditions and lints have paths that are no names of ours.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_item_macro(&mut self, item: &'ast ItemMacro) {
        let before = self.source.paths.len();
        visit::visit_item_macro(self, item);
        if item.ident.is_some() {
            // Other paths in the definition of a macro begin where it is used.
            let mut position = 0;
            self.source.paths.retain(|path| {
                position += 1;
                position <= before || path.segments[0] == "crate"
            });
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.tokens(mac.tokens.clone());
        visit::visit_macro(self, mac);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths<'a>(named: impl Iterator<Item = &'a Named>) -> Vec<(String, usize)> {
        named.map(|named| (named.segments.join("::"), named.line)).collect()
    }

    #[test]
    fn paths_are_found_wherever_they_stand() {
        let text = "//! crate::not\n\
            use crate::{os, value::{self, Head as H}};\n\
            use super::*;\n\
            use ::libc::read;\n\
            fn f(x: super::a::A) -> <B as crate::c::C>::D {\n\
                m!(crate::e::f(1), g: h, \"i::j\");\n\
                super::n!();\n\
                local()\n\
            }\n\
            macro_rules! o { () => { super::p(); $crate::q::r!() } }\n";
        let source = Source::read(text).unwrap();
        let imports = source.imports.iter().map(|import| (import.path.segments.join("::"), import.name.clone()));
        let name = |name: &str| Some(name.to_owned());
        let expected = [
            ("crate::os", name("os")),
            ("crate::value", name("value")),
            ("crate::value::Head", name("H")),
            ("super", None),
        ];
        assert_eq!(imports.collect::<Vec<_>>(), expected.map(|(path, name)| (path.to_owned(), name)));
        let expected =
            [("super::a::A", 5), ("crate::c::C::D", 5), ("crate::e::f", 6), ("super::n", 7), ("crate::q::r", 10)];
        assert_eq!(paths(source.paths.iter()), expected.map(|(path, line)| (path.to_owned(), line)));
    }

    #[test]
    fn tests_are_left_out() {
        let text = "#[cfg(test)]\nmod tests { use crate::a; struct B; }\n\
            #[cfg(all(test, c))]\nuse crate::d;\n\
            #[cfg(any(test, e))]\nuse crate::f;\n\
            #[cfg(not(test))]\nuse crate::g;\n\
            impl H { #[cfg(test)] fn i() { crate::j::k() } }\n";
        let source = Source::read(text).unwrap();
        let found: Vec<String> = paths(source.every_path()).into_iter().map(|(path, _)| path).collect();
        assert_eq!(found, ["crate::f", "crate::g"]);
        assert!(source.defined.is_empty());
    }

    #[test]
    fn modules_and_names_are_found() {
        let text = "mod a;\n#[path = \"x/b.rs\"]\nmod b;\n\
            #[cfg_attr(c, path = \"d.rs\")]\n#[cfg_attr(not(c), path = \"e.rs\")]\nmod f;\n\
            type I = x::I<u8>; mod g { type H = u8; mod i; fn j() { enum K {} } }\nmacro_rules! l { () => {} }\n";
        let source = Source::read(text).unwrap();
        let declared =
            source.declared.iter().map(|module| (module.name.as_str(), module.within.len(), module.files.join(" ")));
        let expected = [("a", 0, ""), ("b", 0, "x/b.rs"), ("f", 0, "d.rs e.rs"), ("i", 1, "")];
        assert_eq!(
            declared.collect::<Vec<_>>(),
            expected.map(|(name, within, files)| (name, within, files.to_owned()))
        );
        let defined = source.defined.iter().map(|name| (name.name.as_str(), name.within.join("::"), name.is_type));
        let expected = [("I", "", false), ("H", "g", true), ("j", "g", false), ("K", "g", true), ("l", "", false)];
        assert_eq!(defined.collect::<Vec<_>>(), expected.map(|(name, within, is)| (name, within.to_owned(), is)));
        assert_eq!(source.inner, [["g"]]);
    }

    #[test]
    fn comments_and_literals_have_no_identifiers() {
        let text = "//! a\nb /* c */ (\"d \\\" e\" r#\"f \" g\"# '\"' h) // i\n";
        assert_eq!(identifiers(text).unwrap(), ["doc", "b", "h"]);
    }
}
