//! Any bytes as a partial result; or, after an odd first byte, as its frames, which get right checksums.

#![no_main]

use profdata::finding::Outcome;
use profdata::merge::{MergeOptions, Merger, note};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((how, rest)) = input.split_first() else { return };
    let bytes = if how & 1 == 0 { rest.to_vec() } else { profrt_fuzz::profiles::with_frames(rest) };
    let mut merger = Merger::new(MergeOptions::default());
    let Ok(outcome) = merger.add_partial("input", u64::from(how >> 1) + 1, &bytes) else { return };
    let mut again = Vec::new();
    let own = note(&bytes).unwrap_or_default();
    merger.write_with_note(own, &mut again).expect("memory");
    assert_eq!(note(&again), Some(own));
    // Each number of one byte and each place of an input may become one of ten.
    assert!(again.len() <= 64 * bytes.len() + 4096, "{} of {} bytes", again.len(), bytes.len());
    let mut second = Merger::new(MergeOptions::default());
    assert_eq!(second.add_partial("again", 1, &again), Ok(Outcome::Whole));
    let (profile, report) = merger.finish().expect("few names");
    let (profile_again, report_again) = second.finish().expect("few names");
    let records = |profile: &profdata::Profile| format!("{:?}", profile.records().collect::<Vec<_>>());
    let counters: usize = profile.records().map(|record| record.counters.len()).sum();
    assert!(counters <= 8 * bytes.len(), "{counters} counters of {} bytes", bytes.len());
    assert_eq!(records(&profile), records(&profile_again));
    if outcome == Outcome::Whole {
        assert_eq!(report.total, report_again.total);
    }
});
