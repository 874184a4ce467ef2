//! Archives, relocatable objects, other encodings, and several objects at once.

use needs::releases;
use needs_macros::needs;
use std::path::{Path, PathBuf};
use std::process::Command;

use profdata::File;
use profdata::coverage::{Mapping, Regions};

use crate::coverage::functions::{assert_same, ours, theirs};
use crate::coverage::programs::{NEWEST, Program, Ran, clang, profiled, program, ran, run, write_sources};

const FLAGS: &[&str] = &["-std=c++17", "-ffunction-sections"];

/// Compiles a source without linking it.
fn object(dir: &Path, release: u32, source: &'static [&'static str], flags: &[&str], name: &str) -> PathBuf {
    let path = dir.join(name);
    run(clang(dir, release, &program("object", source, FLAGS)).args(flags).arg("-c").arg("-o").arg(&path));
    path
}

#[needs("clangs")]
fn archives_and_relocatable_objects() {
    let dir = tempfile::tempdir().unwrap();
    write_sources(dir.path());
    for release in releases() {
        let objects = [("one.cpp", "one.o"), ("two.cpp", "two.o")]
            .map(|(source, name)| object(dir.path(), release, Box::leak(Box::new([source])), &[], name));
        let archive = dir.path().join(format!("archive-{release}.a"));
        run(Command::new("ar").arg("rcs").arg(&archive).args(&objects));
        let path = dir.path().join(format!("linked-{release}"));
        run(Command::new(format!("clang-{release}"))
            .args(["-fprofile-instr-generate", "-lstdc++", "-o"])
            .arg(&path)
            .args(&objects));
        let Ran { program, raw, indexed } = profiled(path, release, &[]);
        let profile = std::fs::read(raw).unwrap();
        let profile = File::parse(&profile).unwrap();
        let paths: [&[&Path]; 3] = [&[&program], &[&archive], &[&objects[0], &objects[1]]];
        for paths in paths {
            let files: Vec<_> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
            let mut mapping = Mapping::new();
            files.iter().for_each(|file| assert_eq!(mapping.add(file).unwrap().error, None));
            let theirs = theirs(release, paths, &indexed);
            assert_same(&format!("{paths:?} of {release}"), ours(release, &mapping, &profile), theirs);
        }
    }
}

#[needs("clangs")]
fn a_function_of_several_programs_is_kept_once() {
    let dir = tempfile::tempdir().unwrap();
    write_sources(dir.path());
    for release in releases() {
        let [first, second] = ["first", "second"].map(|name| {
            ran(dir.path(), release, &Program { name, ..program("", &["one.cpp", "two.cpp"], &["-std=c++17"]) })
        });
        let macros = ran(dir.path(), release, &program("third", &["macros.c"], &[]));
        let files = [&first, &second, &macros].map(|ran| std::fs::read(&ran.program).unwrap());
        let mut mapping = Mapping::new();
        let [first_added, second_added, _] = [0, 1, 2].map(|file| mapping.add(&files[file]).unwrap());
        assert_eq!(second_added.known, second_added.functions);
        assert!(first_added.known < first_added.functions);
        let profile = std::fs::read(&first.raw).unwrap();
        let ours = ours(release, &mapping, &File::parse(&profile).unwrap());
        let paths = [&*first.program, &second.program, &macros.program];
        assert_same(&format!("three programs of {release}"), ours, theirs(release, &paths, &first.indexed));
    }
}

#[needs("clangs")]
fn a_dummy_loses_against_a_function_of_any_object() {
    let dir = tempfile::tempdir().unwrap();
    write_sources(dir.path());
    // `used_in_two` is a dummy of one.cpp.
    let one = std::fs::read(object(dir.path(), NEWEST, &["one.cpp"], &[], "one.o")).unwrap();
    let two = std::fs::read(object(dir.path(), NEWEST, &["two.cpp"], &[], "two.o")).unwrap();
    let name = profdata::name::name_hash(b"_Z11used_in_twoi");
    let dummies = |files: &[&[u8]]| {
        let mut mapping = Mapping::new();
        files.iter().for_each(|file| _ = mapping.add(file).unwrap());
        let named: Vec<bool> = mapping.functions_named(name).map(|function| function.is_dummy()).collect();
        let all = mapping.functions().filter(|function| function.name_hash() == name).count();
        assert_eq!(all, named.len());
        named
    };
    assert_eq!([dummies(&[&one]), dummies(&[&two])], [[true], [false]]);
    assert_eq!([dummies(&[&one, &two]), dummies(&[&two, &one])], [[false], [false]]);
}

