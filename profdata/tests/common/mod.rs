//! Random profiles, and the installed tools. For all integration tests.
#![allow(dead_code)]

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use fastrand::Rng;
use profdata::Profile;
use profdata::name::name_hash;
use profdata::sink::Trace;
use profdata::sink::{Flags, Format, Heading, Name, RecordRef, Sink, Value, ValueSites};
use proptest::prelude::*;

/// What a random profile has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    pub functions: usize,
    pub ir: bool,
    pub context_sensitive: bool,
    pub entry_first: bool,
    pub byte_coverage: bool,
    /// Names with 2 to 8 hashes.
    pub many_hashes: bool,
    pub bitmaps: bool,
    pub uniformity: bool,
    /// Value kinds below this.
    pub kinds: usize,
    /// Sites with up to 300 values.
    pub large_sites: bool,
    pub traces: bool,
    pub binary_ids: bool,
    /// Share of counters that are 0, in percent.
    pub zeros: u64,
    /// Counters whose sum is above 2^64.
    pub huge: bool,
    /// Records that say only how hot the function is.
    pub pseudo: bool,
}

/// A profile, and the names behind the hashes in its values and traces.
pub struct Random {
    pub profile: Profile,
    pub names: HashMap<u64, Vec<u8>>,
}

fn name(numbers: &mut Rng, prefix: &str) -> Vec<u8> {
    const PARTS: [&str; 8] =
        ["core", "fmt", "St6vector", "IiSaIiEE", "operator", "x", "main.cpp;", "really_quite_a_long_part"];
    let mut name = String::from(prefix);
    for _ in 0..numbers.u64(..7) {
        name += PARTS[numbers.u64(..8) as usize];
        if numbers.u8(..3) == 0 {
            write!(name, "{}", numbers.u64(..1000)).unwrap();
        }
    }
    write!(name, "{:x}", numbers.u64(..) >> numbers.u64(..60)).unwrap();
    name.into_bytes()
}

/// Returns a random profile: the same for the same seed and shape.
pub fn random(seed: u64, shape: &Shape) -> Random {
    let mut numbers = Rng::with_seed(seed);
    let mut seen = HashSet::new();
    let mut function_names = Vec::new();
    while function_names.len() < shape.functions {
        let prefix = ["_ZN", "f", "_R", "a", "Z"][numbers.u64(..5) as usize];
        let name = name(&mut numbers, prefix);
        if seen.insert(name.clone()) {
            function_names.push(name);
        }
    }
    let mut names: HashMap<u64, Vec<u8>> = function_names.iter().map(|name| (name_hash(name), name.clone())).collect();
    let mut profile = Profile::new();
    let mut flags = Flags::NONE;
    for (has, flag) in [
        (shape.ir || shape.context_sensitive, Flags::IR),
        (shape.context_sensitive, Flags::CONTEXT_SENSITIVE),
        (shape.entry_first, Flags::ENTRY_FIRST),
        (shape.byte_coverage, Flags::BYTE_COVERAGE),
    ] {
        if has {
            flags |= flag;
        }
    }
    profile.heading(&Heading { format: Format::Text, flags, says_front_end: !shape.ir, kind_unknown: false }).unwrap();
    let mut vtable_names: Vec<Vec<u8>> = Vec::new();
    let vtables: Vec<Vec<u8>> = (0..shape.functions / 3).map(|_| name(&mut numbers, "_ZTV")).collect();
    for function in &function_names {
        let hashes = if shape.many_hashes && numbers.u8(..4) == 0 { 2 + numbers.u64(..7) } else { 1 };
        let mut used = HashSet::new();
        let mut values = ValueSites::default();
        for _ in 0..hashes {
            let mut hash = numbers.u64(..) >> 4 >> if numbers.u8(..3) == 0 { 50 } else { 0 };
            if shape.context_sensitive && numbers.bool() {
                hash |= 1 << 60;
            }
            if !used.insert(hash) {
                continue;
            }
            let count = 1 + numbers.u64(..20);
            let mut counters: Vec<u64> = (0..count).map(|_| counter(&mut numbers, shape)).collect();
            if shape.pseudo && numbers.u8(..10) == 0 {
                counters[0] = u64::MAX - numbers.u64(..2);
            }
            // LLVM 15 and earlier take no counter of 2^64 - 1 into the summary, wherever it is.
            if shape.pseudo && numbers.u8(..10) == 0 {
                *counters.last_mut().unwrap() = u64::MAX - numbers.u64(..2);
            }
            let bitmap: Vec<u8> = match numbers.u64(..3) {
                0 if shape.bitmaps => (0..1 + numbers.u64(..20)).map(|_| numbers.u8(..)).collect(),
                _ => Vec::new(),
            };
            let uniformity: Vec<u8> = match numbers.u64(..3) {
                0 if shape.uniformity => (0..counters.len().div_ceil(8)).map(|_| numbers.u8(..)).collect(),
                _ => Vec::new(),
            };
            values.clear();
            for kind in 0..shape.kinds {
                for _ in 0..if numbers.bool() { numbers.u64(..4) } else { 0 } {
                    let site = site(&mut numbers, shape, kind, &function_names, &vtables);
                    for value in &site {
                        if kind == 0 && value.value != 0 && !names.contains_key(&value.value) {
                            panic!("a target has a name");
                        }
                        if kind == 2 && value.value != 0 {
                            let name = vtables.iter().find(|name| name_hash(name) == value.value).unwrap();
                            if names.insert(value.value, name.clone()).is_none() {
                                vtable_names.push(name.clone());
                            }
                        }
                    }
                    assert!(values.kinds[kind].push_site(site));
                }
            }
            let record = RecordRef {
                name: Name::of(function),
                hash,
                counters: &counters,
                bitmap: &bitmap,
                uniformity: &uniformity,
                values: if values.is_empty() { None } else { Some(&values) },
            };
            profile.push(record).unwrap();
        }
    }
    profile.set_vtable_names(vtable_names);
    if shape.traces && !function_names.is_empty() {
        let count = 1 + numbers.u64(..4);
        let mut trace = || {
            let functions = (0..1 + numbers.u64(..9))
                .map(|_| name_hash(&function_names[numbers.u64(..function_names.len() as u64) as usize]));
            Trace { functions: functions.collect(), weight: 1 }
        };
        let traces = (0..count).map(|_| trace()).collect();
        profile.set_traces(traces, count);
        profile.set_flags(flags | Flags::TEMPORAL);
    }
    if shape.binary_ids {
        for _ in 0..1 + numbers.u64(..4) {
            let id: Vec<u8> = (0..1 + numbers.u64(..24)).map(|_| numbers.u8(..)).collect();
            profile.binary_id(&id);
        }
    }
    names.retain(|_, name| !name.is_empty());
    Random { profile, names }
}

