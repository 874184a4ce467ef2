//! How few counters have most of all counts.

use std::cmp::Reverse;

use profdata::Profile;

use crate::report::hot::Kinds;
use crate::report::share;

/// Points of a curve, at most.
const POINTS: f64 = 200.0;

/// Returns how many of the largest counters have which share of all counts, in percent: from the largest one to all that are not 0. The numbers
/// of counters grow by factors, as the axis does. The counters are those that the limits are of.
pub(super) fn of(profile: &Profile, kinds: &Kinds) -> Vec<(usize, f64)> {
    let is_main = |record: &profdata::sink::RecordRef<'_>| {
        !record.is_pseudo() && (kinds.ordinary.functions == 0 || !kinds.is_context_sensitive(record))
    };
    let mut counts: Vec<u64> = profile
        .records()
        .filter(is_main)
        .flat_map(|record| record.counters)
        .copied()
        .filter(|count| *count > 0)
        .collect();
    counts.sort_unstable_by_key(|count| Reverse(*count));
    let total: u128 = counts.iter().map(|count| u128::from(*count)).sum();
    let factor = (counts.len() as f64).powf(1.0 / POINTS);
    let (mut points, mut sum, mut next) = (Vec::new(), 0u128, 1.0f64);
    for (number, count) in (1..).zip(&counts) {
        sum += u128::from(*count);
        if number as f64 >= next || number == counts.len() {
            points.push((number, share(sum, total)));
            next = (number as f64 * factor).max(number as f64 + 1.0);
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use profdata::read;
    use profdata::read::ReadOptions;

    use super::*;

    #[test]
    fn few_counters_are_all_there_and_many_are_few_points() {
        let curve = |counters: &[u64]| {
            let lines: Vec<String> = counters.iter().map(u64::to_string).collect();
            let text = format!(":ir\nf\n7\n{}\n{}\n", counters.len(), lines.join("\n"));
            let mut profile = Profile::new();
            read(text.as_bytes(), &ReadOptions::default(), &mut profile).unwrap();
            of(&profile, &Kinds::of(&profile))
        };
        assert_eq!(curve(&[10, 0, 70, 20]), [(1, 70.0), (2, 90.0), (3, 100.0)]);
        assert_eq!(curve(&[0]), []);
        let many = curve(&(1..=100_000).collect::<Vec<u64>>());
        assert!(many.len() < 220 && many.last() == Some(&(100_000, 100.0)), "{}", many.len());
    }
}
