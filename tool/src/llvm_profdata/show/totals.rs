//! What is shown of a whole profile.

use std::io::{self, Write};

use profdata::read::Summary;

use super::Parsed;
use super::functions::{Functions, SIZES, TARGETS, VTABLES};

/// Writes the totals, the hottest functions, and the totals of value sites.
pub(super) fn write(
    out: &mut impl Write,
    parsed: &Parsed,
    functions: &Functions<'_>,
    summary: &Summary,
) -> io::Result<()> {
    if parsed.flag("all-functions") || parsed.text("function").is_some() {
        writeln!(out, "Functions shown: {}", functions.shown)?;
    }
    writeln!(out, "Total functions: {}", summary.functions)?;
    if functions.cutoff > 0 {
        let (cutoff, below) = (functions.cutoff, functions.below_cutoff);
        write_totals(out, summary)?;
        writeln!(out, "Number of functions with maximum count (< {cutoff}): {below}")?;
        let above = summary.functions.saturating_sub(below);
        writeln!(out, "Number of functions with maximum count (>= {cutoff}): {above}")?;
    } else {
        write_totals(out, summary)?;
    }
    let mut hottest: Vec<_> = functions.largest.iter().collect();
    // Equally hot functions keep their order.
    hottest.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    if let Some(top @ 1..) = parsed.number("topn") {
        writeln!(out, "Top {top} functions with the largest internal block counts: ")?;
        for (name, count) in hottest.iter().take(usize::try_from(top).unwrap_or(usize::MAX)) {
            out.write_all(b"  ")?;
            out.write_all(name)?;
            writeln!(out, ", max count = {count}")?;
        }
    }
    if parsed.flag("hot-func-list") {
        let threshold = summary.hot_threshold();
        writeln!(out, "# Hot count threshold: {threshold}")?;
        for (name, _) in hottest.iter().take_while(|(_, count)| *count >= threshold) {
            out.write_all(name)?;
            out.write_all(b"\n")?;
        }
    }
    if functions.shown > 0 {
        let kinds = [
            ("ic-targets", "indirect call sites profile", TARGETS),
            ("show-vtables", "vtable profile", VTABLES),
            ("memop-sizes", "memory intrinsic calls sizes profile", SIZES),
        ];
        for (_, title, kind) in kinds.into_iter().filter(|(option, ..)| parsed.flag(option)) {
            let Some(sites) = functions.sites.get(kind) else { continue };
            writeln!(out, "Statistics for {title}:")?;
            writeln!(out, "  Total number of sites: {}", sites.all)?;
            writeln!(out, "  Total number of sites with values: {}", sites.with_values)?;
            writeln!(out, "  Total number of profiled values: {}", sites.values)?;
            writeln!(out, "  Value sites histogram:\n\tNumTargets, SiteCount")?;
            for (values, count) in &sites.by_values {
                writeln!(out, "\t{values}, {count}")?;
            }
        }
    }
    Ok(())
}

fn write_totals(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
    writeln!(out, "Maximum function count: {}", summary.max_function_count)?;
    writeln!(out, "Maximum internal block count: {}", summary.max_internal_count)?;
    writeln!(out, "Total number of blocks: {}", summary.counters)?;
    writeln!(out, "Total count: {}", summary.total_count)
}

/// Writes the detailed summary.
pub(super) fn write_detailed(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
    writeln!(out, "Detailed summary:")?;
    for row in &summary.cutoffs {
        let share = if summary.counters == 0 { 0.0 } else { 100.0 * row.counts as f64 / summary.counters as f64 };
        let percent = six_digits(f64::from(row.cutoff) / 10_000.0);
        let (counts, least) = (row.counts, row.min_count);
        writeln!(
            out,
            "{counts} blocks ({share:.2}%) with count >= {least} account for {percent}% of the total counts."
        )?;
    }
    Ok(())
}

/// Formats a number with at most six digits, as `%.6g` does for numbers from 0.0001 to 999999.
fn six_digits(number: f64) -> String {
    let whole = number.abs().log10().floor().max(-4.0) as i32;
    let decimals = if number == 0.0 { 0 } else { (5 - whole).max(0) as usize };
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_have_six_digits() {
        let cases = [
            (99.9999, "99.9999"),
            (1.0, "1"),
            (33.3333, "33.3333"),
            (200.0, "200"),
            (0.0, "0"),
            (0.0001, "0.0001"),
            (99.99, "99.99"),
        ];
        for (number, text) in cases {
            assert_eq!(six_digits(number), text);
        }
    }
}
