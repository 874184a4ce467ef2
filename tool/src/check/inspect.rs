//! What the crate `profdata` finds in a profile.
//!
//! A strict reader says what is wrong first and where. A reader that salvages says what is lost; it also compares names with their hashes. The
//! summary of an indexed profile is compared with the counters: it is the only check sum that the format has.

use std::collections::HashSet;

use profdata::error::ErrorKind;
use profdata::finding::{Finding, FindingKind, Outcome};
use profdata::memprof::MemProf;
use profdata::merge::{MergeOptions, Merger, Report};
use profdata::read::detect::{Detected, detect};
use profdata::read::{ReadOptions, Summary, indexed};
use profdata::sink::Name;
use profdata::summary::{CUTOFFS, SummaryPart};
use profdata::write::Release;
use profdata::{Error, Profile, read};

use super::guess::{Guess, guess};
use super::verdict::{Numbers, State, Verdict};
use crate::report::names::demangle;
use crate::report::{Fault, findings};
use crate::show::{formats, kind};
use crate::text::many;

/// Checks the bytes of an input.
pub fn inspect(name: String, bytes: &[u8]) -> Verdict {
    let detected = detect(bytes);
    if matches!(detected, Some(Detected::Elf | Detected::Archive(_)) | None) {
        let mut verdict = Verdict::of_error(name, State::Damaged, &Error::new(ErrorKind::Unrecognized, "Magic"));
        verdict.damage = vec![foreign(bytes)];
        return verdict;
    }
    // What follows an indexed profile is a fault of its own.
    let end = if detected == Some(Detected::Indexed) { indexed::end(bytes).ok().flatten() } else { None };
    let whole = bytes;
    let bytes = end.and_then(|end| bytes.get(..end)).unwrap_or(bytes);
    let mut profile = Profile::new();
    let mut strict = read(bytes, &ReadOptions::default(), &mut profile).err();
    let mut notes = Vec::new();
    let is_raw = matches!(detected, Some(Detected::Raw(_)));
    let (mut profile, found) = if detected == Some(Detected::Partial) {
        partial(bytes, &mut notes)
    } else if is_raw && strict.is_none() {
        let found = profile.findings().to_vec();
        (profile, found)
    } else {
        let mut profile = Profile::new();
        // Where it fails, the strict reader has failed too.
        let _ = read(bytes, &ReadOptions { salvage: true, ..ReadOptions::default() }, &mut profile);
        let found = profile.findings().to_vec();
        (profile, found)
    };
    let mut found = noted(found, &profile, &mut notes);
    if strict.take_if(|error| error.kind() == ErrorKind::MissingCorrelation).is_some() {
        found.retain(|finding| finding.kind != FindingKind::SectionLost);
        notes.push("its records are in the program: `profrt merge --object PROGRAM` finds them".into());
    } else if strict.is_none() && found.iter().any(|finding| finding.kind == FindingKind::NamesLost) {
        found.retain(|finding| finding.kind != FindingKind::NamesLost);
        notes.push("it has no names of functions: `profrt merge --object PROGRAM` finds them".into());
    }
    if let number @ 1.. = found.iter().filter(|finding| finding.kind == FindingKind::NoName).count() as u64 {
        notes.push(format!(
            "nothing in it names {}: `profrt merge --object PROGRAM` does, and so does another profile of the same binary in the merge",
            many(number, "function")
        ));
        profile.retain(|record| record.name.bytes.is_some());
    }
    let is_text = detected == Some(Detected::Text);
    let mut damage = match &strict {
        Some(_) if is_text && profile.is_empty() => vec![foreign(bytes)],
        Some(error) => vec![Fault::of(error)],
        None => Vec::new(),
    };
    if detected == Some(Detected::Indexed) {
        // What is missing has been said.
        if strict.is_none() && found.is_empty() {
            damage.extend(summary(bytes, &profile));
        }
        memprof(&profile, &mut damage, &mut notes);
        after_end(whole, bytes.len(), &mut damage, &mut notes);
    }
    // Of text that is no profile nothing is lost.
    let lost = if is_text && profile.is_empty() { Vec::new() } else { lost(&found, &profile) };
    if damage.is_empty() && !lost.is_empty() {
        let cause = "bytes were overwritten, in memory, on the disk or on the way";
        let remedy = "copy or make the file again";
        damage.push(fault("records", None, "records that fit together", "what does not", cause, remedy));
    }
    if damage.is_empty() && profile.is_empty() && notes.is_empty() {
        notes.push("it has no functions".into());
    }
    let numbers = numbers(&profile);
    let format = if profile.headings().is_empty() && detected != Some(Detected::Partial) {
        detected.map_or(String::new(), |detected| detected.to_string())
    } else {
        let mut formats = formats(&profile);
        if detected == Some(Detected::Partial) {
            formats = vec!["partial result".into()];
        }
        format!("{}, {}", formats.join(" and "), kind(profile.flags()))
    };
    let summary = format!("{} ({format})", line(&numbers));
    Verdict {
        name,
        state: if damage.is_empty() { State::Ok } else { State::Damaged },
        salvage: if damage.is_empty() || profile.is_empty() { Vec::new() } else { vec![line(&numbers)] },
        format,
        numbers,
        damage,
        lost,
        notes,
        summary,
    }
}

