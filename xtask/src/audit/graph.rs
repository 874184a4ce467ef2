//! Which file of `runtime/` uses which other one: the modules of a crate, and what the paths in them mean.
//!
//! A path leads to the file that defines its first name that is no module; names that a module re-exports are followed to where they
//! come from, and are no edge of the file that re-exports them. A `use` of a module alone is no edge either, but paths through it are. A
//! method call is not seen; the file of the method's type is, where the type is named.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Context;

use super::module_uses::module;
use super::source::{Declared, Named, Source, is_test};
use super::text::sources;

/// Re-exports that are followed before a path is taken for a circle of them.
const DEPTH: usize = 16;

/// A module's path from the root of its crate: the root's file, then names.
type Module = Vec<String>;

/// For each file those that it uses, with the line that does so first.
pub type Graph = BTreeMap<String, BTreeMap<String, usize>>;

/// What a module holds. Several files where conditions choose between them.
#[derive(Default)]
struct Contents {
    files: BTreeSet<String>,
    /// The files that define each name.
    defined: BTreeMap<String, BTreeSet<String>>,
    imports: BTreeMap<String, Vec<Named>>,
    globs: Vec<Named>,
}

/// Reads every file below `directory` that is not all tests.
pub fn read(directory: &Path) -> anyhow::Result<BTreeMap<String, Source>> {
    let mut read = BTreeMap::new();
    for (path, text) in sources(directory)? {
        let name = path.to_string_lossy().into_owned();
        if !is_test(&name) {
            let source = Source::read(&text).with_context(|| format!("in {name}"))?;
            read.insert(name, source);
        }
    }
    Ok(read)
}

/// Follows the paths of all files. Each file called `lib.rs` is the root of a crate.
pub fn edges(sources: &BTreeMap<String, Source>) -> Graph {
    let mut modules = Modules { sources, all: BTreeMap::new(), of_file: BTreeMap::new() };
    for root in sources.keys().filter(|name| name.ends_with("lib.rs")) {
        modules.add(root, vec![root.clone()]);
    }
    let mut graph = Graph::new();
    for (file, places) in &modules.of_file {
        let source = &sources[file];
        let edges = graph.entry(file.clone()).or_default();
        for place in places {
            for path in source.own_paths() {
                for used in modules.files(place, path) {
                    if used != *file {
                        let line = edges.entry(used).or_insert(path.line);
                        *line = path.line.min(*line);
                    }
                }
            }
        }
    }
    graph
}

/// The same for the modules at the root of one crate. Its root belongs to none.
pub fn by_module(graph: &Graph) -> Graph {
    let mut modules = Graph::new();
    for (from, used) in graph.iter().filter(|(from, _)| *from != "lib.rs") {
        let edges = modules.entry(module(from)).or_default();
        for (to, line) in used.iter().filter(|(to, _)| module(to) != module(from)) {
            edges.entry(module(to)).or_insert(*line);
        }
    }
    modules
}

struct Modules<'a> {
    sources: &'a BTreeMap<String, Source>,
    all: BTreeMap<Module, Contents>,
    /// The modules that each file is.
    of_file: BTreeMap<String, Vec<Module>>,
}

