//! What of an item of the sources the list of public items has.

use std::collections::BTreeSet;

use proc_macro2::TokenTree;
use syn::punctuated::Punctuated;
use syn::{Attribute, ImplItem, Item, Meta, Token, TraitItem, Type, UseTree, Visibility};

/// The features that are on; `None`: all of them, and none is missing.
#[derive(Clone, Copy)]
pub struct Features<'a>(pub Option<&'a BTreeSet<String>>);

impl Features<'_> {
    /// Whether the features let an item through.
    pub fn let_through(self, attributes: &[Attribute]) -> bool {
        let conditions = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
        let mut conditions = conditions.filter_map(|attribute| attribute.parse_args::<Meta>().ok());
        conditions.all(|condition| self.holds(&condition))
    }

    fn holds(self, condition: &Meta) -> bool {
        match condition {
            Meta::Path(path) => !path.is_ident("test"),
            Meta::NameValue(pair) => match (self.0, &pair.value) {
                (Some(features), syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(name), .. })) => {
                    features.contains(&name.value())
                }
                _ => true,
            },
            Meta::List(list) => {
                let inner = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).unwrap_or_default();
                match list.path.get_ident() {
                    Some(not) if not == "not" => self.0.is_none() || !inner.iter().all(|one| self.holds(one)),
                    Some(any) if any == "any" => inner.iter().any(|one| self.holds(one)),
                    _ => inner.iter().all(|one| self.holds(one)),
                }
            }
        }
    }

    /// Returns the public members of a type or trait.
    pub fn members(self, item: &Item) -> Vec<(&'static str, String)> {
        let is_on = |visibility: Option<&Visibility>, attributes: &[Attribute]| {
            visibility.is_none_or(is_public) && !is_hidden(attributes) && self.let_through(attributes)
        };
        match item {
            Item::Enum(item) => {
                let shown = item.variants.iter().filter(|variant| is_on(None, &variant.attrs));
                shown.map(|variant| ("variant", variant.ident.to_string())).collect()
            }
            Item::Struct(item) => {
                let shown = item.fields.iter().enumerate().filter(|(_, field)| is_on(Some(&field.vis), &field.attrs));
                let name = |(at, field): (usize, &syn::Field)| {
                    field.ident.as_ref().map_or(at.to_string(), ToString::to_string)
                };
                shown.map(|field| ("field", name(field))).collect()
            }
            Item::Trait(item) => {
                let methods = item.items.iter().filter_map(|item| match item {
                    TraitItem::Fn(item) if is_on(None, &item.attrs) => Some(("fn", item.sig.ident.to_string())),
                    _ => None,
                });
                methods.collect()
            }
            Item::Impl(item) => {
                let shown = item.items.iter().filter_map(|item| match item {
                    ImplItem::Fn(item) if is_on(Some(&item.vis), &item.attrs) => {
                        Some(("fn", item.sig.ident.to_string()))
                    }
                    ImplItem::Const(item) if is_on(Some(&item.vis), &item.attrs) => {
                        Some(("const", item.ident.to_string()))
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
                    [TokenTree::Ident(name), TokenTree::Punct(sign)] if sign.as_char() == '=' => {
                        Some(("const", name.to_string()))
                    }
                    _ => None,
                });
                named.collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Whether an item is public and not hidden.
pub fn is_shown(item: &Item) -> bool {
    visibility(item).is_some_and(is_public) && !is_hidden(attributes(item))
}

fn visibility(item: &Item) -> Option<&Visibility> {
    Some(match item {
        Item::Const(item) => &item.vis,
        Item::Enum(item) => &item.vis,
        Item::Fn(item) => &item.vis,
        Item::Mod(item) => &item.vis,
        Item::Static(item) => &item.vis,
        Item::Struct(item) => &item.vis,
        Item::Trait(item) => &item.vis,
        Item::Type(item) => &item.vis,
        Item::Use(item) => &item.vis,
        _ => return None,
    })
}

pub fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

pub fn kind(item: &Item) -> &'static str {
    match item {
        Item::Const(_) => "const",
        Item::Enum(_) => "enum",
        Item::Fn(_) => "fn",
        Item::Static(_) => "static",
        Item::Struct(_) => "struct",
        Item::Trait(_) => "trait",
        _ => "type",
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Whether the attributes have `#[doc(hidden)]`.
pub fn is_hidden(attributes: &[Attribute]) -> bool {
    let hidden =
        |attribute: &Attribute| attribute.parse_args::<Meta>().is_ok_and(|meta| meta.path().is_ident("hidden"));
    attributes.iter().any(|attribute| attribute.path().is_ident("doc") && hidden(attribute))
}

/// Collects the paths that a `use` brings, with the names that they get.
pub fn leaves(tree: &UseTree, way: &mut Vec<String>, found: &mut Vec<(Vec<String>, String)>) {
    let path = |way: &[String], last: &syn::Ident| [way, &[last.to_string()]].concat();
    match tree {
        UseTree::Path(step) => {
            way.push(step.ident.to_string());
            leaves(&step.tree, way, found);
            way.pop();
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, way, found)),
        UseTree::Name(name) => found.push((path(way, &name.ident), name.ident.to_string())),
        UseTree::Rename(name) => found.push((path(way, &name.ident), name.rename.to_string())),
        UseTree::Glob(_) => {}
    }
}

pub fn name(item: &Item) -> Option<String> {
    Some(match item {
        Item::Const(item) => item.ident.to_string(),
        Item::Fn(item) => item.sig.ident.to_string(),
        Item::Static(item) => item.ident.to_string(),
        Item::Type(item) => item.ident.to_string(),
        _ => return owner(item),
    })
}

/// Returns the type or trait that an item defines or adds members to.
pub fn owner(item: &Item) -> Option<String> {
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