fn counter(numbers: &mut Rng, shape: &Shape) -> u64 {
    if numbers.u64(..100) < shape.zeros {
        0
    } else if shape.byte_coverage {
        1
    } else if shape.huge && numbers.u8(..4) == 0 {
        numbers.u64(..) >> 1
    } else {
        numbers.u64(..) >> (12 + numbers.u64(..50))
    }
}

/// Returns the values of a site, in the order of a profile: by falling counts, with ties.
fn site(numbers: &mut Rng, shape: &Shape, kind: usize, functions: &[Vec<u8>], vtables: &[Vec<u8>]) -> Vec<Value> {
    let most = if shape.large_sites && numbers.u8(..8) == 0 { 300 } else { 5 };
    let mut used = HashSet::new();
    let mut values = Vec::new();
    for _ in 0..numbers.u64(..most + 1) {
        let value = match (kind, functions, vtables) {
            (0, [_, ..], _) => name_hash(&functions[numbers.u64(..functions.len() as u64) as usize]),
            (2, _, [_, ..]) => name_hash(&vtables[numbers.u64(..vtables.len() as u64) as usize]),
            (1, ..) => numbers.u64(..2000),
            _ => continue,
        };
        let count = if numbers.bool() { 1 + numbers.u64(..3) } else { 1 + numbers.u64(..1 << 40) };
        if used.insert(value) {
            values.push(Value { value, count });
        }
    }
    values.sort_by_key(|value| std::cmp::Reverse(value.count));
    values
}

