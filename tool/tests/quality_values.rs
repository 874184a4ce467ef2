//! `profrt report quality` without a program: value sites that overflowed.

use std::fs;

use crate::common::profiles::{quality as said, quality_report as report, *};
use serde_json::json;

#[test]
fn sites_that_overflowed() {
    let dir = tempfile::tempdir().unwrap();
    let targets =
        |number: u64, count| -> Vec<(String, u64)> { (0..number).map(|n| (format!("t{n}"), count)).collect() };
    let text = sites(&[
        ("full", "1000 1000", &targets(255, 2)),
        ("run", "480", &targets(24, 20)),
        ("short", "1000", &targets(4, 100)),
        ("whole", "400", &targets(4, 100)),
        ("branches", "1000 1", &targets(4, 100)),
        ("idle", "0", &[]),
    ]);
    fs::write(dir.path().join("a.proftext"), &text).unwrap();
    let found = report(dir.path(), &["a.proftext"])["sites"].clone();
    for (field, expected) in [
        ("all", 6),
        ("with_values", 5),
        ("full", 1),
        ("with_known_total", 4),
        ("short", 1),
        ("reached", 1880),
        ("values_lost", 600),
    ] {
        assert_eq!(found[field], expected, "{field} of {found:#}");
    }
    let worst: Vec<_> =
        found["worst"].as_array().unwrap().iter().map(|site| (&site["function"], &site["reason"])).collect();
    assert_eq!(worst, [(&json!("short"), &json!("short")), (&json!("full"), &json!("full"))]);
    assert_eq!((&found["worst"][0]["reached"], &found["worst"][0]["counts"]), (&1000.into(), &400.into()));
    let (_, out, _) = said(dir.path(), &["a.proftext"]);
    for line in [
        "    full                               1   have 255 values, the limit of the format\n",
        "    short                              1   of 4 with a known total; no value for 31.91 % of it\n",
        "  short: call site 0: 4 values with 400 of 1,000 times\n",
    ] {
        assert!(out.contains(line), "{line:?} is not in\n{out}");
    }
    // With entry counters only, a function with one counter may have branches.
    fs::write(dir.path().join("b.proftext"), text.replace(":ir\n", ":ir\n:single_byte_coverage\n")).unwrap();
    let covered = report(dir.path(), &["b.proftext"]);
    assert_eq!(covered["sites"]["with_known_total"], 0, "{covered:#}");
}
