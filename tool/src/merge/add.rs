//! Adds all inputs, with several threads.

use std::sync::{Mutex, PoisonError};

use profdata::error::Error;
use profdata::merge::{MergeOptions, Merger, merge_parallel};

use super::scale::{Scale, Scaled, Shares};
use super::weights::Weights;
use crate::inputs::{Duplicate, Feed, Item, Loaded, Once, Sameness, Sources, load};
use crate::report::progress::Progress;

/// How to add inputs.
pub(super) struct Settings<'a> {
    pub(super) threads: usize,
    pub(super) merge: MergeOptions,
    pub(super) drop_equal: bool,
    pub(super) weights: &'a Weights<'a>,
    /// For `--normalize`: what each workload has counted.
    pub(super) shares: Option<&'a Shares>,
}

/// What was added.
pub(super) struct Added {
    pub(super) merger: Merger,
    /// What was left out.
    pub(super) duplicates: Vec<Duplicate>,
    /// What has the same bytes as another input, and counts.
    pub(super) equal: Vec<Duplicate>,
    pub(super) ignored: Vec<String>,
}

/// Adds all inputs. Errors: inputs do not merge.
pub(super) fn add(sources: &Sources, settings: &Settings<'_>) -> Result<Added, Error> {
    let feed = Feed::new(&sources.sources);
    let binaries = settings.merge.correlation.as_deref();
    let once = Once::default();
    let equal = Mutex::new(Vec::new());
    let pass = if settings.shares.is_some() { "pass 2 of 2: " } else { "" };
    let progress = Progress::of(sources, &feed, pass);
    let add = |merger: &mut Merger, buffer: &mut Vec<u8>| {
        let Some(item) = feed.next() else { return Ok(false) };
        let loaded = load(&item.content, buffer);
        let (workload, weight) = settings.weights.of(&item.name);
        let first = once.first(item.number, &item.name, weight, loaded.bytes);
        let is_left_out = settings.drop_equal && first.is_some();
        if let Some(same_as) = first {
            let duplicate = Duplicate { input: item.name.clone(), same_as, by: Sameness::Content };
            equal.lock().unwrap_or_else(PoisonError::into_inner).push((item.number, duplicate));
        }
        let size = loaded.bytes.map_or(0, <[u8]>::len);
        match settings.shares {
            _ if is_left_out => {}
            Some(shares) => {
                let scale = shares.scale(workload, item.number, weight);
                add_scaled(merger, &item, &loaded, scale, weight, &settings.merge)?;
            }
            None => loaded.add_to(merger, &item, weight, binaries)?,
        }
        progress.add(&item.content, size);
        Ok(true)
    };
    let merger = merge_parallel(settings.threads, &settings.merge, &add)?;
    let mut equal = equal.into_inner().unwrap_or_else(PoisonError::into_inner);
    equal.sort_by_key(|(number, _)| *number);
    let mut equal: Vec<Duplicate> = equal.into_iter().map(|(_, duplicate)| duplicate).collect();
    let mut duplicates = sources.duplicates.clone();
    duplicates.extend(feed.take_duplicates());
    if settings.drop_equal {
        duplicates.append(&mut equal);
    }
    let ignored = sources.ignored.iter().cloned().chain(feed.take_ignored()).collect();
    Ok(Added { merger, duplicates, equal, ignored })
}

/// Adds an input with its counts scaled to the share of its workload, which has this weight.
fn add_scaled(
    merger: &mut Merger,
    item: &Item,
    loaded: &Loaded<'_>,
    scale: Scale,
    weight: u64,
    options: &MergeOptions,
) -> Result<(), Error> {
    merger.number_next(item.number);
    let mut input = merger.input(item.name.clone(), 1);
    input.report_weight(weight);
    if let Some(mut sum) = loaded.sum(options) {
        sum.total.counts_lost = scale.of_sum(sum.total.counts_lost);
        input.stands_for(&sum);
    }
    let result = loaded.read(options.correlation.as_deref(), &mut Scaled::new(&mut input, scale));
    input.finish(loaded.bytes.map_or(0, |bytes| bytes.len() as u64), result).map(|_| ())
}
