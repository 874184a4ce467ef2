//! `--compat`: what `llvm-profdata` of a release writes.

use anyhow::{Result, bail};
use profdata::compat::{CompatMerger, FailureMode};
use profdata::finding::{LossAccount, Outcome};
use profdata::merge::{InputReport, Report};
use profdata::read::ReadOptions;
use profdata::sink::{RecordRef, Sink};
use profdata::{Target, read};

use super::account::Account;
use super::weights::Weights;
use super::{Merged, Options};
use crate::hand_on::EachRecord;
use crate::inputs::{Feed, Progress, Sources, load};

/// Merges all inputs in their order. Equal ones count each time. Errors: an input cannot be read, or does not merge.
pub(super) fn merge(sources: &Sources, options: &Options, target: Target) -> Result<Merged> {
    let weights = Weights::new(&options.weights);
    let mut merger = CompatMerger::new(target.release(), FailureMode::Any, 1);
    let settings = ReadOptions { release: Some(target.release()), ..ReadOptions::default() };
    let feed = Feed::new(&sources.sources);
    let progress = Progress::of(sources, &feed, "");
    let (mut report, mut buffer) = (Report::default(), Vec::new());
    while let Some(item) = feed.next() {
        let loaded = load(&item.content, &mut buffer);
        let (_, weight) = weights.of(&item.name);
        let bytes = loaded.bytes.unwrap_or(&[]);
        let mut account = LossAccount::default();
        account.bytes = bytes.len() as u64;
        let record = |record: RecordRef<'_>, sink: &mut dyn Sink| {
            account.functions += 1;
            let counts = record.counters.iter().skip(record.is_pseudo().into()).map(|count| u128::from(*count));
            let counts = counts.sum::<u128>().saturating_mul(weight.into());
            account.counts = account.counts.saturating_add(counts);
            sink.record(record)
        };
        let id = merger.add(weight, |sink| match loaded.damage.clone() {
            Some(damage) => Err(damage),
            None => read(bytes, &settings, &mut EachRecord { sink, record }),
        });
        progress.add(&item.content, bytes.len());
        let outcome = if bytes.is_empty() { Outcome::Empty } else { Outcome::Whole };
        *account.inputs_mut(outcome) = 1;
        report.total.add(&account);
        report.inputs.insert(id, InputReport::new(item.name, weight, outcome, account));
    }
    let merged = match merger.finish() {
        Ok(merged) => merged,
        Err(failed) => {
            let mut message = String::from(
                "llvm-profdata fails with these inputs, and so does --compat; leave it out to salvage them",
            );
            for (input, error) in failed.errors {
                message += &format!("\n  {}", error.in_input(report.name_of(input)));
            }
            if let Some(error) = failed.fold {
                message += &format!("\n  {error}");
            }
            bail!(message);
        }
    };
    report.findings = merged.reported;
    let (duplicates, ignored) = (sources.duplicates.clone(), sources.ignored.iter().cloned());
    let ignored = ignored.chain(feed.take_ignored()).collect();
    let kept = merged.profile.counts();
    report.total.counts = report.total.counts.max(kept);
    report.total.counts_lost = report.total.counts - kept;
    let mut account = Account { report, duplicates, ignored, ..Account::default() };
    weights.note(&mut account);
    Ok(Merged { profile: merged.profile, account, target, partial: None })
}
