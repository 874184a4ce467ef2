//! `llvm-profdata merge`.

mod inputs;
mod names;

use std::io::{self, Write};

use profdata::compat::{CompatMerger, FailureMode, Merged, SAME_BINARY_HINT, drop_dead_names, has_hint, llvm_message};
use profdata::finding::{Finding, FindingKind, InputId};
use profdata::sink::{RecordRef, Sink};
use profdata::write::{indexed, text};
use profdata::{Profile, Target};

use super::correlation::{self, Part, Source};
use super::failure::{Failure, reason};
use super::grammar::Parsed;
use super::input::{self, Unreadable};
use super::{output, path_of, release, words};
use crate::hand_on::EachRecord;
use inputs::Input;

/// Runs the command.
pub(super) fn run(program: &str, parsed: &Parsed) -> Result<(), Failure> {
    let inputs = inputs::of(parsed)?;
    if inputs.is_empty() {
        return Err(Failure::new(format_args!("no input files specified. See {program} merge -help")));
    }
    if parsed.flag("dump-input-file-list") {
        return list(&inputs).map_err(|error| Failure::new(reason(&error)));
    }
    let remapping = names::remapping(parsed)?;
    if parsed.choice("kind") == "sample" {
        return Err(Failure::new("sample profiles are not supported by this tool; use llvm-profdata"));
    }
    if parsed.has("supplement-instr-with-sample") {
        let text = "-supplement-instr-with-sample is not supported by this tool; use llvm-profdata";
        return Err(Failure::new(text));
    }
    let correlation = binary(parsed)?;
    if parsed.choice("format") == "gcc" {
        return Err(Failure::new("unknown format is specified"));
    }
    let merged = merge(parsed, &inputs, &remapping, correlation.as_ref())?;
    write(parsed, merged.profile)
}

