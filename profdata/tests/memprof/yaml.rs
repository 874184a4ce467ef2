//! Memory profiles in the YAML form that `llvm-profdata` reads and shows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use fastrand::Rng;

/// What `llvm-profdata show --memory` prints: the record of each function as text, and everything after the records.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shown {
    pub functions: BTreeMap<u64, String>,
    pub rest: String,
}

impl Shown {
    pub fn parse(text: &str) -> Shown {
        let mut shown = Shown::default();
        let mut function = None;
        for line in text.lines().filter(|line| !line.starts_with('#') && !["---", "...", "{}"].contains(line)) {
            if let Some(guid) = line.trim_start().strip_prefix("- GUID:") {
                function = Some(u64::from_str_radix(guid.trim().trim_start_matches("0x"), 16).unwrap());
                shown.functions.insert(function.unwrap(), String::new());
                continue;
            }
            if line.starts_with("DataAccessProfiles") {
                function = None;
                shown.rest.clear();
            }
            let to = match function {
                Some(function) => shown.functions.get_mut(&function).unwrap(),
                None => &mut shown.rest,
            };
            writeln!(to, "{line}").unwrap();
        }
        if shown.rest.starts_with("HeapProfileRecords") {
            shown.rest.clear();
        }
        shown
    }

    /// Returns the YAML form, with the functions in the order of their hashes.
    pub fn yaml(&self) -> String {
        let mut yaml = String::from("---\n");
        if !self.functions.is_empty() {
            yaml += "HeapProfileRecords:\n";
        }
        for (function, record) in &self.functions {
            write!(yaml, "  - GUID: {function:#x}\n{record}").unwrap();
        }
        yaml + &self.rest + "...\n"
    }

    /// Returns allocations and calls of each function, in an order that means nothing.
    pub fn sites(&self) -> BTreeMap<u64, [Vec<String>; 2]> {
        let sites = |record: &String| {
            let mut parts = [Vec::new(), Vec::new()];
            let mut part = 0;
            for line in record.lines() {
                match line {
                    "    AllocSites:" => part = 0,
                    "    CallSites:" => part = 1,
                    _ if line.starts_with("      - ") => parts[part].push(format!("{line}\n")),
                    _ => parts[part].last_mut().unwrap().push_str(&format!("{line}\n")),
                }
            }
            parts.iter_mut().for_each(|part| part.sort());
            parts
        };
        self.functions.iter().map(|(function, record)| (*function, sites(record))).collect()
    }
}

/// What a random memory profile has.
#[derive(Clone, Copy)]
pub struct Shape {
    pub functions: u64,
    pub stack: u64,
    pub callees: bool,
    pub data_accesses: bool,
}

fn frames(numbers: &mut Rng, shape: &Shape, function: u64, indent: &str) -> String {
    let mut text = String::new();
    // Most stacks are alike, so that they share parts.
    let mut seed = Rng::with_seed(numbers.u64(..4));
    for depth in 0..1 + numbers.u64(..shape.stack) {
        let from = if numbers.u8(..3) == 0 { &mut *numbers } else { &mut seed };
        let (caller, line) = (1 + from.u64(..shape.functions), from.u64(..3));
        let function = if depth == 0 { function } else { caller.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3 };
        writeln!(
            text,
            "{indent}- {{ Function: {function:#x}, LineOffset: {line}, Column: {}, IsInlineFrame: {} }}",
            line * 7,
            line == 1
        )
        .unwrap();
    }
    text
}

/// Returns a random memory profile, with its functions in any order.
pub fn random(numbers: &mut Rng, shape: &Shape) -> String {
    let mut yaml = String::from("---\nHeapProfileRecords:\n");
    let mut functions: Vec<u64> = (1..=shape.functions).filter(|_| numbers.u8(..4) > 0).collect();
    if functions.is_empty() {
        functions.push(1);
    }
    for at in (1..functions.len()).rev() {
        functions.swap(at, numbers.u64(..at as u64 + 1) as usize);
    }
    for number in functions {
        let function = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3;
        writeln!(yaml, "  - GUID: {function:#x}\n    AllocSites:").unwrap();
        let allocations = numbers.u64(..4);
        for _ in 0..allocations {
            let stack = frames(numbers, shape, function, "          ");
            write!(yaml, "      - Callstack:\n{stack}        MemInfoBlock:\n").unwrap();
            let (count, lifetime) = (1 + numbers.u64(..9), numbers.u64(..2_000_000));
            let fields = [
                ("AllocCount", count),
                ("TotalSize", numbers.u64(..) >> numbers.u64(..64)),
                ("TotalLifetime", lifetime),
                ("TotalLifetimeAccessDensity", numbers.u64(..20)),
            ];
            for (field, value) in fields {
                writeln!(yaml, "          {field}: {value}").unwrap();
            }
        }
        if allocations == 0 {
            yaml = yaml.trim_end().to_owned() + " []\n";
        }
        let mut calls = BTreeSet::new();
        // The same in all profiles: LLVM keeps the calls of only one of them.
        let mut fixed = Rng::with_seed(number);
        while calls.len() < number as usize % 3 {
            let stack = frames(&mut fixed, shape, function, "          ");
            let callees: BTreeSet<String> = (0..fixed.u64(..3)).map(|_| format!("{:#x}", fixed.u64(..9))).collect();
            calls.insert((stack, callees));
        }
        let mut stacks = BTreeSet::new();
        calls.retain(|(stack, _)| stacks.insert(stack.clone()));
        writeln!(yaml, "    CallSites:{}", if calls.is_empty() { " []" } else { "" }).unwrap();
        for (stack, callees) in calls {
            write!(yaml, "      - Frames:\n{stack}").unwrap();
            if shape.callees && !callees.is_empty() {
                writeln!(yaml, "        CalleeGuids: [{}]", Vec::from_iter(callees).join(", ")).unwrap();
            }
        }
    }
    if shape.data_accesses {
        yaml += &accesses(numbers);
    }
    yaml + "...\n"
}

fn accesses(numbers: &mut Rng) -> String {
    let mut yaml = String::from("DataAccessProfiles:\n  SampledRecords:\n");
    let mut seen = BTreeSet::new();
    for _ in 0..1 + numbers.u64(..6) {
        let symbol = numbers.u64(..9);
        if !seen.insert(symbol) {
            continue;
        }
        let symbol =
            if symbol.is_multiple_of(3) { format!("Hash: {}", symbol + 7) } else { format!("Symbol: symbol_{symbol}") };
        writeln!(yaml, "    - {symbol}\n      AccessCount: {}", numbers.u64(..1000)).unwrap();
        let locations: BTreeSet<_> = (0..numbers.u64(..3)).map(|_| (numbers.u64(..4), numbers.u64(..9))).collect();
        if !locations.is_empty() {
            yaml += "      Locations:\n";
        }
        for (file, line) in locations {
            writeln!(yaml, "        - FileName: file_{file}\n          Line: {line}").unwrap();
        }
    }
    let cold: BTreeSet<String> = (0..numbers.u64(..4)).map(|_| format!("cold_{}", numbers.u64(..5))).collect();
    if !cold.is_empty() {
        writeln!(yaml, "  KnownColdSymbols: [ {} ]", Vec::from_iter(cold).join(", ")).unwrap();
    }
    let cold: BTreeSet<String> = (0..numbers.u64(..4)).map(|_| (90 + numbers.u64(..5)).to_string()).collect();
    if !cold.is_empty() {
        writeln!(yaml, "  KnownColdStrHashes: [ {} ]", Vec::from_iter(cold).join(", ")).unwrap();
    }
    yaml
}
