//! The quality of a profile, for people.

use std::fmt::Write as _;

use super::cover::Amount;
use super::hot::{Calls, Hot};
use super::sites::{NoCounts, Sites};
use super::{Quality, Reading};
use crate::report::names::FullNames;
use crate::report::style::{BAD, GOOD, HEADING, Styled, WARNING};
use crate::report::{exact, percent};

/// Returns everything as text.
pub(super) fn text(quality: &Quality, names: FullNames) -> String {
    let mut text = String::new();
    let format = crate::show::title(&quality.formats, &quality.kind);
    let _ = writeln!(text, "{}: {format}", Styled(HEADING, quality.inputs.join(" ")));
    for program in &quality.programs {
        let _ = writeln!(text, "{program}");
    }
    text.push('\n');
    if let Some(functions) = &quality.functions {
        amount(&mut text, "functions", functions, quality.stale_share);
    }
    if let Some(code) = &quality.code {
        amount(&mut text, "bytes of code", code, quality.stale_share);
    }
    let parts = &quality.profile;
    row(
        &mut text,
        "in the profile",
        parts.functions,
        &format!("functions, {} of which ran", exact(parts.functions_that_ran)),
    );
    let of = |counts| format!("with {} of its counts", percent_of(counts, parts.counts));
    if parts.functions_with_other_hashes > 0 {
        let note = format!("functions {} under hashes of other compilers or sources", of(parts.counts_of_other_hashes));
        row(&mut text, "  other hashes", parts.functions_with_other_hashes, &note);
    }
    if !quality.programs.is_empty() {
        if quality.stale_share.is_some() {
            row(
                &mut text,
                "  stale",
                parts.stale_records,
                &format!("records {}: no compiler uses them", of(parts.stale_counts)),
            );
        }
        row(
            &mut text,
            "  not in program",
            parts.records_not_in_program,
            &format!("records {}", of(parts.counts_not_in_program)),
        );
    }
    let Hot { from, context_sensitive_from, functions, unusable, worst } = &quality.hot;
    let mut note = format!("with a count of {} or more", exact(*from));
    if let Some(other) = context_sensitive_from.filter(|other| other != from) {
        note += &format!(", context-sensitive ones of {} or more", exact(other));
    }
    if !quality.programs.is_empty() {
        note += &format!("; {} of them cannot be used", exact(*unusable));
    }
    row(&mut text, "hot functions", *functions, &note);
    calls(&mut text, &quality.calls);
    sites(&mut text, &quality.sites);
    no_counts(&mut text, &quality.no_counts);
    reading(&mut text, &quality.reading);

    if !worst.is_empty() {
        let _ = writeln!(
            text,
            "\n{}",
            Styled(HEADING, "  share                counts  hot functions whose profile cannot be used")
        );
    }
    for function in worst {
        let (name, reason) = (names.shown(&function.name), function.reason);
        let _ = writeln!(
            text,
            "{:>5.2} %  {:>20}  {name}: {}",
            function.share,
            exact(function.counts),
            Styled(BAD, reason)
        );
    }
    more(&mut text, *unusable, worst.len());
    if !quality.calls.targets.is_empty() {
        let _ = writeln!(
            text,
            "\n{}",
            Styled(HEADING, "  share                counts  indirect calls of functions without a profile")
        );
    }
    for target in &quality.calls.targets {
        let reason = format!("{}{}", target.reason, if target.is_hot { ", hot" } else { "" });
        let style = if target.is_hot { BAD } else { WARNING };
        let share = percent(target.counts, quality.calls.counts);
        let [name, caller] = [&target.name, &target.caller].map(|name| names.shown(name));
        let _ = writeln!(
            text,
            "{share:>7}  {:>20}  {name}: {}; from {caller}",
            exact(target.counts),
            Styled(style, reason)
        );
    }
    more(&mut text, quality.calls.number, quality.calls.targets.len());
    if !quality.sites.worst.is_empty() {
        let _ = writeln!(text, "\n{}", Styled(HEADING, "value sites that overflowed"));
    }
    for site in &quality.sites.worst {
        let reached = site.reached.map_or(String::new(), |reached| format!(" of {}", exact(reached)));
        let (function, kind, number, values) = (names.shown(&site.function), site.kind, site.site, site.values);
        let _ = writeln!(
            text,
            "  {function}: {kind} site {number}: {values} values with {}{reached} times",
            exact(site.counts)
        );
    }
    more(&mut text, quality.sites.full.max(quality.sites.short), quality.sites.worst.len());
    for note in &quality.notes {
        let _ = writeln!(text, "\n{} {note}", Styled(WARNING, "note:"));
    }
    text
}

