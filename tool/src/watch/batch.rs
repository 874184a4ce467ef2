//! Adds a batch of files to the sum.
//!
//! A batch is added as a whole, in memory. If it cannot be - an input is of another kind, or makes a result that no compiler
//! reads -, each half is added by itself, down to the input that does not fit. The sum never has a part of an input.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use profdata::error::{Error, ErrorKind};
use profdata::finding::Outcome;
use profdata::merge::{MergeOptions, Merger, merge_parallel};
use profdata::read::{Detected, detect};

use super::files::{Claims, Content, Stamp, read};
use super::ledger::{Entry, Lack};
use super::looked::{Fate, Looked, explained, is_damage};
use super::state::State;
use super::verdict::Part;
use super::waiting::Waiting;
use crate::inputs::{Feed, Item, Source, display, load};
use crate::merge::derive::{Derived, Output};

/// How files are added.
pub(super) struct Rules<'a> {
    pub(super) threads: usize,
    /// Files with equal contents count each.
    pub(super) each_file: bool,
    /// A file that was merged and has another content now counts again.
    pub(super) add_changed: bool,
    pub(super) output: &'a Output,
    pub(super) claims: &'a Claims,
    /// When files were seen first.
    pub(super) waiting: &'a Waiting,
    /// How long a damaged file waits, after somebody wrote to it, for the rest.
    pub(super) patience: Duration,
}

/// What became of a batch.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) looked: Vec<Looked>,
    /// The output, if something was added.
    pub(super) derived: Option<Derived>,
    /// The state has changed.
    pub(super) is_news: bool,
}

impl Batch {
    /// Puts files in the list.
    fn note(&mut self, state: &mut State, looked: &mut [Looked], rules: &Rules<'_>) {
        // Of equal files in one batch, the one that was merged comes first.
        looked.sort_by_key(|looked| matches!(looked.fate, Fate::Duplicate(_)));
        for Looked { path, fate, entries, .. } in looked {
            let original = rules.claims.original(path);
            let is_claim = *path != original;
            if let (Fate::Duplicate(lacks), [entry, ..]) = (&mut *fate, &mut entries[..]) {
                *lacks = state.ledger.known(entry, rules.each_file).map_or(Lack::Nothing, |known| known.lacks);
                entry.lacks = *lacks;
            }
            if is_claim && fate.stays() {
                // It gets its name again.
                let (claim, own) = (state.hashes.path(path), state.hashes.path(&original));
                entries.iter_mut().filter(|entry| entry.path == claim).for_each(|entry| entry.path = own);
            } else if is_claim && !entries.is_empty() {
                // It has another name than a file of which it may be a later content: what gets that name begins anew.
                self.is_news |= state.ledger.forget_path(state.hashes.path(&original));
            }
            for entry in entries {
                let is_new = state.ledger.add(*entry);
                self.is_news |= is_new;
                match fate {
                    Fate::Duplicate(_) if is_new => state.counts.duplicates += 1,
                    Fate::Changed if is_new => state.counts.changed += 1,
                    _ => {}
                }
            }
        }
    }
}

/// Why files were not added.
enum Failure {
    /// They do not fit.
    Unfit(Error),
    Fatal(anyhow::Error),
}

/// Returns the sum of a state. Errors: it is damaged.
pub(super) fn sum(state: &State) -> Result<Merger> {
    let mut merger = Merger::new(MergeOptions::default());
    if !state.sum.is_empty() {
        let outcome = merger.add_partial("state", 1, &state.sum).map_err(anyhow::Error::new)?;
        ensure!(outcome == Outcome::Whole, "the sum in the state is damaged");
    }
    Ok(merger)
}

/// Adds files to a state, as far as they fit. Errors: the state is damaged, or memory is short.
pub(super) fn add(state: &mut State, files: &[PathBuf], rules: &Rules<'_>, batch: &mut Batch) -> Result<()> {
    match attempt(state, files, rules) {
        Ok((mut looked, added)) => {
            looked.retain(|looked| looked.is_final(rules));
            if looked.len() < files.len() {
                // All of them once more, without those that may be whole later.
                let last: HashSet<_> = looked.into_iter().map(|looked| looked.path).collect();
                let (files, young) = files.iter().cloned().partition::<Vec<_>, _>(|path| last.contains(path));
                batch.looked.extend(young.iter().map(|path| Looked::new(path, Fate::Busy)));
                return if files.is_empty() { Ok(()) } else { add(state, &files, rules, batch) };
            }
            batch.note(state, &mut looked, rules);
            if let Some((sum, derived)) = added {
                state.sum = sum;
                batch.derived = Some(derived);
            }
            batch.looked.extend(looked);
            Ok(())
        }
        Err(Failure::Fatal(error)) => Err(error),
        Err(Failure::Unfit(error)) => match files {
            [] => Ok(()),
            [file] => refuse(state, file, &error, rules, batch),
            _ => {
                let (first, second) = files.split_at(files.len() / 2);
                add(state, first, rules, batch)?;
                add(state, second, rules, batch)
            }
        },
    }
}

