//! Mappings as `clang -Xclang -dump-coverage-mapping` prints them.

use std::fmt::Write as _;

use profdata::coverage::{Counter, Kind, Mapping, Regions, Term};

use crate::coverage::programs::{clang, programs, run, write_sources};

/// Returns a counter as a formula.
fn formula(regions: &Regions, counter: Counter) -> String {
    let of = |number, sign| {
        let [left, right] = regions.expression(number).map(|counter| formula(regions, counter));
        format!("({left} {sign} {right})")
    };
    match counter.term() {
        Term::Zero => "0".to_owned(),
        Term::Counter(number) => format!("#{number}"),
        Term::Subtract(number) => of(number, '-'),
        Term::Add(number) => of(number, '+'),
    }
}

/// Returns the functions of a mapping, sorted.
fn ours(mapping: &Mapping<'_>) -> Vec<String> {
    let mut functions = Vec::new();
    for function in mapping.functions() {
        let regions = mapping.decode(function).unwrap();
        let mut text = format!("{}:", mapping.name(function.name_hash()).unwrap().escape_ascii());
        for region in regions.iter() {
            let kind = match region.kind {
                Kind::Code(_) => "",
                Kind::Gap(_) => "Gap,",
                Kind::Skipped => "Skipped,",
                Kind::Expansion { .. } => "Expansion,",
                Kind::Decision { .. } => "Decision,",
                _ => "Branch,",
            };
            let (start, end) = (region.start, region.end);
            write!(text, "\n{kind}File {}, {}:{} -> ", region.file, start.line, start.column).unwrap();
            write!(text, "{}:{} = ", end.line, end.column).unwrap();
            let [first, second] = region.kind.counters().map(|counter| formula(&regions, counter));
            match region.kind {
                Kind::Expansion { file, .. } => write!(text, "{first} (Expanded file = {file})"),
                Kind::Branch(_) => write!(text, "{first}, {second}"),
                Kind::Decision { bitmap, conditions } => write!(text, "M:{bitmap}, C:{conditions}"),
                Kind::Condition { id, next, .. } => {
                    let [on_true, on_false] = next.map(|next| next.map_or(0, |next| next + 1));
                    write!(text, "{first}, {second} [{},{on_true},{on_false}]", id + 1)
                }
                _ => write!(text, "{first}"),
            }
            .unwrap();
        }
        functions.push(text);
    }
    functions.sort();
    functions
}

/// Returns the functions that clang has printed, sorted.
fn theirs(dump: &str) -> Vec<String> {
    let mut functions: Vec<String> = Vec::new();
    for line in dump.lines() {
        match (line.strip_prefix("  "), functions.last_mut()) {
            (Some(region), Some(last)) => *last += &format!("\n{}", region.trim()),
            _ => functions.push(line.to_owned()),
        }
    }
    functions.sort();
    functions.dedup();
    functions
}

#[test]
fn every_object_has_the_regions_that_clang_prints() {
    let dir = tempfile::tempdir().unwrap();
    write_sources(dir.path());
    for (release, program) in programs().filter(|(_, program)| program.sources.len() == 1) {
        let object = dir.path().join("program.o");
        let mut clang = clang(dir.path(), release, program);
        let dump = run(clang.args(["-Xclang", "-dump-coverage-mapping", "-c", "-o"]).arg(&object));
        let bytes = std::fs::read(&object).unwrap();
        let mut mapping = Mapping::new();
        assert_eq!(mapping.add(&bytes).unwrap().error, None);
        let (ours, theirs) = (ours(&mapping), theirs(std::str::from_utf8(&dump).unwrap()));
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert!(ours == theirs, "{} of {release}:\n{ours}\n{theirs}", program.name);
        }
        assert_eq!(ours.len(), theirs.len(), "{} of {release}", program.name);
    }
}
