//! A difference, for people.

use std::fmt::Write as _;

use super::compare::{Difference, Function, List};
use crate::report::exact;
use crate::report::names::FullNames;
use crate::report::style::{BAD, GOOD, HEADING, Styled, WARNING};

/// Returns a difference as text.
pub(super) fn text(difference: &Difference, names: FullNames) -> String {
    let Difference { before, after, hot, .. } = difference;
    let mut text = String::new();
    for (letter, side) in [("A", before), ("B", after)] {
        let (functions, counts) = (exact(side.functions), exact(side.counts));
        let _ = writeln!(text, "{} {}: {functions} functions, counts of {counts}", Styled(HEADING, letter), side.input);
    }
    let style = match difference.overlap {
        90.0.. => GOOD,
        50.0.. => WARNING,
        _ => BAD,
    };
    let overlap = format!("{:>12}", format!("{:.2} %", difference.overlap));
    let _ = writeln!(text, "\n  overlap       {}   of all counts", Styled(style, overlap));
    let row = |text: &mut String, name: &str, number: u64, note: String| {
        let _ = writeln!(text, "  {name:<14}{:>12}   {note}", exact(number));
    };
    row(&mut text, "the same", difference.common, "functions with a hash in common".into());
    for (name, list, note) in [
        ("gained", &difference.gained, "of the counts of B"),
        ("lost", &difference.lost, "of the counts of A"),
        ("changed", &difference.changed, "of the counts of A are stale: the hash is another one"),
    ] {
        row(&mut text, name, list.number, format!("{:.2} % {note}", list.share));
    }
    if difference.renamed > 0 {
        let note =
            "names of local functions have another delimiter (`:` up to LLVM 17, `;` later), and count as the same";
        row(&mut text, "renamed", difference.renamed, note.into());
    }
    let stayed = format!("of {} stayed; {:.2} % churn", exact(hot.before.max(hot.stayed)), hot.churn);
    row(&mut text, "hot functions", hot.stayed, stayed);

    let _ = writeln!(text, "\n{}", Styled(HEADING, "share of B to share of A, of functions with the same hash"));
    for ratio in difference.ratios.iter().filter(|ratio| ratio.functions > 0) {
        row(&mut text, ratio.ratio, ratio.functions, "functions".into());
    }
    functions(&mut text, "gained", &difference.gained, names, |function| function.share_after);
    functions(&mut text, "lost", &difference.lost, names, |function| function.share_before);
    functions(&mut text, "changed", &difference.changed, names, |function| function.share_before);
    for (title, functions) in [("hot only in A", &hot.left), ("hot only in B", &hot.entered)] {
        if !functions.is_empty() {
            let _ = writeln!(text, "\n{}", Styled(HEADING, title));
        }
        for name in functions {
            let _ = writeln!(text, "  {}", names.shown(name));
        }
    }
    if !difference.moved.is_empty() {
        let _ =
            writeln!(text, "\n{}", Styled(HEADING, "   share A    share B  functions whose share has changed most"));
    }
    for function in &difference.moved {
        let (before, after, name) = (function.share_before, function.share_after, names.shown(&function.name));
        let _ = writeln!(text, "{before:>8.2} % {after:>8.2} %  {name}");
    }
    text
}

/// Writes functions with shares that add up to that of the list.
fn functions(text: &mut String, title: &str, list: &List, names: FullNames, share: fn(&Function) -> f64) {
    if list.functions.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}", Styled(HEADING, title));
    for function in &list.functions {
        let _ = writeln!(text, "{:>8.2} %  {}", share(function), names.shown(&function.name));
    }
    if let hidden @ 1.. = list.number.saturating_sub(list.functions.len() as u64) {
        let _ = writeln!(text, "            and {} more", exact(hidden));
    }
}
