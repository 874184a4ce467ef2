//! How much of the crate `profdata` was compared: printed at the end with `PROFRT_PROFDATA=all`.

use anyhow::Result;
use std::collections::BTreeMap;
use std::sync::Mutex;

use profdata::read::raw::RawFile;
use profdata::{Flags, Format, Heading};

use super::merges::Form;

static COUNTS: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());

/// Whether every profile is to be merged in every way.
pub fn is_wanted() -> bool {
    std::env::var_os("PROFRT_PROFDATA").is_some_and(|value| value == "all")
}

fn count(what: String) {
    *COUNTS.lock().unwrap().entry(what).or_default() += 1;
}

/// Counts a raw profile.
pub fn profile(release: u32, bytes: &[u8]) -> Result<()> {
    let Ok(file) = RawFile::parse(bytes, 0) else {
        count(format!("profiles of LLVM {release} that cannot be read"));
        return Ok(());
    };
    let Heading { format, flags, .. } = file.heading();
    let version = match format {
        Format::Raw(version, _) => format!("{version:?}"),
        other => format!("{other:?}"),
    };
    let mut kind = vec![if flags.has(Flags::IR) { "IR" } else { "front end" }];
    for (flag, name) in [
        (Flags::CONTEXT_SENSITIVE, "context-sensitive"),
        (Flags::ENTRY_FIRST, "entry first"),
        (Flags::LOOP_ENTRIES, "loop entries"),
        (Flags::DEBUG_CORRELATE, "debug info"),
        (Flags::BYTE_COVERAGE, "byte coverage"),
        (Flags::FUNCTION_ENTRY_ONLY, "function entries"),
        (Flags::TEMPORAL, "temporal"),
    ] {
        kind.extend(flags.has(flag).then_some(name));
    }
    let parts = [
        (file.records().any(|record| record.has_values()), "values"),
        (file.records().any(|record| record.num_bitmap_bytes > 0), "bitmaps"),
        (!file.binary_ids().0.is_empty(), "build id"),
        (file.needs_correlation(), "correlated"),
    ];
    kind.extend(parts.into_iter().filter_map(|(has, name)| has.then_some(name)));
    count(format!("profiles of LLVM {release}, raw {version}: {}", kind.join(", ")));
    Ok(())
}

/// Counts a merge that was compared with that of `llvm-profdata`.
pub fn merge(form: Form, accepted: bool) {
    count(format!("merges compared: {form:?}{}", if accepted { "" } else { ", refused" }));
}

/// Counts a default merge that was compared.
pub fn default_merge() {
    count("default merges compared".into());
}

/// Counts a default merge that may be another profile.
pub fn left_out(why: &str) {
    // Without its numbers.
    let why = why.split([' ', '{']).next().unwrap_or_default();
    count(format!("default merges not compared: {why}"));
}

/// Prints all counts, if they are wanted.
pub fn print() {
    if is_wanted() {
        for (what, number) in COUNTS.lock().unwrap().iter() {
            eprintln!("profdata: {number:7} {what}");
        }
    }
}