type Attempt = (Vec<Looked>, Option<(Vec<u8>, Derived)>);

/// Adds files, all or none.
fn attempt(state: &State, files: &[PathBuf], rules: &Rules<'_>) -> Result<Attempt, Failure> {
    let group = Group {
        state,
        rules,
        next: AtomicUsize::new(0),
        number: AtomicU32::new(0),
        fresh: Mutex::default(),
        looked: Mutex::default(),
    };
    let mut merged =
        merge_parallel(rules.threads.min(files.len()).max(1), &MergeOptions::default(), &|merger, buffer| {
            let Some(path) = files.get(group.next.fetch_add(1, Ordering::Relaxed)) else { return Ok(false) };
            let looked = group.add(merger, path, buffer)?;
            group.looked.lock().unwrap_or_else(PoisonError::into_inner).push(looked);
            Ok(true)
        })
        .map_err(Failure::Unfit)?;
    let mut looked = group.looked.into_inner().unwrap_or_else(PoisonError::into_inner);
    looked.sort_by(|a, b| a.path.cmp(&b.path));
    if looked.iter().all(|looked| looked.profiles.is_empty()) {
        settle(&mut looked, state, rules);
        return Ok((looked, None));
    }
    let report = merged.condense("batch");
    looked.iter_mut().for_each(|looked| looked.judge(&report));
    settle(&mut looked, state, rules);
    let mut all = sum(state).map_err(Failure::Fatal)?;
    all.absorb(merged).map_err(Failure::Unfit)?;
    let bytes = stored(all).map_err(Failure::Fatal)?;
    let derived = derive(&bytes, rules.output)?;
    Ok((looked, Some((bytes, derived))))
}

/// Says what became of the files of a group that were judged.
fn settle(looked: &mut [Looked], state: &State, rules: &Rules<'_>) {
    let key = |entry: &Entry| entry.key(rules.each_file);
    // What a file lacks that is known is in the list, or with the file of this group that is equal to it.
    let firsts = looked.iter().filter(|looked| !matches!(looked.fate, Fate::Duplicate(_)));
    let own: HashMap<_, _> = firsts.flat_map(|looked| &looked.entries).map(|entry| (key(entry), entry.lacks)).collect();
    let before = |entry: &Entry| state.ledger.known(entry, rules.each_file).map(|known| known.lacks);
    let known = |entry: &Entry| own.get(&key(entry)).copied().or_else(|| before(entry)).unwrap_or(Lack::All);
    for looked in looked {
        let is_claim = rules.claims.original(&looked.path) != looked.path;
        looked.settle(known, is_claim);
    }
}

/// Returns a sum as it is stored.
fn stored(mut all: Merger) -> Result<Vec<u8>> {
    all.condense("all inputs");
    let mut bytes = Vec::new();
    all.write_partial(&mut bytes).context("the sum cannot be stored")?;
    Ok(bytes)
}

/// Returns the output for a stored sum. It comes from the stored bytes, so that files are only removed if these can be read.
fn derive(bytes: &[u8], output: &Output) -> Result<Derived, Failure> {
    let mut all = Merger::new(MergeOptions::default());
    match all.add_partial("sum", 1, bytes) {
        Ok(Outcome::Whole) => {}
        other => return Err(Failure::Fatal(anyhow!("the sum is not read as it was stored: {other:?}"))),
    }
    output
        .derive(all)
        .map_err(|error| Failure::Unfit(Error::new(ErrorKind::Incompatible, "result").found(format_args!("{error:#}"))))
}

/// Accounts for a file that does not fit. It is not damaged, unless its archive is.
fn refuse(state: &mut State, path: &Path, error: &Error, rules: &Rules<'_>, batch: &mut Batch) -> Result<()> {
    let mut looked = Looked::new(path, Fate::Busy);
    let mut buffer = Vec::new();
    if error.kind() != ErrorKind::Io
        && let Ok(Content::Whole(stamp)) = read(path, &mut buffer)
    {
        let lacks = if is_damage(error) { Lack::Damage } else { Lack::All };
        let name = if lacks == Lack::All { rules.claims.original(path) } else { path.to_path_buf() };
        let entry = Entry { lacks, ..state.hashes.entry(&name, stamp, &buffer) };
        let mut all = sum(state)?;
        // It is in the report.
        let _ = all.input(display(path), 1).finish(buffer.len() as u64, Err(error.clone()));
        state.sum = stored(all)?;
        batch.is_news |= state.ledger.add(entry);
        looked.stamp = Some(stamp);
        looked.fate = Fate::not_merged(lacks, format!("refused: {}", explained(error)));
        batch.derived = match derive(&state.sum, rules.output) {
            Ok(derived) => Some(derived),
            Err(Failure::Unfit(error)) => return Err(anyhow::Error::new(error)),
            Err(Failure::Fatal(error)) => return Err(error),
        };
    }
    batch.looked.push(looked);
    Ok(())
}

