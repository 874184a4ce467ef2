//! A difference, for people.

use super::compare::{Difference, Function, List};
use crate::report::names::FullNames;
use crate::report::style::{BAD, GOOD, HEADING, Styled, WARNING};
use crate::report::{Page, exact};
use crate::text::many;

/// Returns a difference as text.
pub(super) fn text(difference: &Difference, names: FullNames) -> String {
    let Difference { before, after, hot, .. } = difference;
    let mut page = Page::default();
    for (letter, side) in [("A", before), ("B", after)] {
        let (functions, counts) = (many(side.functions, "function"), exact(side.counts));
        page.line(format_args!("{} {}: {functions}, counts of {counts}", Styled(HEADING, letter), side.input));
    }
    let style = match difference.overlap {
        90.0.. => GOOD,
        50.0.. => WARNING,
        _ => BAD,
    };
    let overlap = format!("{:>18}", format!("{:.2} %", difference.overlap));
    page.line("");
    page.line(format_args!("  {:<20}{}   of all counts", "overlap", Styled(style, overlap)));
    page.row("the same", difference.common, "functions with a hash in common");
    for (name, list, note) in [
        ("gained", &difference.gained, "of the counts of B"),
        ("lost", &difference.lost, "of the counts of A"),
        ("changed", &difference.changed, "of the counts of A are stale: the hash is another one"),
    ] {
        page.row(name, list.number, format_args!("{:.2} % {note}", list.share));
    }
    if difference.renamed > 0 {
        let note =
            "names of local functions have another delimiter (`:` up to LLVM 17, `;` later), and count as the same";
        page.row("renamed", difference.renamed, note);
    }
    let stayed = format!("of {} stayed; {:.2} % churn", exact(hot.before.max(hot.stayed)), hot.churn);
    page.row("hot functions", hot.stayed, stayed);
    functions(&mut page, "gained", &difference.gained, names, |function| function.share_after);
    functions(&mut page, "lost", &difference.lost, names, |function| function.share_before);
    functions(&mut page, "changed", &difference.changed, names, |function| function.share_before);
    for (title, functions) in [("hot only in A", &hot.left), ("hot only in B", &hot.entered)] {
        if !functions.is_empty() {
            page.heading(title);
        }
        functions.iter().for_each(|name| page.line(format_args!("  {}", names.shown(name))));
    }
    if !difference.moved.is_empty() {
        page.heading("   share A    share B  functions whose share has changed most");
    }
    for function in &difference.moved {
        let (before, after, name) = (function.share_before, function.share_after, names.shown(&function.name));
        page.line(format_args!("{before:>8.2} % {after:>8.2} %  {name}"));
    }
    page.text()
}

/// Writes functions with shares that add up to that of the list.
fn functions(page: &mut Page, title: &str, list: &List, names: FullNames, share: fn(&Function) -> f64) {
    if list.functions.is_empty() {
        return;
    }
    page.heading(title);
    for function in &list.functions {
        page.line(format_args!("{:>8.2} %  {}", share(function), names.shown(&function.name)));
    }
    page.more(list.number, list.functions.len());
}
