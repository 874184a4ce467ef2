//! What is shown, for people.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::functions::Function;
use super::sites::Site;
use super::{Hot, KindTotals, Options, Shown, Totals};
use crate::report::names::FullNames;
use crate::report::style::{HEADING, Styled};
use crate::report::{exact, percent};

/// Values of a site that are named, unless one function is shown.
const VALUES: usize = 4;

/// Returns everything as text.
pub(super) fn text(shown: &Shown, options: &Options) -> String {
    let names = options.names;
    let mut text = String::new();
    if options.function.is_some() {
        shown.functions.iter().for_each(|function| details(&mut text, function));
        return text;
    }
    let title = super::title(&shown.formats, &shown.kind);
    let _ = writeln!(text, "{}: {title}", Styled(HEADING, shown.inputs.join(" ")));
    summary(&mut text, &shown.summary);
    if !shown.functions.is_empty() {
        let which = if options.all { "all" } else { "hottest" };
        let heading = format!("  share                counts         largest  {which} functions");
        let _ = writeln!(text, "\n{}", Styled(HEADING, heading));
    }
    for function in &shown.functions {
        let Function { name, counts, largest_count, only_known, .. } = function;
        let name = names.shown(name);
        let mark = if function.context_sensitive && shown.summary.is_mixed() { " (context-sensitive)" } else { "" };
        let _ = match only_known {
            Some(known) => writeln!(text, "{known:>7}  {:>20}  {:>14}  {name}{mark}", "-", "-"),
            None => {
                let share = percent(*counts, shown.summary.counts);
                writeln!(text, "{share:>7}  {:>20}  {:>14}  {name}{mark}", exact(*counts), exact(*largest_count))
            }
        };
    }
    for (title, found) in [("hottest indirect calls", &shown.targets), ("hottest memory operations", &shown.memory)] {
        let Some(found) = found else { continue };
        let _ = writeln!(text, "\n{}", Styled(HEADING, title));
        if found.is_empty() {
            let _ = writeln!(text, "  none; the profile has no values of this kind");
        }
        found.iter().for_each(|found| site(&mut text, found, VALUES, Some(names)));
    }
    text
}

impl Totals {
    /// Returns whether there are functions of both kinds.
    fn is_mixed(&self) -> bool {
        self.context_sensitive.as_ref().is_some_and(|contexts| contexts.functions < self.functions)
    }
}

fn summary(text: &mut String, totals: &Totals) {
    let mut row = |name: &str, number: u128, note: String| {
        let line = format!("  {name:<16}{:>22}   {note}", exact(number));
        let _ = writeln!(text, "{}", line.trim_end());
    };
    let ran = |part, whole| match whole {
        0 => String::new(),
        _ => format!("{} ran ({})", exact(part), percent(part, whole)),
    };
    row("functions", totals.functions.into(), ran(totals.functions_that_ran, totals.functions));
    row("counters", totals.counters.into(), ran(totals.counters_that_ran, totals.counters));
    let mixed = totals.context_sensitive.as_ref().filter(|_| totals.is_mixed());
    let of_contexts = |contexts: &KindTotals| format!("{} of them context-sensitive", exact(contexts.counts));
    row("counts", totals.counts, mixed.map_or_else(String::new, of_contexts));
    row("largest count", totals.largest_count.into(), String::new());
    let mut hot = |kind: &str, hot: &Hot| {
        let some = |number: u64, noun| format!("{} {noun}{}", exact(number), if number == 1 { "" } else { "s" });
        let (counters, functions) = (some(hot.hot_counters, "counter"), some(hot.hot_functions, "function"));
        let note = format!("99 % of the {kind}counts are in {counters} of {functions}");
        row("hot from", hot.hot_count.into(), note);
    };
    match (&totals.context_sensitive, mixed) {
        (None, _) => hot("", &totals.hot),
        (Some(contexts), None) => hot("context-sensitive ", &contexts.hot),
        (_, Some(contexts)) => {
            hot("ordinary ", &totals.hot);
            hot("context-sensitive ", &contexts.hot);
        }
    }
    if totals.temporal_traces > 0 {
        row("temporal traces", totals.temporal_traces.into(), String::new());
    }
    for id in &totals.binary_ids {
        let _ = writeln!(text, "  binary id       {id}");
    }
}

fn site(text: &mut String, site: &Site, most: usize, with_function: Option<FullNames>) {
    let place = with_function.map_or_else(String::new, |names| format!("{}: ", names.shown(&site.function)));
    let _ = writeln!(text, "  {place}{} site {}: {} times", site.kind, site.site, exact(site.counts));
    for value in site.values.iter().take(most) {
        let range = match value.last {
            None => String::new(),
            Some(None) => " bytes or more".into(),
            Some(Some(last)) if last.to_string() != value.value => format!(" to {last} bytes"),
            Some(Some(1)) => " byte".into(),
            Some(Some(_)) => " bytes".into(),
        };
        let name = with_function.map_or(Cow::from(&value.value), |names| names.shown(&value.value));
        let _ = writeln!(text, "    {:>7}  {name}{range}", percent(value.count, site.counts));
    }
    if let hidden @ 1.. = site.values.len().saturating_sub(most) {
        let _ = writeln!(text, "             and {hidden} more");
    }
}

fn details(text: &mut String, function: &Function) {
    let _ = writeln!(text, "{}", Styled(HEADING, &function.name));
    if function.symbol != function.name {
        let _ = writeln!(text, "  symbol    {}", function.symbol);
    }
    let _ = writeln!(text, "  hash      {}", function.hash);
    if function.context_sensitive {
        let _ = writeln!(text, "  kind      context-sensitive");
    }
    match function.only_known {
        Some(known) => {
            let _ = writeln!(text, "  counts    not known; the function is {known}");
        }
        None => {
            let _ = writeln!(text, "  counts    {} ({:.2} % of all)", exact(function.counts), function.share);
        }
    }
    let Some(details) = &function.details else { return };
    let joined = |numbers: &mut dyn Iterator<Item = String>| numbers.collect::<Vec<_>>().join(" ");
    if function.only_known.is_none() {
        let _ = writeln!(text, "  counters  {}", joined(&mut details.counters.iter().map(u64::to_string)));
    }
    if !details.bitmap.is_empty() {
        let _ = writeln!(text, "  bitmap    {}", joined(&mut details.bitmap.iter().map(|byte| format!("{byte:02x}"))));
    }
    details.targets.iter().chain(&details.memory).for_each(|found| site(text, found, usize::MAX, None));
}