impl Modules<'_> {
    /// Adds a file as a module, and the modules that it declares.
    fn add(&mut self, file: &str, module: Module) {
        let Some(source) = self.sources.get(file) else { return };
        self.of_file.entry(file.to_owned()).or_default().push(module.clone());
        let place = |within: &[String]| [&module[..], within].concat();
        for within in source.inner.iter().map(Vec::as_slice).chain([&[][..]]) {
            self.all.entry(place(within)).or_default().files.insert(file.to_owned());
        }
        for name in &source.defined {
            let contents = self.all.entry(place(&name.within)).or_default();
            contents.defined.entry(name.name.clone()).or_default().insert(file.to_owned());
        }
        for import in &source.imports {
            let contents = self.all.entry(place(&import.path.within)).or_default();
            match &import.name {
                Some(name) => contents.imports.entry(name.clone()).or_default().push(import.path.clone()),
                None => contents.globs.push(import.path.clone()),
            }
        }
        for declared in &source.declared {
            let module = inner(&place(&declared.within), &declared.name);
            for file in files(file, declared) {
                self.add(&file, module.clone());
            }
        }
    }

    /// The files that define what a path in a module means; none for a module, and for what is another crate's.
    fn files(&self, module: &Module, path: &Named) -> BTreeSet<String> {
        let place = [&module[..], &path.within].concat();
        let found = self.start(&place, &path.segments).map(|(place, names)| self.find(place, names, DEPTH));
        // A name that a macro has made is the module's own.
        found.map(|found| found.unwrap_or_else(|module| module)).unwrap_or_default()
    }

    /// The module that a path begins in, and the names to look for in it.
    fn start<'p>(&self, mut place: &'p [String], segments: &'p [String]) -> Option<(&'p [String], &'p [String])> {
        let (first, rest) = segments.split_first()?;
        match first.as_str() {
            "crate" => Some((&place[..1], rest)),
            "self" => Some((place, rest)),
            "super" => {
                let up = segments.iter().take_while(|segment| *segment == "super").count();
                place = &place[..place.len().checked_sub(up)?];
                Some((place, &segments[up..]))
            }
            // A name that the module does not have is another crate's, or the language's.
            name => self.has(place, name).then_some((place, segments)),
        }
    }

    fn has(&self, place: &[String], name: &str) -> bool {
        let contents = self.all.get(place);
        let named = |known: &Contents| known.defined.contains_key(name) || known.imports.contains_key(name);
        contents.is_some_and(named) || self.all.contains_key(&inner(place, name))
    }

    /// Looks for the names from a module on. An error has the files of the last module on the way, which has no such name.
    fn find(&self, place: &[String], names: &[String], depth: usize) -> Result<BTreeSet<String>, BTreeSet<String>> {
        let Some((name, rest)) = names.split_first() else {
            return Ok(BTreeSet::new());
        };
        let (Some(contents), Some(depth)) = (self.all.get(place), depth.checked_sub(1)) else {
            return Err(BTreeSet::new());
        };
        if self.all.contains_key(&inner(place, name)) {
            return self.find(&inner(place, name), rest, depth);
        }
        if let Some(files) = contents.defined.get(name) {
            return Ok(files.clone());
        }
        let through = |path: &Named, names: &[String]| {
            let path = [&path.segments[..], names].concat();
            let start = self.start(place, &path);
            start.map_or_else(|| Ok(BTreeSet::new()), |(place, names)| self.find(place, names, depth))
        };
        if let Some(paths) = contents.imports.get(name) {
            // One name under several conditions.
            let found: Vec<_> = paths.iter().map(|path| through(path, rest)).collect();
            let any = found.iter().any(Result::is_ok);
            let files = found.into_iter().flat_map(|found| found.unwrap_or_else(|module| module)).collect();
            return if any { Ok(files) } else { Err(files) };
        }
        let found: Vec<_> = contents.globs.iter().filter_map(|path| through(path, names).ok()).collect();
        if found.is_empty() { Err(contents.files.clone()) } else { Ok(found.into_iter().flatten().collect()) }
    }
}

fn inner(place: &[String], name: &str) -> Module {
    [place, &[name.to_owned()]].concat()
}