/// Returns the findings that are damage, and notes the others.
fn noted(mut found: Vec<Finding>, profile: &Profile, notes: &mut Vec<String>) -> Vec<Finding> {
    let named: HashSet<u64> =
        profile.names().iter().filter(|(_, name)| name.bytes.is_some()).map(|(_, name)| name.hash).collect();
    found.retain(|finding| match finding.kind {
        FindingKind::Unfinished { .. } | FindingKind::LastLineUnended => {
            notes.push(finding.kind.to_string());
            false
        }
        FindingKind::DuplicateValue { .. } => false,
        // Another profile of the file may have the name.
        FindingKind::NoName => finding.function.is_none_or(|(name, _)| !named.contains(&name)),
        _ => true,
    });
    found
}

/// Reads a partial result. What it says of its own inputs is no damage of the file, but worth a note.
fn partial(bytes: &[u8], notes: &mut Vec<String>) -> (Profile, Vec<Finding>) {
    let mut merger = Merger::new(MergeOptions::default());
    let finished = merger.add_partial("", 1, bytes).and_then(|_| merger.finish());
    let Ok((profile, report)) = finished else { return Default::default() };
    let Report { inputs, .. } = report;
    let inputs: Vec<_> = inputs.iter().filter(|(id, _)| id.part != u32::MAX).map(|(_, input)| input).collect();
    let damaged = inputs.iter().filter(|input| input.outcome != Outcome::Whole).count();
    if damaged > 0 {
        let all = many(inputs.len() as u64, "input");
        notes.push(format!("{damaged} of its {all} were damaged when it was made"));
    }
    (profile, Vec::new())
}

/// Returns what was found by other means than the reader.
fn fault(field: &str, at: Option<usize>, expected: &str, found: &str, cause: &str, remedy: &str) -> Fault {
    Fault {
        class: None,
        field: field.into(),
        offset: at.map(|at| at as u64),
        expected: Some(expected.into()),
        found: Some(found.into()),
        cause: cause.into(),
        remedy: Some(remedy.into()),
    }
}

/// Returns what is wrong with what is no profile.
fn foreign(bytes: &[u8]) -> Fault {
    let Guess { found, cause } = guess(bytes);
    Fault { remedy: None, ..fault("Magic", Some(0), "a profile", &found, &cause, "") }
}

