//! Random inputs as text, merged by the installed `llvm-profdata` and by us: the same text, the same messages, the same failures.

use crate::support;
use needs::is_all;
use needs_macros::needs;
use std::fmt::Write as _;
use std::path::Path;

use fastrand::Rng;
use profdata::compat::{CompatMerger, FailureMode, Merged, SAME_BINARY_HINT, drop_dead_names, has_hint, llvm_message};
use profdata::name::name_hash;
use profdata::read;
use profdata::read::ReadOptions;
use profdata::write;
use profdata::write::Release;

/// Merges for each release, unless the environment variable `PROFDATA_CASES` has another number.
fn cases() -> u64 {
    let usual = if is_all() { 75 } else { 30 };
    std::env::var("PROFDATA_CASES").map_or(usual, |cases| cases.parse().unwrap())
}

#[needs("llvm-13")]
fn llvm_13_merges_alike() {
    compare(13);
}

#[needs("clangs")]
fn llvm_14_merges_alike() {
    compare(14);
}

#[needs("llvm-15")]
fn llvm_15_merges_alike() {
    compare(15);
}

#[needs("clangs")]
fn llvm_16_merges_alike() {
    compare(16);
}

#[needs("clangs")]
fn llvm_19_merges_alike() {
    compare(19);
}

#[needs("clangs")]
fn llvm_22_merges_alike() {
    compare(22);
}

/// Options and inputs of one merge.
struct Case {
    threads: usize,
    sparse: bool,
    mode: FailureMode,
    keep_vtable_names: bool,
    inputs: Vec<(u64, String)>,
}

fn compare(release: u32) {
    let tool = format!("llvm-profdata-{release}");
    let directory = tempfile::tempdir().unwrap();
    let cases = cases();
    let mut merged = 0;
    for seed in 0..cases {
        let case = Case::random(&mut Rng::with_seed(seed), release);
        let ours = case.merge(release);
        merged += u64::from(ours.is_some());
        // With several threads two inputs of one context may change places in LLVM.
        let attempts = if case.threads > 1 { 10 } else { 1 };
        let same = (0..attempts).any(|_| case.is_merged_alike(&tool, directory.path(), &ours));
        if !same {
            let kept = directory.keep();
            panic!("case {seed} of LLVM {release}, {} threads: see {}", case.threads, kept.display());
        }
    }
    println!("{merged} of {cases} merges succeeded");
    assert!(merged > cases / 2);
}

impl Case {
    fn random(random: &mut Rng, release: u32) -> Case {
        let threads = if random.bool() { 1 } else { 2 + random.u64(..3) as usize };
        let kind = random.choice(["", ":ir\n", ":ir\n:entry_first\n", ":csir\n", ":fe\n"]).unwrap();
        let inputs = (0..1 + random.u64(..5)).map(|_| {
            let weight = if random.u8(..3) == 0 { random.choice([2, 10, 1000, u64::MAX >> 1]).unwrap() } else { 1 };
            (weight, random_text(random, release, kind))
        });
        Case {
            inputs: inputs.collect(),
            threads,
            sparse: random.u8(..5) == 0,
            mode: if random.u8(..4) == 0 { FailureMode::All } else { FailureMode::Any },
            keep_vtable_names: release >= 19 && random.u8(..3) == 0,
        }
    }

    fn merge(&self, release: u32) -> Option<(Merged, Vec<u8>)> {
        let release = Release::new(release).unwrap();
        let mut merger = CompatMerger::new(release, self.mode, self.threads).keep_vtable_names(self.keep_vtable_names);
        let options = ReadOptions { release: Some(release), ..ReadOptions::default() };
        for (weight, text) in &self.inputs {
            merger.add(*weight, |sink| read(text.as_bytes(), &options, sink));
        }
        let mut merged = merger.finish().ok()?;
        if self.sparse {
            drop_dead_names(&mut merged.profile);
        }
        let mut text = Vec::new();
        write::text::write_as_llvm(&merged.profile, &write::text::TextWriteOptions { release }, &mut text).unwrap();
        Some((merged, text))
    }

    /// Merges with the tool, and returns whether the result is the same.
    fn is_merged_alike(&self, tool: &str, directory: &Path, ours: &Option<(Merged, Vec<u8>)>) -> bool {
        let mut arguments = vec!["merge".to_string(), "-text".to_string(), format!("-num-threads={}", self.threads)];
        if self.sparse {
            arguments.push("-sparse".to_string());
        }
        if self.mode == FailureMode::All {
            arguments.push("-failure-mode=all".to_string());
        }
        if self.keep_vtable_names {
            arguments.push("-keep-vtable-symbols".to_string());
        }
        for (index, (weight, text)) in self.inputs.iter().enumerate() {
            let name = format!("{index}.proftext");
            std::fs::write(directory.join(&name), text).unwrap();
            arguments.push(format!("-weighted-input={weight},{name}"));
        }
        arguments.extend(["-o".to_string(), "out".to_string()]);
        std::fs::write(directory.join("command"), format!("{tool} {}\n", arguments.join(" "))).unwrap();
        let output = support::run(tool, &arguments, directory);
        let Some((merged, ours)) = ours else { return !output.status.success() };
        let theirs = std::fs::read(directory.join("out")).unwrap_or_default();
        std::fs::write(directory.join("ours"), ours).unwrap();
        let messages = String::from_utf8_lossy(&output.stderr);
        let expected = self.messages(merged);
        std::fs::write(directory.join("stderr"), messages.as_bytes()).unwrap();
        std::fs::write(directory.join("ours.stderr"), &expected).unwrap();
        let alike =
            self.threads > 1 || messages.lines().filter(|line| !line.starts_with("warning: ")).eq(expected.lines());
        output.status.success() && theirs == *ours && alike
    }

