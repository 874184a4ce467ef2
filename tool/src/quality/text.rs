//! The quality of a profile, for people.

use super::Quality;
use super::cover::Amount;
use super::hot::{Calls, Hot};
use super::sites::Sites;
use crate::report::names::FullNames;
use crate::report::style::{BAD, GOOD, Styled, WARNING};
use crate::report::{Page, exact, percent};

/// Returns everything as text.
pub(super) fn text(quality: &Quality, names: FullNames) -> String {
    let mut page = Page::default();
    page.title(quality.inputs.join(" "), crate::show::title(&quality.formats, &quality.kind));
    quality.programs.iter().for_each(|program| program.show(&mut page));
    page.line("");
    if let Some(functions) = &quality.functions {
        amount(&mut page, "functions", functions, quality.stale_share);
    }
    if let Some(code) = &quality.code {
        amount(&mut page, "bytes of code", code, quality.stale_share);
    }
    let parts = &quality.profile;
    let ran = exact(parts.functions_that_ran);
    page.row("in the profile", parts.functions, format_args!("functions, {ran} of which ran"));
    let of = |counts| format!("with {} of its counts", percent_of(counts, parts.counts));
    if parts.functions_with_other_hashes > 0 {
        let note = format!("functions {} under hashes of other compilers or sources", of(parts.counts_of_other_hashes));
        page.row("  other hashes", parts.functions_with_other_hashes, note);
    }
    if quality.stale_share.is_some() {
        let note = format!("records {}: no compiler uses them", of(parts.stale_counts));
        page.row("  stale", parts.stale_records, note);
    }
    if !quality.programs.is_empty() {
        let note = format!("records {}", of(parts.counts_not_in_program));
        page.row("  not in program", parts.records_not_in_program, note);
    }
    let Hot { from, context_sensitive_from, functions, counters_of_tenth, unusable, worst } = &quality.hot;
    let mut note = format!("with a count of {} or more", exact(*from));
    if let Some(other) = context_sensitive_from.filter(|other| other != from) {
        note += &format!(", context-sensitive ones of {} or more", exact(other));
    }
    if !quality.programs.is_empty() {
        note += &format!("; {} of them cannot be used", exact(*unusable));
    }
    page.row("hot functions", *functions, note);
    let holds = if *counters_of_tenth == 1 { "counter holds" } else { "counters hold" };
    page.row("  hottest", *counters_of_tenth, format_args!("{holds} 10 % of all counts"));
    calls(&mut page, &quality.calls);
    sites(&mut page, &quality.sites);

    if !worst.is_empty() {
        page.heading("  share                counts  hot functions whose profile cannot be used");
    }
    for function in worst {
        let (name, reason) = (names.shown(&function.name), Styled(BAD, function.reason));
        page.line(format_args!("{:>5.2} %  {:>20}  {name}: {reason}", function.share, exact(function.counts)));
    }
    page.more(*unusable, worst.len());
    if !quality.calls.targets.is_empty() {
        page.heading("  share                counts  indirect calls of functions without a profile");
    }
    for target in &quality.calls.targets {
        let reason = format!("{}{}", target.reason, if target.is_hot { ", hot" } else { "" });
        let reason = Styled(if target.is_hot { BAD } else { WARNING }, reason);
        let (share, counts) = (percent(target.counts, quality.calls.counts), exact(target.counts));
        let [name, caller] = [&target.name, &target.caller].map(|name| names.shown(name));
        page.line(format_args!("{share:>7}  {counts:>20}  {name}: {reason}; from {caller}"));
    }
    page.more(quality.calls.number, quality.calls.targets.len());
    if !quality.sites.worst.is_empty() {
        page.heading("value sites that overflowed");
    }
    for site in &quality.sites.worst {
        let reached = site.reached.map_or(String::new(), |reached| format!(" of {}", exact(reached)));
        let (function, kind, number, values) = (names.shown(&site.function), site.kind, site.site, site.values);
        let counts = exact(site.counts);
        page.line(format_args!("  {function}: {kind} site {number}: {values} values with {counts}{reached} times"));
    }
    page.more(quality.sites.full.max(quality.sites.short), quality.sites.worst.len());
    for note in &quality.notes {
        page.line("");
        page.line(format_args!("{} {note}", Styled(WARNING, "note:")));
    }
    page.text()
}

/// Returns a share; of nothing, nothing.
fn percent_of(part: u64, whole: u64) -> String {
    if whole == 0 { "0 %".into() } else { percent(part, whole) }
}

fn amount(page: &mut Page, name: &str, amount: &Amount, stale_share: Option<f64>) {
    let of = |part| percent_of(part, amount.all);
    page.row(name, amount.all, "in the programs");
    let style = match amount.with_profile.saturating_mul(100).checked_div(amount.all).unwrap_or(0) {
        80.. => GOOD,
        50.. => WARNING,
        _ => BAD,
    };
    page.row("  with a profile", amount.with_profile, Styled(style, of(amount.with_profile)));
    page.row("    that ran", amount.ran, of(amount.ran));
    if let Some(share) = stale_share {
        let note =
            if name == "functions" { format!("{share:.2} % of those that the profile has") } else { of(amount.stale) };
        page.row("  stale", amount.stale, note);
    }
    page.row("  without a profile", amount.without_profile, of(amount.without_profile));
    if amount.not_instrumented > 0 {
        page.row("  not instrumented", amount.not_instrumented, "more: the profiling runtime, libraries");
    }
}

fn calls(page: &mut Page, calls: &Calls) {
    if calls.counts == 0 {
        return;
    }
    let of = |part| percent(part, calls.counts);
    page.row("indirect calls", calls.counts, "");
    page.row("  with a profile", calls.to_functions_with_profile, of(calls.to_functions_with_profile));
    let note = format!("{}, of {} functions", of(calls.to_functions_without_profile), exact(calls.number));
    page.row("  without a profile", calls.to_functions_without_profile, note);
    let note = format!("{}: functions without instrumentation", of(calls.to_unknown));
    page.row("  unknown targets", calls.to_unknown, note);
}

fn sites(page: &mut Page, sites: &Sites) {
    if sites.all == 0 {
        return;
    }
    page.row("value sites", sites.all, format_args!("{} with values", exact(sites.with_values)));
    page.row("  full", sites.full, "have 255 values, the limit of the format");
    let (known, lost) = (exact(sites.with_known_total), percent_of(sites.values_lost, sites.reached));
    page.row("  short", sites.short, format_args!("of {known} with a known total; no value for {lost} of it"));
}