/// Files that are added together.
struct Group<'a> {
    state: &'a State,
    rules: &'a Rules<'a>,
    next: AtomicUsize,
    number: AtomicU32,
    /// Contents, or files, that this group has added.
    fresh: Mutex<HashSet<u128>>,
    looked: Mutex<Vec<Looked>>,
}

impl Group<'_> {
    fn add(&self, merger: &mut Merger, path: &Path, buffer: &mut Vec<u8>) -> Result<Looked, Error> {
        let mut looked = Looked::new(path, Fate::Whole);
        let stamp = match read(path, buffer) {
            Ok(Content::Whole(stamp)) => stamp,
            Ok(Content::Busy) => return Ok(Looked { fate: Fate::Busy, ..looked }),
            Ok(Content::Gone) => return Ok(Looked { fate: Fate::Gone, ..looked }),
            Err(error) => return Ok(Looked { fate: Fate::Unreadable(error.to_string()), ..looked }),
        };
        looked.stamp = Some(stamp);
        let entry = self.state.hashes.entry(path, stamp, buffer);
        looked.entries.push(entry);
        if !self.is_new(&entry) {
            looked.fate = Fate::Duplicate(Lack::Nothing);
            return Ok(looked);
        }
        let original = Entry { path: self.state.hashes.path(&self.original(path)), ..entry };
        if !self.rules.add_changed && self.state.ledger.is_changed(&original) {
            let entries = vec![Entry { lacks: Lack::Change, ..entry }];
            return Ok(Looked { fate: Fate::Changed, entries, ..looked });
        }
        let name = display(&self.original(path));
        if !matches!(detect(buffer), Some(Detected::Archive(_))) {
            self.add_profile(merger, &name, buffer, &mut looked)?;
            return Ok(looked);
        }
        let sources = [Source::File { path: path.to_path_buf(), size: stamp.size }];
        let feed = Feed::new(&sources);
        let prefix = format!("{}:", display(path));
        let inner = |name: &str| name.strip_prefix(&prefix).unwrap_or(name).to_owned();
        let mut member = 0;
        while let Some(item) = feed.next() {
            let item = Item { number: self.number(), ..item };
            let loaded = load(&item.content, buffer);
            let mut own = 0;
            if let Some(bytes) = loaded.bytes.filter(|bytes| !bytes.is_empty()) {
                let entry = self.state.hashes.member(&entry, member, bytes);
                member += 1;
                if !self.is_new(&entry) {
                    looked.left_out.known.push((inner(&item.name), entry));
                    continue;
                }
                own = looked.entries.len();
                looked.entries.push(entry);
            }
            looked.profiles.push(Part::new(item.number, loaded.bytes.unwrap_or(&[]), own));
            loaded.add_to(merger, &item, 1, None)?;
        }
        looked.left_out.others = feed.take_ignored().iter().map(|name| inner(name)).collect();
        looked.repeated = feed.take_repeated();
        // It was opened again by its path.
        if Stamp::at(path).ok().flatten() != Some(stamp) {
            return Err(Error::new(ErrorKind::Io, "archive").found("it has changed"));
        }
        Ok(looked)
    }

    fn add_profile(&self, merger: &mut Merger, name: &str, bytes: &[u8], looked: &mut Looked) -> Result<(), Error> {
        let number = self.number();
        looked.profiles.push(Part::new(number, bytes, 0));
        merger.number_next(number);
        merger.add_bytes(name, 1, bytes).map(drop)
    }

    fn number(&self) -> u32 {
        self.number.fetch_add(1, Ordering::Relaxed)
    }

    fn original(&self, path: &Path) -> PathBuf {
        self.rules.claims.original(path)
    }

    /// Returns whether nothing like it was added before, and notes that it is.
    fn is_new(&self, entry: &Entry) -> bool {
        let each = self.rules.each_file;
        self.state.ledger.known(entry, each).is_none()
            && self.fresh.lock().unwrap_or_else(PoisonError::into_inner).insert(entry.key(each))
    }
}