/// The files that a `mod name;` in `file` may mean.
fn files(file: &str, declared: &Declared) -> Vec<String> {
    let (directory, name) = file.rsplit_once('/').map_or(("", file), |(directory, name)| (directory, name));
    let join = |directory: &str, name: &str| {
        if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
    };
    if !declared.files.is_empty() {
        return declared.files.iter().map(|path| join(directory, path)).collect();
    }
    let stem = name.strip_suffix(".rs").unwrap_or(name);
    let mut inside = if ["mod", "lib"].contains(&stem) { directory.to_owned() } else { join(directory, stem) };
    for outer in &declared.within {
        inside = join(&inside, outer);
    }
    let module = join(&inside, &declared.name);
    vec![format!("{module}.rs"), format!("{module}/mod.rs")]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The edges between these files, as `from to:line`.
    fn shown(files: &[(&str, &str)]) -> Vec<String> {
        let sources = files.iter().map(|(name, text)| ((*name).to_owned(), Source::read(text).unwrap())).collect();
        let graph = edges(&sources);
        let lines = graph.iter().flat_map(|(from, to)| to.iter().map(move |(to, line)| format!("{from} {to}:{line}")));
        lines.collect()
    }

    #[test]
    fn edges_lead_to_where_a_name_is_defined() {
        let found = shown(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub mod c;\npub use c::C;\npub struct A;\nfn f() { c::g() }"),
            ("a/c.rs", "use super::A;\npub struct C;\npub fn g() { m!(crate::b::h()) }"),
            ("b.rs", "use crate::a;\npub fn h(_: super::a::C, _: std::a::A) {\n a::c::g() }"),
        ]);
        assert_eq!(found, ["a.rs a/c.rs:4", "a/c.rs a.rs:1", "a/c.rs b.rs:3", "b.rs a/c.rs:2"]);
    }

    #[test]
    fn a_module_alone_is_no_edge_and_one_of_several_files_is_all_of_them() {
        let found = shown(&[
            ("lib.rs", "mod os; mod x; mod y;"),
            (
                "os/mod.rs",
                "#[cfg_attr(a, path = \"unix/mod.rs\")]\n#[cfg_attr(b, path = \"none.rs\")]\nmod backend;\npub use backend::*;",
            ),
            ("os/unix/mod.rs", "pub mod file;"),
            ("os/unix/file.rs", "pub fn open() {}"),
            ("os/none.rs", "pub mod file { pub fn open() {} }"),
            ("x.rs", "use crate::os;"),
            ("y.rs", "use crate::os::file;\nfn f() { file::open() }"),
        ]);
        assert_eq!(found, ["y.rs os/none.rs:2", "y.rs os/unix/file.rs:2"]);
    }

    #[test]
    fn what_a_macro_makes_is_of_the_module_that_uses_the_macro() {
        let found = shown(&[
            ("lib.rs", "mod a; mod b;"),
            (
                "a.rs",
                "macro_rules! m { ($n:ident) => { pub mod $n { pub fn f() { super::super::b::g() } } } }\nm! { made }",
            ),
            ("b.rs", "use super::a;\nfn g() { a::made::f() }"),
        ]);
        assert_eq!(found, ["b.rs a.rs:2"]);
    }

    #[test]
    fn files_of_one_module_are_one() {
        let edge = |from: &str, to: &str| (from.to_owned(), BTreeMap::from([(to.to_owned(), 1)]));
        let graph = Graph::from([
            edge("a/x.rs", "b.rs"),
            edge("b/y.rs", "a.rs"),
            edge("b.rs", "b/y.rs"),
            edge("lib.rs", "a.rs"),
        ]);
        let expected = Graph::from([edge("a", "b"), edge("b", "a")]);
        assert_eq!(by_module(&graph), expected);
    }

    #[test]
    fn names_that_are_only_handed_on_are_no_edge() {
        let child = ("a.rs", "pub struct A;\nuse crate::f;");
        let root = |used: &str| format!("mod a;\npub use a::A;\npub fn f() -> {used} {{}}");
        assert_eq!(shown(&[("lib.rs", &root("u8")), child]), ["a.rs lib.rs:2"]);
        assert_eq!(shown(&[("lib.rs", &root("A")), child]), ["a.rs lib.rs:2", "lib.rs a.rs:2"]);
    }

    #[test]
    fn modules_in_braces_and_other_crates_are_told_apart() {
        let found = shown(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "mod inner {\n use super::super::b::B;\n struct X;\n}\nfn f() -> inner::X {}"),
            ("b.rs", "pub struct B;"),
            ("other/lib.rs", "mod b;\nuse crate::b::B;"),
            ("other/b.rs", "pub struct B;"),
        ]);
        assert_eq!(found, ["a.rs b.rs:2", "other/lib.rs other/b.rs:2"]);
    }
}
