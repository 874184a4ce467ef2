//! What a merge says on standard error.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;

use profdata::finding::{FindingKind, Outcome};

use super::account::{Account, kind, outcome};
use crate::inputs::IS_REPEATED;
use crate::report::json::{cause, is_loss, remedy};
use crate::report::style::{BAD, GOOD, HEADING, Styled, WARNING};
use crate::report::{exact, percent};

/// Inputs, duplicates and kinds of findings that are named; the report has all.
const SHOWN: usize = 10;

/// Returns what is wrong with inputs and what was lost of functions, a line each.
pub(super) fn problems(account: &Account) -> String {
    let mut text = String::new();
    let inputs = account.report.inputs.iter().filter(|(_, input)| input.outcome != Outcome::Whole);
    let (mut hidden, mut causes, mut shown) = (0, HashSet::new(), 0);
    // Of an input that was read without an error: that it is cut, or the first thing that is lost of it.
    let mut reasons = HashMap::new();
    for finding in &account.report.findings {
        if matches!(finding.kind, FindingKind::Truncated { .. }) {
            reasons.insert(finding.input, finding.kind);
        } else if is_loss(&finding.kind) {
            reasons.entry(finding.input).or_insert(finding.kind);
        }
    }
    for (id, input) in inputs {
        if shown == SHOWN {
            hidden += 1;
            continue;
        }
        shown += 1;
        let style = if input.outcome == Outcome::Salvaged { WARNING } else { BAD };
        let state = Styled(style, outcome(input.outcome));
        match &input.error {
            Some(error) => {
                let line = error.to_string();
                let line = line.strip_prefix(&format!("{}: ", input.name)).unwrap_or(&line);
                let _ = writeln!(text, "{}: {state}: {line}", input.name);
                if causes.insert(error.kind()) {
                    let _ = writeln!(text, "  cause:  {}\n  remedy: {}", cause(error), remedy(error));
                }
            }
            None => {
                let reason = reasons.get(id).map(|kind| format!(": {kind}")).unwrap_or_default();
                let _ = writeln!(text, "{}: {state}{reason}", input.name);
            }
        }
    }
    more(&mut text, hidden, "input");
    for duplicate in account.duplicates.iter().take(SHOWN) {
        let _ = writeln!(text, "{}: left out: the same as {}", duplicate.input, duplicate.same_as);
    }
    more(&mut text, account.duplicates.len().saturating_sub(SHOWN), "duplicate");
    if let Some(first) = account.equal.first() {
        let (label, others) = (Styled(HEADING, "note:"), others(account.equal.len() as u64));
        let _ = writeln!(
            text,
            "{label} {}: the same bytes as {}{others}; all count, and --drop-equal counts them once",
            first.input, first.same_as
        );
    }
    if let Some(first) = account.repeated.first() {
        let (label, others) = (Styled(WARNING, "warning:"), others(account.repeated.len() as u64));
        let _ = writeln!(text, "{label} {first}: {IS_REPEATED}{others}");
    }
    for weight in &account.unused_weights {
        let (label, glob) = (Styled(WARNING, "warning:"), &weight.glob);
        let _ = match &weight.inner {
            None => writeln!(text, "{label} --weight {glob}=… matches no input"),
            Some(inner) => writeln!(
                text,
                "{label} --weight {glob}=… matches only inputs in partial results ({inner}), and has no effect: weights go by the file that is \
                 given"
            ),
        };
    }
    for note in &account.notes {
        let _ = writeln!(text, "{} {note}", Styled(HEADING, "note:"));
    }
    findings(&mut text, account);
    text
}

