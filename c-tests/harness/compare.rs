//! What must be equal, what differs on purpose, and how a difference is shown.

use std::fmt::Write;

use super::archive::is_official;
use super::observe::Observed;
use super::program::{Facet, Variant};

const ALL: [Facet; 9] = [
    Facet::Exit,
    Facet::Stdout,
    Facet::Stderr,
    Facet::Files,
    Facet::Content,
    Facet::Header,
    Facet::Sections,
    Facet::Merge,
    Facet::Cov,
];

/// Complaints, none when the two sides agree as far as the program says they do.
pub fn compare(variant: &Variant, official: &Observed, ours: &Observed) -> Vec<String> {
    let mut wrong = Vec::new();
    let equal = |facet: Facet| official.text(facet) == ours.text(facet);
    let named = |list: &[(Vec<Facet>, String)], facet| list.iter().any(|(facets, _)| facets.contains(&facet));
    for facet in ALL {
        if !equal(facet) && !named(&variant.skips, facet) && !named(&variant.differs, facet) {
            wrong.push(difference(facet, official.text(facet), ours.text(facet)));
        }
    }
    for (facets, reason) in &variant.differs {
        if facets.iter().all(|facet| equal(*facet)) && !is_official() {
            wrong.push(format!("{facets:?}: no difference any more; the program says: {reason}"));
        }
    }
    wrong
}

/// The lines around the first that differ, of both sides.
fn difference(facet: Facet, official: &str, ours: &str) -> String {
    let (theirs, mine): (Vec<_>, Vec<_>) = (official.lines().collect(), ours.lines().collect());
    let same = theirs.iter().zip(&mine).take_while(|(a, b)| a == b).count();
    let mut text = format!("{facet:?} differs at line {}\n", same + 1);
    for line in &theirs[same.saturating_sub(4)..same] {
        let _ = writeln!(text, "           {line}");
    }
    for (side, lines) in [("official", &theirs), ("ours", &mine)] {
        for line in lines.iter().skip(same).take(8) {
            // Bytes that are no text may be one long line.
            let _ = writeln!(text, "{side:>8} | {}", line.chars().take(400).collect::<String>());
        }
        if lines.len() <= same {
            let _ = writeln!(text, "{side:>8} | (no more lines)");
        }
    }
    text
}
