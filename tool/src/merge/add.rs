//! Adds all inputs, with several threads.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use profdata::merge::{Merger, merge_parallel};

use super::scale::{self, Settings, Shares};
use crate::inputs::{Duplicate, Feed, Once, Progress, Sources, load};
use crate::report::explained;

/// What was added.
pub(super) struct Added {
    pub(super) merger: Merger,
    /// What was left out.
    pub(super) duplicates: Vec<Duplicate>,
    /// What has the same bytes as another input, and counts.
    pub(super) equal: Vec<Duplicate>,
    pub(super) ignored: Vec<String>,
}

/// Adds all inputs, by their shares if there are some. Errors: inputs do not merge.
pub(super) fn add(sources: &Sources, settings: &Settings<'_>, shares: Option<&Shares>) -> Result<Added> {
    let feed = Feed::new(&sources.sources);
    let binaries = settings.merge.correlation.as_deref();
    let (once, equal) = (Once::default(), Mutex::new(BTreeMap::new()));
    let progress = Progress::of(sources, &feed, if shares.is_some() { "pass 2 of 2: " } else { "" });
    let add = |merger: &mut Merger, buffer: &mut Vec<u8>| {
        let Some(item) = feed.next() else { return Ok(false) };
        let loaded = load(&item.content, buffer);
        let (workload, weight) = settings.weights.of(&item.name);
        let first = once.first(&item, loaded.bytes);
        let is_left_out = settings.drop_equal && first.is_some();
        if let Some(same_as) = first {
            let duplicate = Duplicate { input: item.name.clone(), same_as };
            equal.lock().unwrap_or_else(PoisonError::into_inner).insert(item.number, duplicate);
        }
        match shares {
            _ if is_left_out => {}
            Some(shares) => {
                let scale = shares.scale(workload, item.number, weight);
                scale::add(merger, &item, &loaded, scale, weight, binaries)?;
            }
            None => loaded.add_to(merger, item.number, &item.name, weight, binaries)?,
        }
        progress.add(&item.content, loaded.bytes.map_or(0, <[u8]>::len));
        Ok(true)
    };
    let merger = merge_parallel(settings.threads, &settings.merge, &add);
    let merger = merger.map_err(|error| anyhow::Error::msg(explained(&error)))?;
    let equal = equal.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut equal: Vec<Duplicate> = equal.into_values().collect();
    let mut duplicates = sources.duplicates.clone();
    if settings.drop_equal {
        duplicates.append(&mut equal);
    }
    let ignored = sources.ignored.iter().cloned().chain(feed.take_ignored()).collect();
    Ok(Added { merger, duplicates, equal, ignored })
}