/// Writes the findings, those of one kind on one line.
fn findings(text: &mut String, account: &Account) {
    let mut kinds = BTreeMap::new();
    for finding in &account.report.findings {
        kinds.entry(kind(finding)).or_insert((finding, 0u64)).1 += 1;
    }
    for (first, number) in kinds.into_values() {
        let json = account.finding(first);
        let style = if is_loss(&first.kind) { WARNING } else { HEADING };
        let name = first.function.map(|(name, _)| match account.name_of(name) {
            Some(name) => name.to_owned(),
            None => format!("function {name:#018x}"),
        });
        let place: Vec<String> = json.input.into_iter().chain(name).collect();
        let label = if is_loss(&first.kind) { "lost:" } else { "note:" };
        let place = if place.is_empty() { String::new() } else { format!("{}: ", place.join(": ")) };
        let others = others(number);
        let _ = writeln!(text, "{} {place}{}{others}", Styled(style, label), first.kind);
        if first.kind == FindingKind::NoName {
            let _ = writeln!(text, "  remedy: name the program with --elf, or add another profile of the same binary");
        }
    }
}

/// Returns how many things there are besides the one that is named.
fn others(number: u64) -> String {
    if number > 1 { format!(" (and {} more like this)", exact(number - 1)) } else { String::new() }
}

fn more(text: &mut String, hidden: usize, noun: &str) {
    if hidden > 0 {
        let noun = if hidden == 1 { noun.to_owned() } else { format!("{noun}s") };
        let _ = writeln!(text, "… and {} more {noun}; --report FILE lists all", exact(hidden as u64));
    }
}

/// Returns the table at the end.
pub(super) fn table(account: &Account) -> String {
    let total = &account.report.total;
    let mut text = String::new();
    if let Some(output) = &account.output {
        let format = match (output.version, &output.readers) {
            (Some(version), Some(readers)) => format!("indexed version {version}, for {readers}"),
            _ => output.format.to_owned(),
        };
        let size = exact(output.bytes);
        let _ = writeln!(text, "{}: {format}; {}; {size} bytes", Styled(HEADING, &output.path), output.kind);
    }
    let mut row = |name: &str, number: u128, note: &str, style| {
        let note = if number > 0 || name == "  lost" { note } else { "" };
        let name = Styled(style, format!("{name:<14}"));
        let line = format!("  {name}{:>22}   {note}", exact(number));
        let _ = writeln!(text, "{}", line.trim_end());
    };
    let plain = anstyle::Style::new();
    let inputs = total.inputs();
    let if_any = |number: u64, style| if number > 0 { style } else { plain };
    row("inputs", inputs.into(), "", HEADING);
    row("  whole", total.whole.into(), &percent(total.whole, inputs), if total.whole == inputs { GOOD } else { plain });
    row(
        "  salvaged",
        total.salvaged.into(),
        "damaged, and counted as far as they are whole",
        if_any(total.salvaged, WARNING),
    );
    row("  refused", total.refused.into(), "nothing of them can be used", if_any(total.refused, BAD));
    row("  empty", total.empty.into(), "0 bytes", if_any(total.empty, BAD));
    let duplicates = account.duplicates.len() as u64;
    row("  duplicates", duplicates.into(), "left out, and not among the inputs", if_any(duplicates, WARNING));
    if !account.equal.is_empty() {
        let note = "the same bytes as another input, and counted; --drop-equal counts them once";
        row("  equal", account.equal.len() as u128, note, plain);
    }
    if !account.ignored.is_empty() {
        row(
            "  ignored",
            account.ignored.len() as u128,
            "files of directories and archives that are no profiles, and links in archives",
            plain,
        );
    }
    row("functions", account.output.as_ref().map_or(0, |output| output.functions.into()), "", HEADING);
    let note = if total.functions_lost > 0 { "records of damaged inputs, or without a name" } else { "" };
    row("  lost", total.functions_lost.into(), note, if_any(total.functions_lost, BAD));
    if account.renamed > 0 {
        row("  renamed", account.renamed.into(), "local ones, to the names that the compiler looks for", plain);
    }
    row("counts", account.counts, "", HEADING);
    let note = format!("{} kept", percent(account.counts.saturating_sub(account.counts_lost), account.counts));
    row("  lost", account.counts_lost, &note, if account.counts_lost > 0 { BAD } else { plain });
    if let Some(capped) = account.capped {
        let note = format!("of {} functions, by --cap", exact(capped.functions));
        row("  capped", capped.counts, &note, plain);
    }
    text
}
