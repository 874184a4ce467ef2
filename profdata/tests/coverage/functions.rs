//! Regions, branches and counts of functions, as `llvm-cov export` prints them.

use std::path::Path;
use std::process::Command;

use profdata::File;
use profdata::coverage::{Counter, Counts, Kind, Mapping, Region, Regions, Rules};
use profdata::read::Lookup;
use serde_json::{Value, json};

use crate::programs::{Ran, for_each, ran, run};

/// Returns the functions that `llvm-cov` exports.
pub fn theirs(release: u32, objects: &[&Path], profile: &Path) -> Vec<Value> {
    let mut tool = Command::new(format!("llvm-cov-{release}"));
    tool.arg("export").arg("-instr-profile").arg(profile).arg(objects[0]);
    objects[1..].iter().for_each(|object| _ = tool.arg("-object").arg(object));
    let mut all: Value = serde_json::from_slice(&run(&mut tool)).unwrap();
    let Value::Array(functions) = all["data"][0]["functions"].take() else { panic!("no functions") };
    sorted(functions)
}

fn sorted(mut functions: Vec<Value>) -> Vec<Value> {
    functions.sort_by_cached_key(Value::to_string);
    functions
}

/// Returns the same of this crate: of the functions that ran or could have.
pub fn ours(release: u32, mapping: &Mapping<'_>, profile: &File<'_>) -> Vec<Value> {
    let profile = profile.to_profile().unwrap();
    let counts = Counts::of(&profile);
    let mut functions = Vec::new();
    for function in mapping.functions() {
        let regions = mapping.decode(function).unwrap();
        let values = match counts.find(function) {
            Lookup::Found(record) => regions.counts(record.counters, profile.flags(), Rules::Llvm(release)).unwrap(),
            Lookup::HashMismatch => continue,
            Lookup::Unknown => regions.zeros(),
        };
        functions.push(function_value(mapping, function.name_hash(), &regions, &values));
    }
    sorted(functions)
}

fn function_value(mapping: &Mapping<'_>, name: u64, regions: &Regions, counts: &[[u64; 2]]) -> Value {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let files: Vec<_> = (0..regions.files()).map(|file| text(mapping.path(regions.path(file)))).collect();
    let (mut code, mut branches) = (Vec::new(), Vec::new());
    for (region, count) in regions.iter().zip(counts) {
        match region.kind {
            // A constant, which is no branch.
            kind @ (Kind::Branch(_) | Kind::Condition { .. }) if kind.counters() == [Counter::default(); 2] => {}
            Kind::Branch(_) | Kind::Condition { .. } => branches.push(region_value(region, count)),
            Kind::Decision { .. } => {}
            _ => code.push(region_value(region, count)),
        }
    }
    let count = code[0][4].clone();
    let name = text(mapping.name(name).expect("a name"));
    json!({"name": name, "count": count, "filenames": files, "regions": code, "branches": branches})
}

fn region_value(region: &Region, [first, second]: &[u64; 2]) -> Value {
    let (kind, expanded) = match region.kind {
        Kind::Code(_) => (0, 0),
        Kind::Expansion { file, .. } => (1, file),
        Kind::Skipped => (2, 0),
        Kind::Gap(_) => (3, 0),
        Kind::Branch(_) => (4, 0),
        _ => (6, 0),
    };
    let mut numbers =
        vec![region.start.line.into(), region.start.column.into(), region.end.line.into(), region.end.column.into()];
    let counts = [*first].into_iter().chain((kind == 4 || kind == 6).then_some(*second));
    // JSON has no larger numbers.
    numbers.extend(counts.map(|count| count.min(i64::MAX as u64)));
    numbers.extend([region.file, expanded, kind].map(u64::from));
    json!(numbers)
}

/// Asserts that functions are the same.
pub fn assert_same(what: &str, mut ours: Vec<Value>, mut theirs: Vec<Value>) {
    for function in theirs.iter_mut().chain(&mut ours) {
        function.as_object_mut().unwrap().remove("mcdc_records");
    }
    assert_eq!(ours.len(), theirs.len(), "{what}");
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert!(ours == theirs, "{what}:\n{ours}\n{theirs}");
    }
}

#[test]
fn every_program_has_the_regions_and_counts_of_llvm() {
    for_each(|dir, release, program| {
        let Ran { program: path, raw, indexed } = ran(dir, release, program);
        let bytes = std::fs::read(&path).unwrap();
        let mut mapping = Mapping::new();
        let added = mapping.add(&bytes).unwrap();
        assert_eq!((added.damaged, &added.error), (0, &None));
        let theirs = theirs(release, &[&path], &indexed);
        for profile in [raw, indexed] {
            let profile = std::fs::read(profile).unwrap();
            let ours = ours(release, &mapping, &File::parse(&profile).unwrap());
            assert_same(&format!("{} of {release}", program.name), ours, theirs.clone());
        }
    });
}