fn row(text: &mut String, name: &str, number: u64, note: &str) {
    let line = format!("  {name:<20}{:>18}   {note}", exact(number));
    let _ = writeln!(text, "{}", line.trim_end());
}

/// Returns a share; of nothing, nothing.
fn percent_of(part: u64, whole: u64) -> String {
    if whole == 0 { "0 %".into() } else { percent(part, whole) }
}

fn amount(text: &mut String, name: &str, amount: &Amount, stale_share: Option<f64>) {
    let of = |part| percent_of(part, amount.all);
    row(text, name, amount.all, "in the programs");
    let style = match amount.with_profile.saturating_mul(100).checked_div(amount.all).unwrap_or(0) {
        80.. => GOOD,
        50.. => WARNING,
        _ => BAD,
    };
    row(text, "  with a profile", amount.with_profile, &Styled(style, of(amount.with_profile)).to_string());
    row(text, "    that ran", amount.ran, &of(amount.ran));
    if let Some(share) = stale_share {
        let note =
            if name == "functions" { format!("{share:.2} % of those that the profile has") } else { of(amount.stale) };
        row(text, "  stale", amount.stale, &note);
    }
    row(text, "  without a profile", amount.without_profile, &of(amount.without_profile));
    if amount.not_instrumented > 0 {
        row(text, "  not instrumented", amount.not_instrumented, "more: the profiling runtime, libraries");
    }
}

fn calls(text: &mut String, calls: &Calls) {
    if calls.counts == 0 {
        return;
    }
    let of = |part| percent(part, calls.counts);
    row(text, "indirect calls", calls.counts, "");
    row(text, "  with a profile", calls.to_functions_with_profile, &of(calls.to_functions_with_profile));
    let note = format!("{}, of {} functions", of(calls.to_functions_without_profile), exact(calls.number));
    row(text, "  without a profile", calls.to_functions_without_profile, &note);
    row(
        text,
        "  unknown targets",
        calls.to_unknown,
        &format!("{}: functions without instrumentation", of(calls.to_unknown)),
    );
}

fn sites(text: &mut String, sites: &Sites) {
    if sites.all == 0 {
        return;
    }
    row(text, "value sites", sites.all, &format!("{} with values", exact(sites.with_values)));
    row(text, "  full", sites.full, "have 255 values, the limit of the format");
    if sites.as_one_run_keeps > 0 {
        row(text, "  maybe full", sites.as_one_run_keeps, "have 24 values, the limit of a run");
    }
    let note = format!(
        "of {} with a known total; no value for {} of it",
        exact(sites.with_known_total),
        percent_of(sites.values_lost, sites.reached)
    );
    row(text, "  short", sites.short, &note);
}

fn no_counts(text: &mut String, found: &NoCounts) {
    if found.saturated_counters > 0 {
        let names = found.saturated_functions.join(", ");
        row(text, "saturated counters", found.saturated_counters, &format!("in {names}"));
    }
    if found.saturated_values > 0 {
        row(text, "saturated values", found.saturated_values, "");
    }
    if found.pseudo_hot + found.pseudo_warm > 0 {
        let note =
            format!("functions that are only known to be hot ({}) or warm ({})", found.pseudo_hot, found.pseudo_warm);
        row(text, "pseudo counts", found.pseudo_hot + found.pseudo_warm, &note);
    }
}

fn reading(text: &mut String, reading: &Reading) {
    let damaged = reading.salvaged + reading.refused + reading.empty;
    if damaged > 0 {
        let note = format!(
            "of {}; {} functions of them cannot be read",
            exact(damaged + reading.whole),
            exact(reading.functions_lost)
        );
        row(text, "damaged inputs", damaged, &note);
    }
    if reading.sites_cut > 0 {
        row(text, "sites cut", reading.sites_cut, "to 255 values, when inputs were added up");
    }
    for (finding, number) in &reading.findings {
        row(text, "findings", *number, finding);
    }
}

fn more(text: &mut String, number: u64, shown: usize) {
    if let hidden @ 1.. = number.saturating_sub(shown as u64) {
        let _ = writeln!(text, "          and {} more", exact(hidden));
    }
}