/// Prints the inputs.
fn list(inputs: &[Input]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for Input { path, weight } in inputs {
        write!(out, "{weight},")?;
        out.write_all(path)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Returns where the records of the inputs are, if not in the inputs.
fn binary(parsed: &Parsed) -> Result<Option<Source>, Failure> {
    let directories: Vec<_> = parsed.texts("debug-file-directory").map(path_of).collect();
    let debuginfod = parsed.flag("debuginfod");
    let given = [parsed.text("debug-info"), parsed.text("binary-file")];
    let ways = given.iter().flatten().count() + usize::from(debuginfod) + usize::from(!directories.is_empty());
    if ways > 1 {
        let first = if parsed.text("debug-info").is_some() { "-debug-info, " } else { "" };
        let text = "-binary-file, -debuginfod or -debug-file-directory";
        return Err(Failure::new(format_args!("Expected only one of {first}{text}")));
    }
    let part = match parsed.choice("correlate") {
        "" if !directories.is_empty() => {
            return Err(Failure::new("Expected --correlate when --debug-file-directory is provided"));
        }
        "debug-info" => Part::debug_info(parsed),
        _ => Part::Sections,
    };
    if debuginfod {
        return Err(Failure::new("-debuginfod is not supported by this tool; use -debug-file-directory"));
    }
    if !directories.is_empty() {
        return Ok(Some(Source::Directories { directories, part }));
    }
    if !parsed.choice("correlate").is_empty() {
        return Err(Failure::new("Expected --debuginfod or --debug-file-directory when --correlate is provided"));
    }
    let Some(path) = given.into_iter().flatten().next() else { return Ok(None) };
    let part = if parsed.has("debug-info") { Part::debug_info(parsed) } else { Part::Sections };
    correlation::load(path, part).map(|(files, _)| Some(Source::File(files)))
}

fn merge(
    parsed: &Parsed,
    inputs: &[Input],
    remapping: &names::Remapping,
    correlation: Option<&Source>,
) -> Result<Merged, Failure> {
    let mode = match parsed.choice("failure-mode") {
        "all" => FailureMode::All,
        "warn" => FailureMode::Warn,
        _ => FailureMode::Any,
    };
    let limit =
        |option, default| parsed.number(option).map_or(default, |number| usize::try_from(number).unwrap_or(usize::MAX));
    let kept = limit("temporal-profile-trace-reservoir-size", 100);
    let longest = limit("temporal-profile-max-trace-length", 10_000);
    let mut merger = CompatMerger::new(release(), FailureMode::Warn, 1)
        .keep_vtable_names(parsed.flag("keep-vtable-symbols"))
        .trace_limits(kept, longest);
    let mut reasons: Vec<(InputId, String)> = Vec::new();
    for Input { path, weight } in inputs {
        let mut unreadable = None;
        let id = merger.add(*weight, |sink| {
            let record = |record: RecordRef<'_>, sink: &mut dyn Sink| names::rename(remapping, record, sink);
            let sink = &mut EachRecord { sink, record };
            match input::load(path) {
                Err(error) => unreadable = Some(Unreadable::System(error)),
                Ok(bytes) => match input::unsupported(&bytes) {
                    Some(what) => unreadable = Some(Unreadable::Unsupported(what)),
                    None => {
                        if correlation.is_none() && input::needs_binary(&bytes) {
                            let path = String::from_utf8_lossy(path);
                            warn_line!("warning: {path}: has no records: give its -binary-file or -debug-info");
                        }
                        return input::read(&bytes, correlation, sink);
                    }
                },
            }
            Ok(())
        });
        match unreadable {
            // Nothing that `-failure-mode` could excuse: the profile is sound.
            Some(Unreadable::Unsupported(what)) => return Err(Failure::of_file(path, what)),
            Some(unreadable) => reasons.push((id, unreadable.words())),
            None => {}
        }
    }
    let merged = merger.finish().map_err(Failure::new)?;
    report(&inputs.iter().map(|input| input.path.as_slice()).collect::<Vec<_>>(), &merged);
    warn_of_memprof(inputs, &merged);
    reasons.extend(merged.errors.iter().map(|(id, error)| (*id, words::of(error))));
    reasons.sort_by_key(|(id, _)| *id);
    for (id, reason) in &reasons {
        let path = inputs.get(id.number as usize).map_or(&b""[..], |input| &input.path);
        warn_line!("warning: {}: {reason}", String::from_utf8_lossy(path));
    }
    let failed = match mode {
        FailureMode::Any => !reasons.is_empty(),
        FailureMode::All => reasons.len() == inputs.len(),
        FailureMode::Warn => false,
    };
    if failed { Err(Failure::new("no profile can be merged")) } else { Ok(merged) }
}

/// Prints what LLVM prints of records that do not fit.
pub(super) fn report(paths: &[&[u8]], merged: &Merged) {
    let mut hinted = Vec::new();
    for Finding { input, function, kind } in &merged.reported {
        // An error of the whole input.
        if matches!(kind, FindingKind::CounterTooLarge { .. }) {
            continue;
        }
        let (Some(message), Some((name, _))) = (llvm_message(kind), function) else { continue };
        let names = merged.profile.names();
        let bytes = names.iter().find(|(_, other)| other.hash == *name).and_then(|(_, name)| name.bytes);
        let function = String::from_utf8_lossy(bytes.unwrap_or(&[]));
        let path = paths.get(input.number as usize).copied().unwrap_or(b"");
        warn_line!("{}: {function}: {message}", String::from_utf8_lossy(path));
        if has_hint(kind) && !hinted.contains(&message) {
            hinted.push(message);
            warn_line!("{SAME_BINARY_HINT}");
        }
    }
}

/// Warns of each MemProf section, which is lost as with LLVM's tool; there it is lost without a word.
fn warn_of_memprof(inputs: &[Input], merged: &Merged) {
    let lost =
        merged.profile.findings().iter().filter(|finding| matches!(finding.kind, FindingKind::MemProfLeftOut { .. }));
    for path in lost.filter_map(|finding| inputs.get(finding.input.number as usize)).map(|input| &input.path) {
        warn_line!("warning: {}: its MemProf section is lost, as with llvm-profdata", String::from_utf8_lossy(path));
    }
}

fn write(parsed: &Parsed, mut profile: Profile) -> Result<(), Failure> {
    names::filter(parsed, &mut profile)?;
    let sparse = parsed.flag("sparse");
    let output = parsed.texts("output").last().unwrap_or(b"-");
    if parsed.choice("format") == "text" {
        if sparse {
            drop_dead_names(&mut profile);
        }
        output::write(output, |mut out| {
            text::write_as_llvm(&profile, &text::TextWriteOptions { release: release() }, &mut out)
        })?;
    } else {
        let target = match Target::prev_version_of(release()) {
            Some(target) if parsed.flag("write-prev-version") => target,
            _ => Target::of_release(release()),
        };
        let options = indexed::WriteOptions {
            sparse,
            vtable_names: parsed.flag("keep-vtable-symbols"),
            hash_eras: indexed::HashEras::AsIs,
        };
        let mut bytes = Vec::new();
        let written = indexed::write(&profile, target, &options, &mut bytes);
        written.map_err(|error| Failure::new(format_args!("{error}")))?;
        output::write(output, |out| out.write_all(&bytes))?;
    }
    validate(&profile);
    Ok(())
}

/// Prints LLVM's warning about a memory size that occurs twice at a site.
fn validate(profile: &Profile) {
    const SIZES: usize = 1;
    let twice = profile.records().filter_map(|record| record.values).any(|values| {
        let sites = values.kinds.get(SIZES).into_iter().flat_map(|kind| kind.sites());
        let mut sizes = Vec::new();
        sites.into_iter().any(|site| {
            sizes.clear();
            sizes.extend(site.iter().map(|value| value.value));
            sizes.sort_unstable();
            sizes.windows(2).any(|pair| pair.first() == pair.last())
        })
    });
    if twice {
        warn_line!(
            "warning: invalid profile created. Please file a bug at: https://github.com/llvm/llvm-project/issues/ and include \
             the profraw files that caused this error."
        );
    }
}
