//! `--compat`: what `llvm-profdata` of a release writes.

use anyhow::{Result, bail};
use profdata::compat::{CompatMerger, FailureMode};
use profdata::error::Error;
use profdata::finding::{Finding, LossAccount, Outcome};
use profdata::merge::{InputReport, MergeOptions, Report};
use profdata::read;
use profdata::read::ReadOptions;
use profdata::release::Target;
use profdata::{RecordRef, Sink};

use super::account::Account;
use super::weights::Weights;
use super::{Merged, Options};
use crate::inputs::{Feed, Progress, Sources, load};

/// Merges all inputs in their order. Equal ones count each time. Errors: an input cannot be read, or does not merge.
pub(super) fn merge(sources: &Sources, options: &Options, target: Target) -> Result<Merged> {
    let weights = Weights::new(&options.weights);
    let mut merger = CompatMerger::new(target.release(), FailureMode::Any, 1);
    let settings = ReadOptions { release: Some(target.release()), ..ReadOptions::default() };
    let feed = Feed::new(&sources.sources);
    let progress = Progress::of(sources, &feed, "");
    let (mut report, mut buffer, mut findings) = (Report::default(), Vec::new(), Vec::new());
    let options_of_sums = MergeOptions { mix_kinds: true, ..MergeOptions::default() };
    while let Some(item) = feed.next() {
        let loaded = load(&item.content, &mut buffer);
        let (_, weight) = weights.of(&item.name, item.member);
        let bytes = loaded.bytes.unwrap_or(&[]);
        let mut account = LossAccount::default();
        account.bytes = bytes.len() as u64;
        let id = merger.add(weight, |sink| match loaded.damage.clone() {
            Some(damage) => Err(damage),
            None => read(bytes, &settings, &mut Counting { sink, account: &mut account, weight }),
        });
        progress.add(&item.content, bytes.len());
        let mut error = None;
        let outcome = match loaded.sum(&options_of_sums) {
            Some(sum) => {
                let lost = sum.total.counts_lost.saturating_mul(weight.into());
                let counts = account.counts.saturating_add(lost);
                account = sum.total;
                (account.counts, account.counts_lost) = (counts, 0);
                error = sum.inputs.values().find_map(|input| input.error.clone());
                findings.extend(sum.findings.into_iter().map(|finding| Finding { input: id, ..finding }));
                account.outcome()
            }
            None => {
                let outcome = if bytes.is_empty() { Outcome::Empty } else { Outcome::Whole };
                *account.inputs_mut(outcome) = 1;
                outcome
            }
        };
        report.total.add(&account);
        let mut input = InputReport::new(item.name, weight, outcome, account);
        input.error = error;
        report.inputs.insert(id, input);
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
    report.findings.append(&mut findings);
    let duplicates = sources.duplicates.iter().cloned().chain(feed.take_duplicates()).collect();
    let ignored = sources.ignored.iter().cloned().chain(feed.take_ignored()).collect();
    let kept = merged.profile.counts();
    report.total.counts = report.total.counts.max(kept);
    report.total.counts_lost = report.total.counts - kept;
    let mut account = Account::new(report, duplicates, ignored);
    account.repeated = feed.take_repeated();
    weights.note(&mut account);
    Ok(Merged { profile: merged.profile, account, target, partial: None })
}

/// Counts what it hands on.
struct Counting<'a> {
    sink: &'a mut dyn Sink,
    account: &'a mut LossAccount,
    weight: u64,
}

impl Sink for Counting<'_> {
    hand_on!(heading, expects, binary_id, vtable_name, traces, memprof, finding);

    fn record(&mut self, record: RecordRef<'_>) -> Result<(), Error> {
        self.account.functions += 1;
        let counts = record.counters.iter().skip(record.is_pseudo().into()).map(|count| u128::from(*count));
        let counts = counts.sum::<u128>().saturating_mul(self.weight.into());
        self.account.counts = self.account.counts.saturating_add(counts);
        self.sink.record(record)
    }
}
