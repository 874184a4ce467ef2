//! What a merge says on standard error.

use std::collections::{HashMap, HashSet};

use anstyle::Style;
use profdata::finding::{FindingKind, Outcome};

use super::account::Account;
use crate::report::findings::{self, cause, is_loss, kebab, label, others, remedy};
use crate::report::style::{BAD, GOOD, HEADING, Styled, WARNING};
use crate::report::{Page, exact, percent};
use crate::text::many;

/// Inputs and duplicates that are named; the report has all.
const SHOWN: usize = 10;

/// Writes what is wrong with inputs and what was lost of functions, a line each.
pub(super) fn problems(page: &mut Page, account: &Account) {
    let report = &account.report;
    let (mut number, mut causes) = (0, HashSet::new());
    // Of an input that was read without an error: that it is cut, or the first thing that is lost of it.
    let mut reasons = HashMap::new();
    for finding in &report.findings {
        if matches!(finding.kind, FindingKind::Truncated { .. }) {
            reasons.insert(finding.input, finding.kind);
        } else if is_loss(&finding.kind) {
            reasons.entry(finding.input).or_insert(finding.kind);
        }
    }
    for (id, input) in report.inputs.iter().filter(|(_, input)| input.outcome != Outcome::Whole) {
        number += 1;
        if number > SHOWN {
            continue;
        }
        let style = if input.outcome == Outcome::Salvaged { WARNING } else { BAD };
        let reason = input.error.as_ref().map(ToString::to_string).or(reasons.get(id).map(ToString::to_string));
        let prefix = format!("{}: ", input.name);
        let reason = reason.map(|reason| format!(": {}", reason.strip_prefix(&prefix).unwrap_or(&reason)));
        page.line(format_args!("{prefix}{}{}", Styled(style, kebab(&input.outcome)), reason.unwrap_or_default()));
        if let Some(error) = input.error.as_ref().filter(|error| causes.insert(error.kind())) {
            page.line(format_args!("  cause:  {}\n  remedy: {}", cause(error), remedy(error)));
        }
    }
    more(page, number, "input");
    for duplicate in account.duplicates.iter().take(SHOWN) {
        page.line(format_args!("{}: left out: the same as {}", duplicate.input, duplicate.same_as));
    }
    more(page, account.duplicates.len(), "duplicate");
    let note = |page: &mut Page, note: &str| page.line(format_args!("{} {note}", Styled(HEADING, "note:")));
    if let Some(first) = account.equal.first() {
        let (input, same_as, others) = (&first.input, &first.same_as, others(account.equal.len() as u64));
        let line =
            format!("{input}: the same bytes as {same_as}{others}; all count, and --drop-equal counts them once");
        note(page, &line);
    }
    for glob in &account.unused_weights {
        page.line(format_args!("{} --weight {glob}=… matches no input that is given", Styled(WARNING, "warning:")));
    }
    account.notes.iter().for_each(|line| note(page, line));
    for (first, number) in findings::by_kind(&report.findings) {
        let line = findings::line(first, number, account.input_of(first), |hash| account.name_of(hash));
        page.line(format_args!("{} {line}", label(&first.kind)));
        if first.kind == FindingKind::NoName {
            page.line("  remedy: name the program with --object, or add another profile of the same binary");
        }
    }
}

fn more(page: &mut Page, all: usize, noun: &str) {
    if let hidden @ 1.. = all.saturating_sub(SHOWN) as u64 {
        page.line(format_args!("… and {}; --json FILE lists all", many(hidden, &format!("more {noun}"))));
    }
}

/// Writes the table at the end.
pub(super) fn table(page: &mut Page, account: &Account) {
    let total = &account.report.total;
    if let Some(output) = &account.output {
        let format = match (output.version, &output.readers) {
            (Some(version), Some(readers)) => format!("indexed version {version}, for {readers}"),
            _ => output.format.to_owned(),
        };
        page.title(&output.path, format_args!("{format}; {}; {} bytes", output.kind, exact(output.bytes)));
    }
    let if_any = |number: u64, style| if number > 0 { style } else { Style::new() };
    let mut row = |style, name: &str, number: u64, note: &str| {
        page.styled_row(style, name, number, if number > 0 { note } else { "" });
    };
    let (inputs, duplicates) = (total.inputs(), account.duplicates.len() as u64);
    row(HEADING, "inputs", inputs, "");
    let whole = if total.whole == inputs { GOOD } else { Style::new() };
    row(whole, "  whole", total.whole, &percent(total.whole, inputs));
    let note = "damaged, and counted as far as they are whole";
    row(if_any(total.salvaged, WARNING), "  salvaged", total.salvaged, note);
    row(if_any(total.refused, BAD), "  refused", total.refused, "nothing of them can be used");
    row(if_any(total.empty, BAD), "  empty", total.empty, "0 bytes");
    row(if_any(duplicates, WARNING), "  duplicates", duplicates, "left out, and not among the inputs");
    if !account.equal.is_empty() {
        let note = "the same bytes as another input, and counted; --drop-equal counts them once";
        row(Style::new(), "  equal", account.equal.len() as u64, note);
    }
    if !account.ignored.is_empty() {
        let note = "files of directories and archives that are no profiles, and links in archives";
        row(Style::new(), "  ignored", account.ignored.len() as u64, note);
    }
    row(HEADING, "functions", account.output.as_ref().map_or(0, |output| output.functions), "");
    let note = "records of damaged inputs, or without a name";
    row(if_any(total.functions_lost, BAD), "  lost", total.functions_lost, note);
    if account.renamed > 0 {
        row(Style::new(), "  renamed", account.renamed, "local ones, to the names that the compiler looks for");
    }
    page.styled_row(HEADING, "counts", total.counts, "");
    let mut kept = format!("{} kept", percent(total.counts.saturating_sub(total.counts_lost), total.counts));
    let unknown = [(total.functions_lost, "function"), (total.refused, "input")]
        .map(|(number, what)| (number > 0).then(|| many(number, what)));
    let unknown: Vec<String> = unknown.into_iter().flatten().collect();
    if !unknown.is_empty() {
        kept += &format!(" of what was read; the counts of {} are unknown", unknown.join(" and "));
    }
    page.styled_row(if total.counts_lost > 0 { BAD } else { Style::new() }, "  lost", total.counts_lost, kept);
}