/// Returns the text form of a profile, with its records in their order.
pub fn text(random: &Random) -> Vec<u8> {
    let profile = &random.profile;
    let flags = profile.flags();
    let mut out = Vec::new();
    let mut line = |bytes: &[u8]| {
        out.extend_from_slice(bytes);
        out.push(b'\n');
    };
    if flags.has(Flags::CONTEXT_SENSITIVE) {
        line(b":csir");
    } else if flags.has(Flags::IR) {
        line(b":ir");
    } else {
        line(b":fe");
    }
    if flags.has(Flags::ENTRY_FIRST) {
        line(b":entry_first");
    }
    if flags.has(Flags::BYTE_COVERAGE) {
        line(b":single_byte_coverage");
    }
    if flags.has(Flags::TEMPORAL) {
        line(b":temporal_prof_traces");
        line(profile.traces().len().to_string().as_bytes());
        line(profile.trace_stream_size().to_string().as_bytes());
        for trace in profile.traces() {
            line(trace.weight.to_string().as_bytes());
            let names: Vec<&[u8]> = trace.functions.iter().map(|hash| random.names[hash].as_slice()).collect();
            line(&names.join(&b','));
        }
    }
    for record in profile.records() {
        line(record.name.bytes.unwrap());
        line(record.hash.to_string().as_bytes());
        line(record.counters.len().to_string().as_bytes());
        record.counters.iter().for_each(|counter| line(counter.to_string().as_bytes()));
        if !record.bitmap.is_empty() {
            line(format!("${}", record.bitmap.len()).as_bytes());
            record.bitmap.iter().for_each(|byte| line(format!("{byte:#x}").as_bytes()));
            line(b"");
        }
        let Some(values) = record.values else { continue };
        let kinds = values.kinds.iter().enumerate().filter(|(_, kind)| !kind.is_empty());
        line(kinds.clone().count().to_string().as_bytes());
        for (number, kind) in kinds {
            line(number.to_string().as_bytes());
            line(kind.len().to_string().as_bytes());
            for site in kind.sites() {
                line(site.len().to_string().as_bytes());
                for value in site {
                    let mut pair = match number {
                        1 => value.value.to_string().into_bytes(),
                        _ => random.names[&value.value].clone(),
                    };
                    pair.extend_from_slice(format!(":{}", value.count).as_bytes());
                    line(&pair);
                }
            }
        }
    }
    out
}

/// Returns random shapes of at most `functions` functions, with everything that a version has.
pub fn shapes(functions: usize, version: u32) -> impl Strategy<Value = Shape> {
    let kinds = if version >= 12 { 4usize } else { 3 };
    let bits = any::<[bool; 12]>();
    (0..=functions, bits, 0..kinds, 0..100u64).prop_map(move |(functions, bits, kinds, zeros)| Shape {
        functions,
        ir: bits[0],
        context_sensitive: bits[1],
        entry_first: bits[2],
        byte_coverage: bits[3] && version > 7,
        many_hashes: bits[4],
        bitmaps: bits[5] && version >= 11,
        uniformity: bits[6] && version >= 14,
        kinds,
        large_sites: bits[7],
        traces: bits[8] && version >= 10,
        binary_ids: bits[9] && version >= 9,
        zeros,
        huge: bits[10],
        pseudo: bits[11],
    })
}

/// A record with everything in it, for comparison.
pub type Plain = (Option<Vec<u8>>, u64, Vec<u64>, Vec<u8>, Vec<u8>, Vec<Vec<Vec<Value>>>);

/// Returns the records, sorted. Sites are cut to 255 values, as every writer does.
pub fn records(profile: &Profile) -> Vec<Plain> {
    let values = |record: &RecordRef<'_>| {
        let kinds = record.values.map(|values| values.kinds.each_ref());
        kinds
            .into_iter()
            .flatten()
            .map(|kind| kind.sites().map(|site| site.iter().take(255).copied().collect()).collect())
            .collect::<Vec<Vec<Vec<Value>>>>()
    };
    let plain = |record: RecordRef<'_>| {
        let values = values(&record);
        let name = record.name.bytes.map(<[u8]>::to_vec);
        (name, record.hash, record.counters.to_vec(), record.bitmap.to_vec(), record.uniformity.to_vec(), values)
    };
    let mut records: Vec<Plain> = profile.records().map(plain).collect();
    records.sort();
    records
}

/// Runs `llvm-profdata-RELEASE merge -num-threads=1` with options over one input, and returns the output file's bytes.
pub fn tool_merge(release: u32, options: &[&str], input: &Path) -> Result<Vec<u8>, String> {
    let output = input.with_extension(format!("{release}.out"));
    let run = Command::new(format!("llvm-profdata-{release}"))
        .args(["merge", "-num-threads=1"])
        .args(options)
        .arg("-o")
        .arg(&output)
        .arg(input)
        .output()
        .map_err(|error| error.to_string())?;
    if !run.status.success() {
        return Err(String::from_utf8_lossy(&run.stderr).into_owned());
    }
    let bytes = std::fs::read(&output).map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&run.stderr)))?;
    let _ = std::fs::remove_file(output);
    Ok(bytes)
}
