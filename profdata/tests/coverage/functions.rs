//! Regions, branches and counts of functions, as `llvm-cov export` prints them.

use needs_macros::needs;
use std::path::Path;
use std::process::Command;

use profdata::File;
use profdata::coverage::{Counter, Counts, Decision, Kind, Mapping, Region, Regions, Rules, Vectors};
use profdata::read::Lookup;
use profdata::sink::Format;
use serde_json::{Value, json};

use crate::coverage::programs::{Ran, program, ran, random_decisions, run};

/// Returns what `llvm-cov` exports.
pub fn export(release: u32, objects: &[&Path], profile: &Path) -> Value {
    let mut tool = Command::new(format!("llvm-cov-{release}"));
    tool.arg("export").arg("-instr-profile").arg(profile).arg(objects[0]);
    objects[1..].iter().for_each(|object| _ = tool.arg("-object").arg(object));
    let mut all: Value = serde_json::from_slice(&run(&mut tool)).unwrap();
    all["data"][0].take()
}

/// Returns the functions that `llvm-cov` exports.
pub fn theirs(release: u32, objects: &[&Path], profile: &Path) -> Vec<Value> {
    let Value::Array(functions) = export(release, objects, profile)["functions"].take() else { panic!("no functions") };
    sorted(functions)
}

pub fn sorted(mut functions: Vec<Value>) -> Vec<Value> {
    functions.sort_by_cached_key(Value::to_string);
    functions
}

/// Returns the same of this crate: of the functions that ran or could have.
pub fn ours(release: u32, mapping: &Mapping<'_>, profile: &File<'_>) -> Vec<Value> {
    let profile_format = profile.format();
    let profile = profile.to_profile().unwrap();
    let counts = Counts::of(&profile, profile_format);
    let mut functions = Vec::new();
    for function in mapping.functions() {
        let regions = mapping.decode(function).unwrap();
        let values = match counts.find(function) {
            Lookup::Found(record) => regions.counts(record.counters, profile.flags(), Rules::Llvm(release)).unwrap(),
            Lookup::HashMismatch => continue,
            Lookup::Unknown => regions.zeros(),
        };
        let bitmap = match counts.find(function) {
            Lookup::Found(record) => record.bitmap,
            _ => &[],
        };
        let records = decisions(release, &regions, bitmap, profile_format);
        functions.push(function_value(mapping, function.name_hash(), &regions, &values, records));
    }
    sorted(functions)
}

fn function_value(
    mapping: &Mapping<'_>,
    name: u64,
    regions: &Regions,
    counts: &[[u64; 2]],
    records: Option<Vec<Value>>,
) -> Value {
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
    let records = records.map_or(Value::Null, Value::Array);
    json!({"name": name, "mcdc_records": records, "count": count, "filenames": files, "regions": code, "branches": branches})
}

/// Returns the decisions as a release prints them, if it does.
fn decisions(release: u32, regions: &Regions, bitmap: &[u8], format: Format) -> Option<Vec<Value>> {
    let all: Vec<&Region> = regions.iter().collect();
    let record = |decision: Decision| {
        // A function without counts has no bits.
        let vectors = regions.vectors(&decision, bitmap, format).ok()?;
        Some(decision_value(release, all[decision.region], &vectors))
    };
    (release >= 19).then(|| regions.decisions().into_iter().filter_map(record).collect())
}

pub fn decision_value(release: u32, region: &Region, vectors: &Vectors) -> Value {
    let place = [region.start.line, region.start.column, region.end.line, region.end.column];
    let mut fields: Vec<Value> = place.map(Value::from).into();
    let results = |result| vectors.iter().filter(move |(_, other)| *other == result);
    if release >= 22 {
        fields.extend([true, false].map(|result| Value::from(results(result).count())));
        fields.push(region.file.into());
    }
    fields.extend([0.into(), 5.into(), json!(vectors.covered().unwrap())]);
    if release >= 22 {
        let listed = [false, true].into_iter().flat_map(results).map(
            |(values, result)| json!({"conditions": values.collect::<Vec<_>>(), "executed": true, "result": result}),
        );
        fields.push(listed.collect());
    }
    Value::Array(fields)
}

pub fn region_value(region: &Region, [first, second]: &[u64; 2]) -> Value {
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
        let function = function.as_object_mut().unwrap();
        function.entry("mcdc_records").or_insert(Value::Null);
    }
    assert_eq!(ours.len(), theirs.len(), "{what}");
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert!(ours == theirs, "{what}:\n{ours}\n{theirs}");
    }
}

/// Asserts that a program has the functions that LLVM has.
pub fn check(release: u32, what: &str, Ran { program: path, raw, indexed }: &Ran) {
    let bytes = std::fs::read(path).unwrap();
    let mut mapping = Mapping::new();
    let added = mapping.add(&bytes).unwrap();
    assert_eq!((added.damaged, &added.error), (0, &None));
    let theirs = theirs(release, &[path], indexed);
    for profile in [raw, indexed] {
        let profile = std::fs::read(profile).unwrap();
        let ours = ours(release, &mapping, &File::parse(&profile).unwrap());
        assert_same(&format!("{what} of {release}"), ours, theirs.clone());
    }
}

#[needs("clangs")]
fn random_decisions_have_the_test_vectors_of_llvm() {
    let dir = tempfile::tempdir().unwrap();
    let mut numbers = fastrand::Rng::with_seed(1);
    for release in needs::TESTED.into_iter().filter(|release| *release >= 19) {
        for _ in 0..3 {
            std::fs::write(dir.path().join("random.c"), random_decisions(&mut numbers)).unwrap();
            check(
                release,
                "random",
                &ran(dir.path(), release, &program("random", &["random.c"], &["-fcoverage-mcdc"])),
            );
        }
    }
}