/// Compares the summaries of an indexed profile with its records.
fn summary(bytes: &[u8], profile: &Profile) -> Vec<Fault> {
    let Ok(found) = indexed::read_summary(bytes) else { return Vec::new() };
    let at = indexed::Header::parse(bytes).map_or(0, |header| header.size());
    let parts = [(SummaryPart::Plain, found.plain), (SummaryPart::ContextSensitive, found.context_sensitive)];
    let wrong = parts.into_iter().filter_map(|(part, found)| {
        let found = found?;
        let cutoffs: Vec<u32> = found.cutoffs.iter().map(|row| row.cutoff).collect();
        // All releases write the same ones.
        let is_usual = cutoffs.len() != CUTOFFS.len() || cutoffs == CUTOFFS;
        // LLVM up to 15 counts other records.
        let old = Release::new(15).unwrap_or(Release::OLDEST);
        let of = |release| Summary::of_release(profile.records(), part, &cutoffs, release);
        let right = of(Release::NEWEST);
        if is_usual && cutoffs.is_sorted() && (right == found || of(old) == found) {
            return None;
        }
        let totals = |summary: &Summary| {
            let Summary { functions, counters, total_count, max_count, .. } = summary;
            format!("{functions} functions, {counters} counters, counts of {total_count}, the largest {max_count}")
        };
        let (mut expected, mut is) = (totals(&right), totals(&found));
        if expected == is {
            (expected, is) = ("the hot and cold counts of the records".into(), "others".into());
        }
        let field = if part == SummaryPart::Plain { "summary" } else { "context-sensitive summary" };
        let cause =
            "counters or the summary were overwritten after they were written, or the writer was killed before its end";
        let remedy =
            "make or copy the file again; `profrt merge` makes a new summary, but cannot know which counters are right";
        Some(fault(field, Some(at), &expected, &is, cause, remedy))
    });
    wrong.collect()
}

/// Reads MemProf sections, which other readers of records hand on unread.
fn memprof(profile: &Profile, damage: &mut Vec<Fault>, notes: &mut Vec<String>) {
    for (start, section) in profile.memprof_sections() {
        match MemProf::read(section, *start) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::UnsupportedVersion => {
                notes.push(format!("its MemProf section is not checked: {error}"));
            }
            Err(error) => damage.push(Fault::of(&error)),
        }
    }
}

/// Looks at what stands after the last section of an indexed profile.
fn after_end(bytes: &[u8], end: usize, damage: &mut Vec<Fault>, notes: &mut Vec<String>) {
    let rest = bytes.get(end..).unwrap_or(&[]);
    let zeros = rest.iter().take_while(|byte| **byte == 0).count();
    if zeros == rest.len() {
        if zeros > 0 {
            notes.push(format!("{} after its end", many(zeros as u64, "zero byte")));
        }
        return;
    }
    let found = detect(rest).filter(|found| *found != Detected::Text);
    let found = found.map_or_else(|| many(rest.len() as u64, "byte"), |found| found.to_string());
    let cause = "files were joined, of which compilers and tools read only the first, or the file was overwritten by a shorter one";
    let remedy = "merge the files with `profrt merge` instead of joining them";
    damage.push(fault("bytes after the profile", Some(end), "the end of the file", &found, cause, remedy));
}

/// Returns what the reader could not keep, a line for each kind of loss.
fn lost(found: &[Finding], profile: &Profile) -> Vec<String> {
    let name = |hash: u64| {
        let named = profile.names().iter().find(|(_, name): &(_, Name<'_>)| name.hash == hash);
        named.and_then(|(_, name)| name.bytes).map(demangle)
    };
    findings::by_kind(found).map(|(first, number)| findings::line(first, number, None, name)).collect()
}

fn numbers(profile: &Profile) -> Numbers {
    let profiles = profile.headings().len() as u64;
    let mut numbers = Numbers { profiles, functions: profile.len() as u64, ..Numbers::default() };
    for record in profile.records() {
        numbers.counters += record.counters.len() as u64;
        numbers.counters_not_0 += record.counters.iter().filter(|count| **count > 0).count() as u64;
        numbers.bitmap_bytes += record.bitmap.len() as u64;
        numbers.values +=
            record.values.iter().flat_map(|sites| &sites.kinds).map(|kind| kind.values().len() as u64).sum::<u64>();
    }
    numbers.vtables = profile.vtable_names().len() as u64;
    numbers.temporal_traces = profile.traces().len() as u64;
    numbers
}

fn line(numbers: &Numbers) -> String {
    let Numbers { counters_not_0, .. } = numbers;
    let several = if numbers.profiles > 1 { many(numbers.profiles, "profile") + ", " } else { String::new() };
    let mut line = format!(
        "{several}{}, {}, {counters_not_0} not 0",
        many(numbers.functions, "function"),
        many(numbers.counters, "counter")
    );
    for (number, noun) in [
        (numbers.bitmap_bytes, "bitmap byte"),
        (numbers.values, "value"),
        (numbers.vtables, "vtable"),
        (numbers.temporal_traces, "temporal trace"),
    ] {
        if number > 0 {
            line += &format!(", {}", many(number, noun));
        }
    }
    line
}
