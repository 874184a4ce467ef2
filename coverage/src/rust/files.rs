//! Files that only tests have: what is in a crate's `tests`, `examples` and `benches`, modules of `#[cfg(test)]` with their own modules, and what
//! build scripts wrote.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use regex::Regex;

use super::is_test;
use crate::paths::{Source, located, plain, source};

/// A module of its own file.
struct Module {
    /// The modules around it in the file, and its name.
    path: PathBuf,
    /// What `#[path]` says.
    file: Option<String>,
    is_test: bool,
}

/// Returns the paths of such files. Errors: none, for the expression is sound.
pub fn of_tests(sources: &[Source]) -> Result<HashSet<PathBuf>, regex::Error> {
    let built = Regex::new(r"/build/[^/]+[-/][0-9a-f]{16}/out/")?;
    let is_rust = |path: &&Path| path.extension().is_some_and(|extension| extension == "rs");
    let sources: Vec<PathBuf> = sources.iter().map(|source| located(&source.path)).collect();
    let paths = || sources.iter().map(PathBuf::as_path).filter(is_rust);
    let is_other = |path: &&Path| built.is_match(&path.to_string_lossy()) || path.ancestors().any(is_target);
    let mut found: HashSet<PathBuf> = paths().filter(is_other).map(Path::to_owned).collect();
    // A file without functions can declare a module, too.
    let around: BTreeSet<&Path> = paths().flat_map(|path| path.ancestors().skip(1)).collect();
    let all: BTreeSet<PathBuf> = paths().map(Path::to_owned).chain(around.into_iter().flat_map(parents)).collect();
    let mut new: Vec<(PathBuf, bool)> = all.into_iter().map(|path| (path, false)).collect();
    while let Some((path, is_in_test)) = new.pop() {
        for module in modules(&path).into_iter().filter(|module| is_in_test || module.is_test) {
            let file = module.place(&path);
            if found.insert(file.clone()) {
                new.push((file, true));
            }
        }
    }
    Ok(found)
}

/// Returns whether this is a directory of tests or examples of a crate.
fn is_target(directory: &Path) -> bool {
    let is_named = directory.file_name().is_some_and(|name| name == "tests" || name == "examples" || name == "benches");
    is_named && directory.parent().is_some_and(|parent| parent.join("Cargo.toml").is_file())
}

/// Returns the files that can have the modules in a directory.
fn parents(directory: &Path) -> [PathBuf; 4] {
    let [module, library, program] = ["mod.rs", "lib.rs", "main.rs"].map(|name| directory.join(name));
    [module, library, program, directory.with_extension("rs")]
}

impl Module {
    /// Returns the file of a module that this one declares.
    fn place(&self, by: &Path) -> PathBuf {
        let (directory, stem) = (by.parent().unwrap_or(Path::new("")), by.file_stem().unwrap_or_default());
        if let Some(file) = &self.file {
            return plain(&directory.join(file));
        }
        // A program's file may have any name, and then its modules are beside it.
        let beside = [directory.to_owned(), directory.join(stem)];
        let is_root = ["mod", "lib", "main"].iter().any(|root| stem == *root);
        let places = beside.iter().rev().skip(usize::from(is_root)).map(|directory| directory.join(&self.path));
        let files = places.flat_map(|place| [place.with_extension("rs"), place.join("mod.rs")]);
        files.clone().find(|file| file.is_file()).or(files.into_iter().next()).unwrap_or_default()
    }
}

/// Returns the modules that a source declares.
fn modules(path: &Path) -> Vec<Module> {
    let mut modules = Vec::new();
    let source = path.to_str().and_then(source).and_then(|source| String::from_utf8(source).ok());
    // Most have none, and need not be read.
    let source = source.filter(|source| source.contains("mod "));
    let mut groups: Vec<(PathBuf, bool, TokenStream)> =
        source.iter().filter_map(|source| Some((PathBuf::new(), false, source.parse().ok()?))).collect();
    while let Some((around, is_around, tokens)) = groups.pop() {
        let mut tokens = tokens.into_iter().peekable();
        let (mut is_test_only, mut file) = (is_around, None);
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Punct(sign) if sign.as_char() == '#' => {
                    let attribute = tokens.next();
                    is_test_only |= attribute.as_ref().is_some_and(is_test);
                    file = attribute.as_ref().and_then(file_of).or(file);
                    continue;
                }
                TokenTree::Ident(word) if word == "mod" => {
                    let Some(TokenTree::Ident(name)) = tokens.next() else { continue };
                    let path = around.join(name.to_string().trim_start_matches("r#"));
                    match tokens.next() {
                        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                            groups.push((path, is_test_only, group.stream()));
                        }
                        _ => modules.push(Module { path, file: file.take(), is_test: is_test_only }),
                    }
                }
                // `pub(crate)`
                TokenTree::Ident(word) if word == "pub" => continue,
                TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => continue,
                _ => {}
            }
            (is_test_only, file) = (is_around, None);
        }
    }
    // Else all sources would stay in memory.
    proc_macro2::extra::invalidate_current_thread_spans();
    modules
}

/// Returns the file of `[path = "file"]`.
fn file_of(attribute: &TokenTree) -> Option<String> {
    let TokenTree::Group(group) = attribute else { return None };
    match group.stream().into_iter().collect::<Vec<_>>().as_slice() {
        [TokenTree::Ident(path), _, TokenTree::Literal(file)] if path == "path" => {
            Some(file.to_string().trim_matches(['r', '#', '"']).to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_tests() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        // Those that are found are marked.
        let files = [
            ("Cargo.toml", "", false),
            // No functions, so that it is no source of the report.
            (
                "src/lib.rs",
                "#[cfg(test)] mod more; pub mod a; mod tests; mod inline { #[cfg(test)] pub(crate) mod b; mod c; }",
                false,
            ),
            ("src/more.rs", "mod below; pub mod tests { mod deep; }", true),
            ("src/more/below.rs", "", true),
            ("src/more/tests/deep/mod.rs", "", true),
            ("src/a.rs", "#[cfg(all(test, unix))]\n#[path = \"../x/odd.rs\"]\nmod d;\n#[cfg(not(test))] mod e;", false),
            ("x/odd.rs", "", true),
            ("src/a/e.rs", "", false),
            // The code of users is called so, too.
            ("src/tests/mod.rs", "fn f() {}", false),
            ("src/examples/x.rs", "fn f() {}", false),
            ("src/inline/b.rs", "", true),
            ("src/inline/c.rs", "", false),
            ("src/bin/p.rs", "#[cfg(test)] mod q;", false),
            ("src/bin/q.rs", "", true),
            ("tests/it.rs", "", true),
            ("tests/common/mod.rs", "", true),
            ("examples/e.rs", "", true),
            ("benches/b.rs", "", true),
            ("target/debug/build/p-0123456789abcdef/out/bindings.rs", "", true),
            ("src/build/out/bindings.rs", "", false),
        ];
        let sources = files.map(|(path, text, _)| {
            let path = dir.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            Source { path: path.to_str().unwrap().to_owned(), numbers: Vec::new() }
        });
        let sources: Vec<Source> = sources.into_iter().filter(|source| !source.path.ends_with("lib.rs")).collect();
        let found = of_tests(&sources).unwrap();
        for (path, _, expected) in files {
            assert_eq!(found.contains(&dir.join(path)), expected, "{path}");
        }
    }
}
