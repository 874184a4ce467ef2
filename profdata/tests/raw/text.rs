//! The text form, only for comparisons: lines without comments, values of a site in one order.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use profdata::Profile;
use profdata::sink::Flags;
use profdata::sink::KindSites;

const EXTERNAL: &str = "** External Symbol **";

/// Returns the text form of a profile in which no function occurs twice, or its counts are to be added.
pub fn of(profile: &Profile) -> String {
    let mut names: HashMap<u64, String> = HashMap::new();
    let mut functions = BTreeMap::new();
    for (_, name) in profile.names().iter() {
        names.insert(name.hash, String::from_utf8_lossy(name.bytes.unwrap_or(b"")).into_owned());
    }
    for name in profile.vtable_names() {
        names.insert(profdata::name::name_hash(name), String::from_utf8_lossy(name).into_owned());
    }
    for record in profile.records() {
        let key = (record.name.bytes.unwrap_or(b"").to_vec(), record.hash);
        let (counters, bitmap, values) = functions
            .entry(key)
            .or_insert_with(|| (vec![0; record.counters.len()], record.bitmap.to_vec(), Vec::new()));
        counters.iter_mut().zip(record.counters).for_each(|(sum, count)| *sum += count);
        bitmap.iter_mut().zip(record.bitmap).for_each(|(all, byte)| *all |= byte);
        if let Some(sites) = record.values {
            values.push(sites.clone());
        }
    }
    let mut text = heading(profile);
    for ((name, hash), (counters, bitmap, values)) in functions {
        writeln!(text, "{}\n{hash}\n{}", String::from_utf8_lossy(&name), counters.len()).unwrap();
        counters.iter().for_each(|count| writeln!(text, "{count}").unwrap());
        if !bitmap.is_empty() {
            writeln!(text, "${}", bitmap.len()).unwrap();
            bitmap.iter().for_each(|byte| writeln!(text, "{byte:#x}").unwrap());
        }
        assert!(values.len() < 2, "this text form does not merge values");
        let Some(sites) = values.first() else { continue };
        let kinds: Vec<(usize, &KindSites)> =
            sites.kinds.iter().enumerate().filter(|(_, sites)| !sites.is_empty()).collect();
        writeln!(text, "{}", kinds.len()).unwrap();
        for (kind, sites) in kinds {
            writeln!(text, "{kind}\n{}", sites.len()).unwrap();
            for site in sites.sites() {
                writeln!(text, "{}", site.len()).unwrap();
                let line = |value: u64| match kind {
                    1 => value.to_string(),
                    _ => names.get(&value).cloned().unwrap_or_else(|| EXTERNAL.to_string()),
                };
                let mut lines: Vec<_> =
                    site.iter().map(|value| format!("{}:{}", line(value.value), value.count)).collect();
                lines.sort();
                lines.iter().for_each(|line| writeln!(text, "{line}").unwrap());
            }
        }
    }
    text
}

fn heading(profile: &Profile) -> String {
    let mut text = String::new();
    let flags = profile.flags();
    let lines = [
        (flags.has(Flags::IR) && !flags.has(Flags::CONTEXT_SENSITIVE), ":ir"),
        (flags.has(Flags::CONTEXT_SENSITIVE), ":csir"),
        (flags.has(Flags::ENTRY_FIRST), ":entry_first"),
        (flags.has(Flags::LOOP_ENTRIES), ":instrument_loop_entries"),
        (flags.has(Flags::BYTE_COVERAGE), ":single_byte_coverage"),
    ];
    for (_, line) in lines.into_iter().filter(|(set, _)| *set) {
        text.push_str(line);
        text.push('\n');
    }
    if flags.has(Flags::TEMPORAL) {
        let traces = profile.traces();
        writeln!(text, ":temporal_prof_traces\n{}\n{}", traces.len(), profile.trace_stream_size()).unwrap();
        for trace in traces {
            writeln!(text, "{}", trace.weight).unwrap();
            for function in &trace.functions {
                let name =
                    profile.names().iter().find(|(_, name)| name.hash == *function).and_then(|(_, name)| name.bytes);
                text.push_str(std::str::from_utf8(name.unwrap_or(b"")).unwrap());
                text.push(',');
            }
            text.push('\n');
        }
    }
    text
}

/// Returns LLVM's text without comments and blank lines, and with the lines of each value site sorted.
pub fn normal(theirs: &str) -> String {
    let mut text = String::new();
    let mut left = 0;
    let mut values: Vec<&str> = Vec::new();
    let mut comment = "";
    for line in theirs.lines().filter(|line| !line.is_empty()) {
        if line.starts_with('#') {
            comment = line;
            continue;
        }
        if left > 0 {
            values.push(line);
            left -= 1;
            if left == 0 {
                values.sort();
                values.drain(..).for_each(|line| writeln!(text, "{line}").unwrap());
            }
            continue;
        }
        writeln!(text, "{line}").unwrap();
        // After the number of sites, and after the values of a site, comes the number of values of a site.
        if comment.starts_with("# NumValueSites") {
            comment = "# Site";
        } else if comment == "# Site" {
            left = line.parse().unwrap_or(0);
        }
    }
    text
}
