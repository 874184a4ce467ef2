//! What is shown, for people.

use std::borrow::Cow;

use super::functions::Function;
use super::sites::Site;
use super::{KindTotals, Options, Shown, Totals};
use crate::report::names::FullNames;
use crate::report::style::{HEADING, Styled};
use crate::report::{Page, exact, percent};
use crate::text::many;

/// Values of a site that are named, unless one function is shown.
const VALUES: usize = 4;

/// Returns everything as text.
pub(super) fn text(shown: &Shown, options: &Options) -> String {
    let names = options.names;
    let mut page = Page::default();
    if options.function.is_some() {
        shown.functions.iter().for_each(|function| details(&mut page, function));
        return page.text();
    }
    page.title(shown.inputs.join(" "), super::title(&shown.formats, &shown.kind));
    summary(&mut page, &shown.summary);
    if !shown.functions.is_empty() {
        let which = if options.all { "all" } else { "hottest" };
        page.heading(format_args!("  share                counts         largest  {which} functions"));
    }
    for function in &shown.functions {
        let Function { name, counts, largest_count, only_known, .. } = function;
        let (share, counts, largest) = match only_known {
            Some(known) => ((*known).to_owned(), "-".into(), "-".into()),
            None => (percent(*counts, shown.summary.all.counts), exact(*counts), exact(*largest_count)),
        };
        let mark = if function.context_sensitive && shown.summary.is_mixed() { " (context-sensitive)" } else { "" };
        page.line(format_args!("{share:>7}  {counts:>20}  {largest:>14}  {}{mark}", names.shown(name)));
    }
    for (title, found) in [("hottest indirect calls", &shown.targets), ("hottest memory operations", &shown.memory)] {
        let Some(found) = found else { continue };
        page.heading(title);
        if found.is_empty() {
            page.line("  none; the profile has no values of this kind");
        }
        found.iter().for_each(|found| site(&mut page, found, VALUES, Some(names)));
    }
    page.text()
}

impl Totals {
    /// Returns whether there are functions of both kinds.
    fn is_mixed(&self) -> bool {
        self.context_sensitive.as_ref().is_some_and(|contexts| contexts.functions < self.all.functions)
    }
}

fn summary(page: &mut Page, totals: &Totals) {
    let all = &totals.all;
    let ran = |part, whole| match whole {
        0 => String::new(),
        _ => format!("{} ran ({})", exact(part), percent(part, whole)),
    };
    page.row("functions", all.functions, ran(all.functions_that_ran, all.functions));
    page.row("counters", all.counters, ran(all.counters_that_ran, all.counters));
    let mixed = totals.context_sensitive.as_ref().filter(|_| totals.is_mixed());
    let of_contexts = |contexts: &KindTotals| format!("{} of them context-sensitive", exact(contexts.counts));
    page.row("counts", all.counts, mixed.map_or_else(String::new, of_contexts));
    page.row("largest count", all.largest_count, "");
    let mut hot = |kind: &str, hot: &KindTotals| {
        let (counters, functions) = (many(hot.hot_counters, "counter"), many(hot.hot_functions, "function"));
        page.row("hot from", hot.hot_count, format_args!("99 % of the {kind}counts are in {counters} of {functions}"));
    };
    match (&totals.context_sensitive, mixed) {
        (None, _) => hot("", all),
        (Some(contexts), None) => hot("context-sensitive ", contexts),
        (_, Some(contexts)) => {
            hot("ordinary ", all);
            hot("context-sensitive ", contexts);
        }
    }
    if totals.temporal_traces > 0 {
        page.row("temporal traces", totals.temporal_traces, "");
    }
    totals.binary_ids.iter().for_each(|id| page.line(format_args!("  binary id       {id}")));
}

fn site(page: &mut Page, site: &Site, most: usize, with_function: Option<FullNames>) {
    let place = with_function.map_or_else(String::new, |names| format!("{}: ", names.shown(&site.function)));
    page.line(format_args!("  {place}{} site {}: {} times", site.kind, site.site, exact(site.counts)));
    for value in site.values.iter().take(most) {
        let range = match value.last {
            None => String::new(),
            Some(None) => " bytes or more".into(),
            Some(Some(last)) if last.to_string() != value.value => format!(" to {last} bytes"),
            Some(Some(1)) => " byte".into(),
            Some(Some(_)) => " bytes".into(),
        };
        let name = with_function.map_or(Cow::from(&value.value), |names| names.shown(&value.value));
        page.line(format_args!("    {:>7}  {name}{range}", percent(value.count, site.counts)));
    }
    page.more(site.values.len() as u64, most.min(site.values.len()));
}

fn details(page: &mut Page, function: &Function) {
    page.line(Styled(HEADING, &function.name));
    if function.symbol != function.name {
        page.line(format_args!("  symbol    {}", function.symbol));
    }
    page.line(format_args!("  hash      {}", function.hash));
    if function.context_sensitive {
        page.line("  kind      context-sensitive");
    }
    match function.only_known {
        Some(known) => page.line(format_args!("  counts    not known; the function is {known}")),
        None => page.line(format_args!("  counts    {} ({:.2} % of all)", exact(function.counts), function.share)),
    }
    let Some(details) = &function.details else { return };
    let joined = |numbers: &mut dyn Iterator<Item = String>| numbers.collect::<Vec<_>>().join(" ");
    if function.only_known.is_none() {
        page.line(format_args!("  counters  {}", joined(&mut details.counters.iter().map(u64::to_string))));
    }
    if !details.bitmap.is_empty() {
        let bytes = joined(&mut details.bitmap.iter().map(|byte| format!("{byte:02x}")));
        page.line(format_args!("  bitmap    {bytes}"));
    }
    details.targets.iter().chain(&details.memory).for_each(|found| site(page, found, usize::MAX, None));
}
