//! The watcher: waits, takes files, merges, publishes, removes.

mod dispose;
mod known;
mod take;

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::batch::{self, Batch, Rules};
use super::durable::{Places, publish, read_file, sync_directory};
use super::events::{self, Events, News};
use super::files::{Claims, Stamp};
use super::looked::{Fate, Looked};
use super::report::Voice;
use super::scan::Scanner;
use super::state::State;
use super::waiting::Waiting;
use super::{Changed, Options, Stop};
use crate::inputs::display;
use crate::merge::derive::Derived;
use crate::report::exact;
use known::Census;

/// Largest number of files added between two results. Limits the work that a kill can undo and the files that wait for removal.
const BATCH: usize = 4096;

/// The longest time between two attempts to write a result.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The longest time that a watcher which was told to stop waits for files that it has just taken away.
const LAST: Duration = Duration::from_secs(2);

/// How long a file waits that somebody has locked or changes.
const BUSY: Duration = Duration::from_millis(100);

pub(super) struct Watcher<'a> {
    options: &'a Options,
    stop: Stop,
    root: PathBuf,
    places: Places,
    /// Keeps others from the same output.
    _lock: File,
    state: State,
    claims: Claims,
    scanner: Scanner,
    events: Events,
    news: News,
    waiting: Waiting,
    /// Hashes of the paths of the files that are there.
    present: HashSet<u64>,
    /// What the last scan has found, as long as the list is not trimmed to it.
    census: Option<Census>,
    /// The file system of the directory; `None` before the first scan.
    device: Option<u64>,
    /// Beginnings of the names of other watchers that were reported; `None` before the first scan.
    others: Option<HashSet<String>>,
    voice: Voice,
    /// The state has something that its file does not have.
    is_news: bool,
    /// The output is that of the state.
    is_published: bool,
    failures: u32,
    next_result: Instant,
    next_scan: Instant,
}