    /// Returns what the tool says of records with one thread.
    fn messages(&self, merged: &Merged) -> String {
        let mut messages = String::new();
        let mut hinted = Vec::new();
        for finding in &merged.reported {
            let (name, _) = finding.function.unwrap();
            let name = NAMES.iter().find(|candidate| name_hash(candidate.as_bytes()) == name).unwrap();
            let message = llvm_message(&finding.kind).unwrap();
            writeln!(messages, "{}.proftext: {name}: {message}", finding.input.number).unwrap();
            if has_hint(&finding.kind) && !hinted.contains(&message) {
                hinted.push(message);
                writeln!(messages, "{SAME_BINARY_HINT}").unwrap();
            }
        }
        messages
    }
}

const NAMES: [&str; 12] = [
    "main",
    "a",
    "b",
    "ab",
    "_ZN3foo3barEv",
    "file.c:static",
    "file.c;static",
    "naïve",
    "x y",
    "z.llvm.123",
    "Z",
    "0x",
];

/// Returns a profile of some functions.
fn random_text(random: &mut Rng, release: u32, kind: &str) -> String {
    if random.u8(..20) == 0 {
        return String::new();
    }
    let mut text = match random.u64(..12) {
        0 => String::new(),
        1 => ":ir\n".to_string(),
        _ => kind.to_string(),
    };
    if release >= 19 && random.u8(..4) == 0 {
        random_traces(random, &mut text);
    }
    // Hashes of one name are put into the map in a random order.
    for _ in 0..random.u64(..24) {
        let name = random.choice(NAMES).unwrap();
        let hash = random.choice([1, 2, 5, 69, 16, 0xfeed_face_cafe, 1 << 60 | 5, u64::MAX >> 3]).unwrap();
        random_record(random, &mut text, release, name, hash);
    }
    if random.u8(..12) == 0 {
        let mut end = random.u64(..text.len() as u64 + 1) as usize;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
    text
}

fn random_traces(random: &mut Rng, text: &mut String) {
    let traces = if random.u8(..6) == 0 { 60 + random.u64(..100) } else { random.u64(..3) };
    let stream_size = match random.u64(..4) {
        0 => random.u64(..300),
        1 => 99 + random.u64(..3),
        _ => traces,
    };
    write!(text, ":temporal_prof_traces\n{traces}\n{stream_size}\n").unwrap();
    for _ in 0..traces {
        writeln!(text, "{}", 1 + random.u64(..3)).unwrap();
        for _ in 0..1 + random.u64(..3) {
            write!(text, "{},", random.choice(NAMES).unwrap()).unwrap();
        }
        text.push('\n');
    }
}

fn random_count(random: &mut Rng) -> u64 {
    match random.u64(..30) {
        0 => u64::MAX - random.u64(..5),
        1 => random.u64(..),
        2..10 => 0,
        _ => random.u64(..20),
    }
}

fn random_record(random: &mut Rng, text: &mut String, release: u32, name: &str, hash: u64) {
    // The shape depends on the function, and seldom differs.
    let mut shape = Rng::with_seed(hash ^ name.len() as u64);
    let counters = 1 + shape.u64(..6) + u64::from(random.u8(..40) == 0);
    writeln!(text, "{name}\n{hash}\n{counters}").unwrap();
    let dead = random.u8(..3) == 0;
    for _ in 0..counters {
        writeln!(text, "{}", if dead { 0 } else { random_count(random) }).unwrap();
    }
    let bitmap = shape.u64(..4) * shape.u64(..2);
    if release >= 19 && bitmap > 0 {
        let bitmap = bitmap + u64::from(random.u8(..20) == 0);
        writeln!(text, "${bitmap}").unwrap();
        for _ in 0..bitmap {
            writeln!(text, "{:#x}", random.choice([0, 1, 0x80, 0xff, 0x0f, 0x10]).unwrap()).unwrap();
        }
    }
    let mut kinds: Vec<(usize, u64)> = (0..if release >= 19 { 3 } else { 2 })
        .filter_map(|kind| if shape.bool() { Some((kind, shape.u64(..3))) } else { None })
        .collect();
    if random.u8(..20) == 0 {
        kinds.pop();
    }
    if kinds.is_empty() {
        return;
    }
    writeln!(text, "{}", kinds.len()).unwrap();
    for (kind, sites) in kinds {
        let sites = sites + u64::from(random.u8(..30) == 0);
        writeln!(text, "{kind}\n{sites}").unwrap();
        for _ in 0..sites {
            random_site(random, text, kind);
        }
    }
}

fn random_site(random: &mut Rng, text: &mut String, kind: usize) {
    let values = match random.u64(..12) {
        0 => 17 + random.u64(..40),
        1 => 240 + random.u64(..60),
        2..8 => random.u64(..5),
        _ => 0,
    };
    // Of few different values many are equal.
    let different = random.choice([3, 30, 1000]).unwrap();
    writeln!(text, "{values}").unwrap();
    for _ in 0..values {
        let value = random.u64(..different);
        match (kind, value) {
            (1, _) => write!(text, "{value}").unwrap(),
            (_, 0..2) => text.push_str("** External Symbol **"),
            (_, 2..14) => text.push_str(NAMES[value as usize - 2]),
            _ => write!(text, "unknown{value}").unwrap(),
        }
        let most = random.choice([3, 1000]).unwrap();
        let count = if random.u8(..200) == 0 { u64::MAX - 1 } else { random.u64(..most) };
        writeln!(text, ":{count}").unwrap();
    }
}