/// Returns the regions of all functions by the hashes of names, with the paths of their files.
fn decoded(mapping: &Mapping<'_>) -> Vec<(u64, Regions, Vec<String>)> {
    let mut all: Vec<_> = mapping
        .functions()
        .map(|function| {
            let regions = mapping.decode(function).unwrap();
            let path = |file| mapping.path(regions.path(file)).escape_ascii().to_string();
            let paths = (0..regions.files()).map(path).collect();
            (function.name_hash(), regions, paths)
        })
        .collect();
    all.sort_by_key(|(name, _, _)| *name);
    all
}

#[needs("clangs")]
fn other_encodings() {
    let dir = tempfile::tempdir().unwrap();
    write_sources(dir.path());
    for release in releases() {
        let mut first: Option<Vec<_>> = None;
        for target in ["x86_64", "i686", "powerpc64", "mips", "aarch64"] {
            let flag = format!("--target={target}-linux-gnu");
            let bytes = std::fs::read(object(dir.path(), release, &["two.cpp"], &[&flag], "two.o")).unwrap();
            let mut mapping = Mapping::new();
            let added = mapping.add(&bytes).unwrap();
            assert_eq!((added.functions > 5, added.error), (true, None), "{target}");
            let text: Vec<_> = decoded(&mapping)
                .iter()
                .map(|(name, regions, paths)| format!("{name} {:?} {paths:?}", regions.iter()))
                .collect();
            assert!(*first.get_or_insert(text.clone()) == text, "{target} of {release}");
        }
    }
}

/// Compiles a Rust program.
pub fn rustc(dir: &Path, arguments: &[&str]) {
    let source = "#[inline(never)] fn choose(a: bool, b: bool) -> u32 { if a && b { 1 } else { 2 } }\n\
        pub fn generic<T: Copy>(x: T) -> (T, T) { (x, x) }\n#[allow(dead_code)] fn unused() { if std::env::args().count() > 3 { println!() } }\n\
        fn main() {\n  let v: Vec<u32> = (0..3).map(|x| x + choose(x > 1, true)).collect();\n  _ = generic(1u8).0 + generic(2u8).1;\n\
          match v.len() { 3 => (), _ => unreachable!() }\n}\n";
    std::fs::write(dir.join("rust.rs"), source).unwrap();
    let mut rustc = Command::new("rustc");
    run(rustc.args(["-Cinstrument-coverage", "rust.rs"]).args(arguments).current_dir(dir));
}

#[test]
fn functions_that_rustc_made_no_code_of() {
    let dir = tempfile::tempdir().unwrap();
    rustc(dir.path(), &["-o", "rust"]);
    let bytes = std::fs::read(dir.path().join("rust")).unwrap();
    let mut mapping = Mapping::new();
    assert_eq!(mapping.add(&bytes).unwrap().error, None);
    let unused: Vec<_> = mapping.functions().filter(|function| function.is_dummy()).collect();
    assert!(unused.iter().any(|function| mapping.name(function.name_hash()).unwrap().ends_with(b"unused")));
}

#[needs("clangs")]
fn two_compilers_in_one_object() {
    let dir = tempfile::tempdir().unwrap();
    write_sources(dir.path());
    rustc(dir.path(), &["--crate-type=lib", "--emit=obj=rust.o", "-Ccodegen-units=1"]);
    let old = object(dir.path(), 16, &["two.cpp"], &["-fcoverage-compilation-dir=../x"], "old.o");
    for order in [["rust.o", "old.o"], ["old.o", "rust.o"]] {
        run(Command::new("ld").args(["-r", "-o", "both.o"]).args(order).current_dir(dir.path()));
        let files = [old.clone(), dir.path().join("rust.o"), dir.path().join("both.o")];
        let files = files.map(|path| std::fs::read(path).unwrap());
        let of = |files: &[Vec<u8>]| {
            let mut mapping = Mapping::new();
            files.iter().for_each(|file| assert_eq!(mapping.add(file).unwrap().error, None));
            let mut all: Vec<_> = decoded(&mapping)
                .iter()
                .map(|(name, regions, paths)| format!("{name} {:?} {paths:?}", regions.iter()))
                .collect();
            all.sort();
            all
        };
        assert!(of(&files[..2]) == of(&files[2..]) && of(&files).len() > 5);
    }
}

#[needs("clangs")]
fn names_that_are_not_loaded() {
    let dir = tempfile::tempdir().unwrap();
    write_sources(dir.path());
    for release in releases().into_iter().filter(|release| *release >= 19) {
        let path = dir.path().join("program");
        let flags = &["-mllvm", "-profile-correlate=binary"];
        run(clang(dir.path(), release, &program("", &["macros.c"], flags)).arg("-o").arg(&path));
        let bytes = std::fs::read(&path).unwrap();
        let mut mapping = Mapping::new();
        assert_eq!(mapping.add(&bytes).unwrap().error, None);
        assert!(mapping.functions().all(|function| mapping.name(function.name_hash()).is_some()));
        assert!(mapping.functions().any(|function| mapping.name(function.name_hash()) == Some(b"main")));
    }
}