impl<'a> Watcher<'a> {
    /// Takes the lock, and goes on where the watcher before has ended. Errors: another watcher has the output; the state or the output
    /// cannot be read or written.
    pub(super) fn new(options: &'a Options, stop: Stop) -> Result<Watcher<'a>> {
        options.result.check()?;
        ensure!(
            options.output != Path::new("-"),
            "-o needs a file, which each result replaces; standard output cannot be replaced"
        );
        ensure!(
            options.report.as_deref() != Some(Path::new("-")),
            "--report needs a file, which each report replaces; standard output cannot be replaced"
        );
        let root = options.directory.canonicalize();
        let root = root.with_context(|| format!("the directory {} cannot be read", display(&options.directory)))?;
        ensure!(root.is_dir(), "{} is no directory", display(&root));
        let cannot = || format!("{} cannot be written; choose another place with -o", display(&options.output));
        let places = Places::new(&options.output, options.report.as_deref()).with_context(cannot)?;
        places.check_report(&root)?;
        let Some(lock) = places.lock().with_context(cannot)? else {
            bail!(
                "another `profrt watch` writes {}; stop it, or choose another place with -o",
                display(&options.output)
            );
        };
        let state = match State::read(&places.state, &root)? {
            Some(state) => state,
            None => {
                ensure!(
                    !places.output.exists(),
                    "{} exists, and was not written by a watcher: {} is missing\n  remedy:   move it away; to go on with its counts, move it to {}",
                    display(&places.output),
                    display(&places.state),
                    display(&root)
                );
                let state = State::new(root.clone());
                state.publish(&places.state)?;
                state
            }
        };
        let mut voice = Voice::new(options.quiet);
        let events = Events::new().unwrap_or_else(|error| {
            voice.warn(&format!("no events ({error}); new files are found every {:?}", options.rescan));
            Events::default()
        });
        let claims = Claims::new(state.watcher);
        let now = Instant::now();
        let mut watcher = Watcher {
            options,
            stop,
            scanner: Scanner::new(root.clone(), places.clone(), claims.clone()),
            root,
            places,
            _lock: lock,
            state,
            claims,
            events,
            news: News::default(),
            waiting: Waiting::new(options.settle),
            present: HashSet::new(),
            census: None,
            device: None,
            others: None,
            voice,
            is_news: false,
            is_published: false,
            failures: 0,
            next_result: now,
            next_scan: now,
        };
        let derived = options.result.derive(batch::sum(&watcher.state)?)?;
        watcher.publish(&derived, 0)?;
        watcher.is_published = true;
        Ok(watcher)
    }

    /// Watches until it is stopped. Returns whether everything of the inputs is in the result.
    ///
    /// Errors: the directory is gone, the state is damaged, or the last result cannot be published.
    pub(super) fn run(mut self) -> Result<bool> {
        self.voice.note(&format!("watching {}; {}", display(&self.root), display(&self.places.output)));
        let start = Instant::now();
        // A file that is written all the time does not keep `--once` from ending.
        let patience = (self.options.settle + BUSY) * 4;
        let result = loop {
            if let Err(error) = self.look() {
                break Err(anyhow!(error).context(format!("the directory {} cannot be read", display(&self.root))));
            }
            // What is taken away must be merged: nothing is while no result can be written.
            if self.options.delete && !self.stop.is_asked() && self.failures == 0 {
                self.take_away();
            }
            let is_due = self.options.once || self.stop.is_asked() || Instant::now() >= self.next_result;
            if is_due && let Err(error) = self.result() {
                break Err(error);
            }
            let has_work = self.waiting.next(None, &HashSet::new()).is_some() && start.elapsed() < patience;
            if self.options.once && (!has_work || self.failures > 0) || self.stop.is_asked() {
                break Ok(());
            }
            let time = self.next_work().saturating_duration_since(Instant::now());
            // Between two looks there is time for others, whatever happens in the directory.
            let time = if self.options.once { time.min(BUSY) } else { time };
            events::wait(&self.events, &self.stop.pipe, time).context("events cannot be awaited")?;
        };
        let ended = self.end();
        result?;
        ended?;
        Ok(self.voice.number == 0)
    }

    /// Returns when there is something to do, unless there is news.
    fn next_work(&self) -> Instant {
        let next = |claims| self.waiting.next(claims, &self.news.writing);
        // Files are taken away at once, and merged with the next result.
        let (taken, merged) =
            if self.options.delete { (next(Some(false)), next(Some(true))) } else { (None, next(None)) };
        let taken = taken.filter(|_| self.failures == 0);
        let merged = merged.map(|next| next.max(self.next_result)).or((self.failures > 0).then_some(self.next_result));
        taken.into_iter().chain(merged).fold(self.next_scan, Instant::min)
    }

    /// Merges what was taken away, and publishes the last result.
    fn end(&mut self) -> Result<()> {
        // What was taken away a moment ago waits as long as any other file.
        if let Some(last) = self.waiting.last_claim() {
            let time = last.saturating_duration_since(Instant::now()).min(self.options.settle).min(LAST);
            std::thread::sleep(if self.failures > 0 { Duration::ZERO } else { time });
        }
        self.events.take(&mut self.news);
        self.look_at_news();
        self.result()?;
        let taken = self.give_back();
        ensure!(
            self.failures == 0,
            "the last result could not be published; no file was removed{}\n  remedy: make room, and start the watcher again with the same -o",
            match taken {
                0 => String::new(),
                _ => format!(", and {} under {}…", are(taken, "waits", "wait"), self.claims.own()),
            }
        );
        if self.waiting.len() > 0 {
            let text = format!("{} left for the next time", are(self.waiting.len(), "is", "are"));
            if self.options.once {
                self.voice.problem(None, &text);
            } else {
                self.voice.note(&text);
            }
        }
        Ok(())
    }

    /// Finds what is new. Errors: the directory cannot be read.
    fn look(&mut self) -> io::Result<()> {
        self.events.take(&mut self.news);
        if std::mem::take(&mut self.news.rescan) || Instant::now() >= self.next_scan {
            self.next_scan = Instant::now() + self.options.rescan.max(BUSY);
            return self.scan();
        }
        self.look_at_news();
        Ok(())
    }

    /// Looks at the files of which there are events.
    fn look_at_news(&mut self) {
        for path in std::mem::take(&mut self.news.files) {
            match self.scanner.look(&path) {
                Some((stamp, is_claim)) => self.see(path, stamp, is_claim),
                None => {
                    self.waiting.forget(&path);
                    self.present.remove(&self.state.hashes.path(&path));
                }
            }
        }
        // Of lost events nobody knows which files they name.
        if let Some(census) = self.census.as_mut().filter(|_| !self.news.rescan) {
            census.since.get_or_insert_with(Instant::now);
        }
    }

    fn scan(&mut self) -> io::Result<()> {
        let found = self.scanner.scan(&mut self.events)?;
        self.news.files.clear();
        for problem in &found.problems {
            self.voice.problem(None, problem);
        }
        if let Some(why) = &found.deaf {
            let text =
                format!("no events of some directories ({why}); new files are found every {:?}", self.options.rescan);
            self.voice.warn(&text);
        }
        if found.problems.is_empty() {
            // Of what cannot be read nobody knows whether it is there.
            let paths = found.files.iter().map(|(path, ..)| path.clone()).collect();
            self.waiting.keep(&paths);
            self.news.writing.retain(|path| paths.contains(path));
            self.present.clear();
        }
        let is_empty = found.files.is_empty();
        for (path, stamp, is_claim) in found.files {
            self.see(path, stamp, is_claim);
        }
        self.take_census(found.problems.is_empty(), is_empty);
        self.adopt(found.others);
        Ok(())
    }

    fn see(&mut self, path: PathBuf, stamp: Stamp, is_claim: bool) {
        self.present.insert(self.state.hashes.path(&path));
        self.waiting.see(path, stamp, is_claim);
    }

    /// Says that a file has nothing to merge yet.
    fn empty(&mut self, path: &Path) {
        self.voice.problem(Some(path), "empty: it counts when it has a content");
        self.waiting.done(path);
    }

    /// Merges the files that are ready, in batches, and publishes the results. Errors: the state is damaged.
    fn result(&mut self) -> Result<()> {
        loop {
            self.forget();
            let mut ready = self.waiting.ready(true, &HashSet::new());
            if !self.options.delete {
                ready.extend(self.waiting.ready(false, &self.news.writing));
            }
            for (path, _) in ready.extract_if(.., |(_, stamp)| stamp.size == 0).collect::<Vec<_>>() {
                self.empty(&path);
            }
            let is_more = ready.len() > BATCH;
            ready.truncate(BATCH);
            if ready.is_empty() && self.is_published && !self.is_news {
                self.failures = 0;
                return Ok(());
            }
            let paths: Vec<PathBuf> = ready.into_iter().map(|(path, _)| path).collect();
            match self.merge(&paths) {
                Ok(()) => self.failures = 0,
                Err(error) => {
                    self.failures += 1;
                    self.voice.problem(
                        None,
                        &format!("no result: {error:#}\n  remedy: everything stays where it is, and is tried again"),
                    );
                    // What the disk has is right.
                    let state = State::read(&self.places.state, &self.root)?;
                    self.state = state.context("the state is gone; no file was removed")?;
                }
            }
            let pause = self.options.interval.max(BUSY) * 2u32.saturating_pow(self.failures.min(10));
            self.next_result =
                Instant::now() + if self.failures > 0 { pause.min(LONGEST_PAUSE) } else { self.options.interval };
            if self.failures > 0 || !is_more {
                return Ok(());
            }
        }
    }

    /// Merges files, publishes the result, and removes them. Errors: nothing was removed.
    fn merge(&mut self, paths: &[PathBuf]) -> Result<()> {
        let threads =
            self.options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        let rules = Rules {
            threads,
            each_file: self.options.keep_duplicates,
            add_changed: self.options.changed == Changed::Add,
            output: &self.options.result,
            claims: &self.claims,
            waiting: &self.waiting,
            patience: self.options.settle * if self.options.once { 2 } else { 15 },
        };
        let mut done = Batch::default();
        batch::add(&mut self.state, paths, &rules, &mut done)?;
        done.looked.iter().for_each(|looked| self.complain(looked));
        if self.is_news || done.is_news || done.derived.is_some() {
            self.is_published &= done.derived.is_none();
            self.state.publish(&self.places.state)?;
            self.is_news = false;
        }
        if !self.is_published {
            let derived = match done.derived {
                Some(derived) => derived,
                None => self.options.result.derive(batch::sum(&self.state)?)?,
            };
            let is_open = |looked: &&Looked| matches!(looked.fate, Fate::Busy | Fate::Unreadable(_));
            let closed = done.looked.len() - done.looked.iter().filter(is_open).count();
            self.publish(&derived, self.waiting.len().saturating_sub(closed))?;
            self.is_published = true;
            let merged = done
                .looked
                .iter()
                .filter(|looked| matches!(looked.fate, Fate::Whole | Fate::Kept(..) | Fate::Damaged(_)));
            self.voice.note(&format!("{} merged; {}", exact(merged.count() as u64), derived.report.total));
        }
        let mut directories = HashSet::new();
        for looked in &done.looked {
            self.dispose(looked, &mut directories);
        }
        for directory in directories {
            if let Err(error) = sync_directory(&directory) {
                self.voice.problem(Some(&directory), &format!("cannot be synced: {error}"));
            }
        }
        Ok(())
    }

    /// Puts an output in its place, if it is not there, and the report. Before the first input of which something can be used there is none.
    fn publish(&self, derived: &Derived, waiting: usize) -> Result<()> {
        let cannot = |path: &Path| format!("{} cannot be written", display(path));
        let total = &derived.report.total;
        if total.whole + total.salvaged == 0 {
            return Ok(());
        }
        if read_file(&self.places.output).ok().as_ref() != Some(&derived.bytes) {
            publish(&self.places.output, &derived.bytes).with_context(|| cannot(&self.places.output))?;
        }
        if let Some(path) = &self.places.report {
            let json = self.voice.json(&self.places.output, &self.state, derived, waiting);
            publish(path, json.as_bytes()).with_context(|| cannot(path))?;
        }
        Ok(())
    }
}

/// Returns a number of files, and what they do.
fn are(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 file {one}") } else { format!("{} files {many}", exact(number as u64)) }
}
