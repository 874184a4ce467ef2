//! `llvm-profdata overlap`: how much of two profiles is the same.

mod sums;

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use profdata::Profile;
use profdata::compat::{CompatMerger, FailureMode};
use profdata::error::{Error, ErrorKind};
use profdata::finding::Finding;
use profdata::read::indexed::is_indexed;
use profdata::sink::{Flags, Heading, RecordRef, Sink, Trace};

use super::failure::{Failure, reason};
use super::grammar::Parsed;
use super::merge::report;
use super::{input, output, release, words};
use sums::{Level, Shares, Sums};

/// Runs the command.
pub(super) fn run(_program: &str, parsed: &Parsed) -> Result<(), Failure> {
    let [base, test] = parsed.files.as_slice() else { return Ok(()) };
    if parsed.choice("kind") == "sample" {
        return Err(Failure::new("sample profiles are not supported by this tool; use llvm-profdata"));
    }
    let (base_profile, test_profile) = (load(base)?, load(test)?);
    let context_sensitive = parsed.flag("cs");
    let totals = (
        Sums::of_all(counted(&base_profile, context_sensitive)),
        Sums::of_all(counted(&test_profile, context_sensitive)),
    );
    let mut text = Vec::new();
    if totals.0.edges >= 1.0 && totals.1.edges >= 1.0 {
        let options =
            Options { function: parsed.text("function"), cutoff: parsed.number("value-cutoff").unwrap_or(u64::MAX) };
        // A vector takes all bytes.
        let _ = compare(&mut text, &options, (&base_profile, base), (&test_profile, test), totals);
    }
    output::write(parsed.texts("output").last().unwrap_or(b"-"), |out| out.write_all(&text))
}

struct Options<'a> {
    /// Part of the names of functions that are shown.
    function: Option<&'a [u8]>,
    /// Functions with a count from this on are shown.
    cutoff: u64,
}

/// Returns the records that are compared.
fn counted(profile: &Profile, context_sensitive: bool) -> impl Iterator<Item = RecordRef<'_>> + Clone {
    let ir = profile.flags().has(Flags::IR);
    profile.records().filter(move |record| !ir || record.is_context_sensitive() == context_sensitive)
}

/// Reads a profile. As LLVM does, it takes the records before the first damage, without a word.
fn load(path: &[u8]) -> Result<Profile, Failure> {
    let failed = |words: String| {
        let unrecognized = words == words::UNRECOGNIZED;
        let failure = Failure::new(format_args!("error in getting profile count sums: {words}"));
        if unrecognized { failure.line(words::OTHER_KINDS) } else { failure }
    };
    let bytes = input::load(path).map_err(|error| failed(reason(&error)))?;
    if let Some(what) = input::unsupported(&bytes) {
        return Err(failed(what.to_string()));
    }
    let mut begun = Begun { profile: Profile::new(), heading: false };
    match input::read(&bytes, None, &mut begun) {
        Err(error) if !begun.heading || is_indexed(&bytes) => Err(failed(words::of(&error))),
        Err(error) => {
            let path = String::from_utf8_lossy(path);
            warn_line!("warning: {path}: {}; what is before it is compared", words::of(&error));
            Ok(begun.profile)
        }
        Ok(()) => Ok(begun.profile),
    }
}

/// A profile, and whether its heading could be read.
struct Begun {
    profile: Profile,
    heading: bool,
}

impl Sink for Begun {
    fn heading(&mut self, heading: &Heading) -> Result<(), Error> {
        self.heading = true;
        self.profile.heading(heading)
    }

    fn record(&mut self, record: RecordRef<'_>) -> Result<(), Error> {
        self.profile.push(record).map(|_| ())
    }

    fn traces(&mut self, _: &[Trace], _: u64) {}

    fn finding(&mut self, _: Finding) {}
}

/// Returns a profile with one record for each function, as LLVM merges the base.
fn merged(profile: &Profile, path: &[u8]) -> Profile {
    let mut merger = CompatMerger::new(release(), FailureMode::Warn, 1);
    merger.add(1, |sink| match profile.send_to(sink) {
        Err(error) if error.kind() != ErrorKind::Incompatible => Err(error),
        _ => Ok(()),
    });
    let Ok(merged) = merger.finish() else { return Profile::new() };
    report(&[path], &merged);
    merged.profile
}

fn compare(
    out: &mut Vec<u8>,
    options: &Options<'_>,
    (base, base_path): (&Profile, &[u8]),
    (test, test_path): (&Profile, &[u8]),
    totals: (Sums, Sums),
) -> io::Result<()> {
    let base = merged(base, base_path);
    let functions: HashMap<_, _> = base.records().map(|record| ((name_of(record), record.hash), record)).collect();
    let names: HashSet<_> = base.records().map(name_of).collect();
    let mut program = Level::new(totals);
    // LLVM compares the records of both kinds here, although the sums have only one.
    for record in test.records() {
        let (name, own) = (name_of(record), Sums::of_all([record].into_iter()));
        if own.edges < 1.0 && names.contains(name) {
            program.overlaps += 1;
            continue;
        }
        let Some(other) = functions.get(&(name, record.hash)) else {
            if names.contains(name) {
                program.mismatches += 1;
                program.mismatch.add(&own.shares_of(&program.test));
            } else {
                program.unique += 1;
                program.only.add(&own.shares_of(&program.test));
            }
            continue;
        };
        if !have_the_same_parts(*other, record) {
            program.mismatches += 1;
            program.mismatch.add(&own.shares_of(&program.test));
            continue;
        }
        program.overlaps += 1;
        program.overlap.add(&Shares::of(*other, record, &program.base, &program.test));
        let largest = record.counters.iter().max().copied().unwrap_or(0);
        let chosen = options.function.is_some_and(|part| memchr::memmem::find(name, part).is_some());
        if chosen || largest >= options.cutoff {
            let mut function = Level::new((Sums::of_all([*other].into_iter()), own));
            function.overlap = Shares::of(*other, record, &function.base, &function.test);
            write!(out, "Function level:\n  Function: ")?;
            out.write_all(name)?;
            writeln!(out, " (Hash={})\n  # of edge counters overlap: {}", record.hash, record.counters.len())?;
            function.write(out)?;
        }
    }
    out.write_all(b"Profile overlap information for base_profile: ")?;
    out.write_all(base_path)?;
    out.write_all(b" and test_profile: ")?;
    out.write_all(test_path)?;
    writeln!(out, "\nProgram level:\n  # of functions overlap: {}", program.overlaps)?;
    if program.mismatches > 0 {
        writeln!(out, "  # of functions mismatch: {}", program.mismatches)?;
    }
    if program.unique > 0 {
        writeln!(out, "  # of functions only in test_profile: {}", program.unique)?;
    }
    program.write(out)
}

/// Returns the name of a record, which is empty where LLVM knows none.
fn name_of(record: RecordRef<'_>) -> &[u8] {
    record.name.bytes.unwrap_or(&[])
}

/// Returns whether two records have equal numbers of counters and of value sites.
fn have_the_same_parts(a: RecordRef<'_>, b: RecordRef<'_>) -> bool {
    let sites = |record: RecordRef<'_>| record.values.map(|values| values.site_counts()).unwrap_or_default();
    a.counters.len() == b.counters.len() && sites(a) == sites(b)
}
