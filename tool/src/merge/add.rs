//! Adds all inputs, with several threads.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail};
use profdata::error::Error;
use profdata::merge::{MergeOptions, Merger, merge_parallel};

use super::kinds;
use super::scale::{Scale, Scaled};
use super::survey::Survey;
use super::weights::Weights;
use crate::inputs::{Duplicate, Feed, Item, Loaded, Once, Progress, Sameness, Sources, load};

/// How to add inputs.
pub(super) struct Settings<'a> {
    pub(super) threads: usize,
    pub(super) merge: MergeOptions,
    pub(super) drop_equal: bool,
    pub(super) weights: &'a Weights<'a>,
    /// What a first pass has found.
    pub(super) survey: Option<&'a Survey>,
}

/// What was added.
pub(super) struct Added {
    pub(super) merger: Merger,
    /// What was left out.
    pub(super) duplicates: Vec<Duplicate>,
    /// What has the same bytes as another input, and counts.
    pub(super) equal: Vec<Duplicate>,
    pub(super) ignored: Vec<String>,
    /// Members of archives whose name one before them has.
    pub(super) repeated: Vec<String>,
}

/// Adds all inputs. Errors: inputs do not merge, or one has changed since the first pass.
pub(super) fn add(sources: &Sources, settings: &Settings<'_>) -> Result<Added> {
    let feed = Feed::new(&sources.sources);
    let binaries = settings.merge.correlation.as_deref();
    let once = Once::default();
    let equal = Mutex::new(Vec::new());
    let (changed, reached) = (Mutex::new(None), AtomicU32::new(0));
    let pass = if settings.survey.is_some() { "pass 2 of 2: " } else { "" };
    let progress = Progress::of(sources, &feed, pass);
    let add = |merger: &mut Merger, buffer: &mut Vec<u8>| {
        let Some(item) = feed.next() else { return Ok(false) };
        reached.fetch_max(item.number.saturating_add(1), Ordering::Relaxed);
        let loaded = load(&item.content, buffer);
        if settings.survey.is_some_and(|survey| !survey.has(&item, loaded.bytes)) {
            *changed.lock().unwrap_or_else(PoisonError::into_inner) = Some(item.name);
            return Ok(false);
        }
        let (workload, weight) = settings.weights.of(&item.name, item.member);
        let first = match settings.survey {
            Some(survey) => survey.same_as(item.number).map(str::to_owned),
            None => once.first(&item, loaded.bytes),
        };
        let is_left_out = settings.drop_equal && first.is_some();
        if let Some(same_as) = first {
            let duplicate = Duplicate { input: item.name.clone(), same_as, by: Sameness::Content };
            equal.lock().unwrap_or_else(PoisonError::into_inner).push((item.number, duplicate));
        }
        let size = loaded.bytes.map_or(0, <[u8]>::len);
        match settings.survey.and_then(|survey| survey.shares.as_ref()) {
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
    let merger = match merge_parallel(settings.threads, &settings.merge, &add) {
        Ok(merger) => merger,
        Err(error) => bail!("{}", kinds::explain(&error, sources)),
    };
    let changed = changed.into_inner().unwrap_or_else(PoisonError::into_inner);
    let missing = || Some(settings.survey?.first_after(reached.into_inner())?.to_owned());
    if let Some(name) = changed.or_else(missing) {
        bail!(
            "{name} has changed while it was read twice, for --normalize, or for --drop-equal with --weight\n  \
             remedy: merge copies of files that programs still write"
        );
    }
    let mut equal = equal.into_inner().unwrap_or_else(PoisonError::into_inner);
    equal.sort_by_key(|(number, _)| *number);
    let mut equal: Vec<Duplicate> = equal.into_iter().map(|(_, duplicate)| duplicate).collect();
    let mut duplicates = sources.duplicates.clone();
    duplicates.extend(feed.take_duplicates());
    if settings.drop_equal {
        duplicates.append(&mut equal);
    }
    let ignored = sources.ignored.iter().cloned().chain(feed.take_ignored()).collect();
    Ok(Added { merger, duplicates, equal, ignored, repeated: feed.take_repeated() })
}

/// Adds an input with its counts scaled to the share of its workload, which has this weight.
fn add_scaled(
    merger: &mut Merger,
    item: &Item,
    loaded: &Loaded<'_>,
    scale: Scale,
    weight: u64,
    options: &MergeOptions,
) -> std::result::Result<(), Error> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::expand;
    use crate::merge::survey::survey;

    /// A share that comes from another content would be an arbitrary number.
    #[test]
    fn an_input_that_changes_between_the_passes_ends_the_merge() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.proftext");
        let weights = Weights::new(&[]);
        for (before, after) in
            [(":ir\nmain\n7\n1\n1\n", Some(":ir\nmain\n7\n1\n100000\n")), (":ir\nmain\n7\n1\n1\n", None)]
        {
            std::fs::write(&path, before).unwrap();
            let sources = expand(std::slice::from_ref(&path), None);
            let settings = Settings {
                threads: 1,
                merge: MergeOptions::default(),
                drop_equal: false,
                weights: &weights,
                survey: None,
            };
            let found = survey(&sources, &settings, true).unwrap();
            let settings = Settings { survey: Some(&found), ..settings };
            assert!(add(&sources, &settings).is_ok());
            match after {
                Some(after) => std::fs::write(&path, after).unwrap(),
                None => std::fs::remove_file(&path).unwrap(),
            }
            let error = add(&sources, &settings).err().unwrap();
            assert!(error.to_string().contains("a.proftext"), "{error}");
        }
    }
}
