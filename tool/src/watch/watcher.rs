//! The watcher: scans the directory, claims complete files by renaming them, adds them to the sum, publishes the sum, removes the claimed files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use profdata::finding::{LossAccount, Outcome};
use profdata::merge::{self, MergeOptions, Merger};

use super::claims::{claim, is_claim, is_own, name, original};
use super::folder::{Folder, Found, Stamp, parent};
use super::input::{explained, is_profile, read, sum};
use super::known::{Known, Meaning};
use super::report::{Problem, Report, Totals, Voice};
use super::slot::Slot;
use super::{Options, Stop};
use crate::inputs::{display, is_put_aside};
use crate::report::{exact, is_report, json};
use crate::text::many;

/// The shortest pause between two scans, so that a busy directory does not take a whole CPU.
const SHORTEST: Duration = Duration::from_millis(20);

/// The name of the sum in accounts.
const ALL: &str = "all inputs";

pub(super) struct Watcher<'a> {
    options: &'a Options,
    stop: Stop,
    folder: Folder,
    output: Slot,
    report: Option<Slot>,
    /// The paths of both, where they are in the directory.
    own: Vec<PathBuf>,
    /// Keeps others from the same output.
    _lock: File,
    sum: Merger,
    total: LossAccount,
    known: Known,
    /// The published output lacks a part of `sum` or `known`.
    is_dirty: bool,
    looks: u64,
    /// What the last look has found.
    seen: BTreeMap<PathBuf, Stamp>,
    /// Files that are not read again before they change; with a reason those that a user should know.
    left: BTreeMap<PathBuf, (Stamp, Option<String>)>,
    /// What could not be done in this round.
    problems: BTreeMap<PathBuf, String>,
    /// Files that are not merged yet.
    waiting: usize,
    /// Directories in which claimed files were added to the sum since the last publish; to be synced first.
    touched: BTreeSet<PathBuf>,
    last_report: String,
    voice: Voice,
}

impl<'a> Watcher<'a> {
    /// Continues from the previous watcher's output. Errors: another watcher has locked it, no watcher wrote it, or it is inaccessible.
    pub(super) fn new(options: &'a Options, stop: Stop) -> Result<Watcher<'a>> {
        let (path, directory) = (display(&options.output), display(&options.directory));
        ensure!(
            options.output.extension().is_none_or(|extension| extension != "profdata"),
            "{path} would be a partial result, to which a watcher can add, and not a profile for a compiler\n  remedy: -o {}, and when a \
             compiler needs it `profrt merge {0} -o {path}`",
            display(&options.output.with_extension("profpart"))
        );
        let output = Slot::new("-o", &options.output)?;
        let report = options.report.as_deref().map(|path| Slot::new("--json", path)).transpose()?;
        let folder =
            Folder::open(&options.directory).with_context(|| format!("the directory {directory} cannot be read"))?;
        let root = options.directory.canonicalize()?;
        let lock = output.lock()?;
        let mut sum = Merger::new(MergeOptions::default());
        let bytes = output.read()?;
        let known = match &bytes {
            None => Known::new(),
            Some(bytes) => {
                ensure!(
                    merge::has_note(bytes),
                    "{path} exists, and was not written by a watcher\n  remedy: move it away; to go on with its counts, move it to {directory}"
                );
                let note = merge::note(bytes).and_then(|note| serde_json::from_slice(note).ok());
                match (note, sum.add_partial(ALL, 1, bytes)) {
                    (Some(known), Ok(Outcome::Whole)) => known,
                    _ => bail!(
                        "{path} is damaged\n  cause:  a failing disk, or another program wrote to it\n  remedy: restore it from a backup; or \
                         move it away, and start over"
                    ),
                }
            }
        };
        let mut watcher = Watcher {
            options,
            stop,
            folder,
            own: [Some(&output), report.as_ref()].into_iter().flatten().filter_map(|slot| slot.below(&root)).collect(),
            output,
            report,
            _lock: lock,
            sum,
            total: LossAccount::default(),
            known,
            is_dirty: bytes.is_none(),
            looks: 0,
            seen: BTreeMap::new(),
            left: BTreeMap::new(),
            problems: BTreeMap::new(),
            waiting: 0,
            touched: BTreeSet::new(),
            last_report: String::new(),
            voice: Voice::new(options.quiet),
        };
        watcher.total = watcher.sum.condense(ALL).total;
        watcher.publish()?;
        if let Some(bytes) = watcher.report.as_ref().map_or(Ok(None), Slot::read)? {
            ensure!(is_report(&bytes), "--json would replace a file which is no report; give the report another file");
        }
        Ok(watcher)
    }

    /// Watches until it is stopped. Returns whether everything of the inputs is in the result.
    ///
    /// Errors: the directory is gone, or the last result cannot be published.
    pub(super) fn run(mut self) -> Result<bool> {
        self.voice.note(&format!("watching {}; {}", display(&self.options.directory), display(&self.options.output)));
        // A file is read when two looks have found it the same: at the second one it is taken away, and at the third one it is read.
        let looks = if self.options.delete { 3 } else { 2 };
        loop {
            self.looks += 1;
            let is_last = self.stop.is_asked() || self.options.once && self.looks == looks;
            self.round(is_last)?;
            if is_last {
                break;
            }
            let shortest = if self.options.once { Duration::ZERO } else { SHORTEST };
            self.stop.wait(self.options.interval.max(shortest));
        }
        ensure!(
            !self.is_dirty,
            "the last result could not be published; no file was removed\n  remedy: make room, and start the watcher again with the same -o"
        );
        if self.waiting > 0 {
            self.voice.warn(format!("{} left for the next time", many(self.waiting as u64, "file")));
        }
        Ok(self.waiting == 0 && self.problems.is_empty() && self.left.values().all(|(_, why)| why.is_none()))
    }

    /// Looks at everything once. In the last round nothing more is taken away. Errors: the directory is gone.
    fn round(&mut self, is_last: bool) -> Result<()> {
        let directory = &self.options.directory;
        let found =
            self.folder.look().with_context(|| format!("the directory {} cannot be read", display(directory)))?;
        let Found { files, unreadable } = found;
        self.problems.clear();
        // A directory that cannot be read may have files that are in the sum, so `known` forgets nothing then.
        self.is_dirty |= unreadable.is_empty() && self.known.follow(&files);
        self.left.retain(|path, (stamp, _)| files.get(path) == Some(stamp));
        unreadable.into_iter().for_each(|(path, error)| self.problem(&path, format!("cannot be read: {error}")));
        self.waiting = 0;
        let before = std::mem::replace(&mut self.seen, files.clone());
        // Nothing more is added, and nothing is taken away, while no result can be written.
        if self.try_publish() {
            // The first file decides which kind the others must have, so the order is by original name and not by claimed name.
            let mut order: Vec<_> = files.iter().collect();
            order.sort_by_cached_key(|(path, _)| original(path));
            for (path, stamp) in order {
                let is_settled = before.get(path) == Some(stamp);
                if !self.left.contains_key(path) && !self.file(path, stamp, is_settled, is_last) {
                    self.waiting += 1;
                }
            }
            if self.try_publish() && self.options.delete {
                let places: BTreeSet<&Path> =
                    files.iter().filter_map(|(path, stamp)| self.remove(path, stamp)).collect();
                // Before the list forgets them: a crash of the machine must not bring them back.
                places.into_iter().for_each(|place| self.folder.sync(place));
            }
        }
        self.tell();
        Ok(())
    }

    /// Processes one file: skips, leaves, claims or adds it. Returns false if it must be visited again.
    fn file(&mut self, path: &Path, stamp: &Stamp, is_settled: bool, is_last: bool) -> bool {
        let is_taken = is_claim(name(path));
        if is_taken && !is_own(name(path), self.known.watcher) {
            // Other running watchers claim files all the time: only claims found at the start may be abandoned.
            if self.looks > 1 {
                return true;
            }
            let text = "another watcher has taken it away; if that one has ended, start it again with its own -o; if its output is lost, give the \
                        file its name again";
            self.leave(path, stamp, Some(text.into()));
            return true;
        }
        if is_put_aside(&name(path).to_string_lossy()) || self.own.iter().any(|own| own == path) {
            return true;
        }
        if self.known.has(path, stamp) && (is_taken || !self.options.delete) {
            return true;
        }
        // After a stop request, files that are not claimed are left for the next run.
        if !is_settled || self.stop.is_asked() && !is_taken {
            return false;
        }
        if stamp.size == 0 {
            self.leave(path, stamp, Some("it is empty; it will be merged when it has content".into()));
            return true;
        }
        let done = match is_profile(&self.folder, path, stamp) {
            Ok(false) => {
                self.leave(path, stamp, None);
                return true;
            }
            Ok(true) if self.options.delete && !is_taken => {
                if is_last {
                    Ok(false)
                } else {
                    self.take(path, stamp).map(|_| false)
                }
            }
            Ok(true) => self.add(path, stamp),
            Err(error) => Err(error),
        };
        done.unwrap_or_else(|error| {
            let what = if self.options.delete && !is_taken { "taken away" } else { "read" };
            self.problem(path, format!("cannot be {what}, and is in no result: {error}"));
            true
        })
    }

    /// Takes a file away. Errors: those of the system; it has several names.
    fn take(&mut self, path: &Path, stamp: &Stamp) -> io::Result<bool> {
        if stamp.links > 1 {
            return Err(io::Error::other("it has other names (hard links), under which it would count again"));
        }
        self.rename(path, stamp, &path.with_file_name(claim(name(path), self.known.watcher)))
    }

    fn rename(&mut self, path: &Path, stamp: &Stamp, to: &Path) -> io::Result<bool> {
        let is_renamed = self.folder.rename(path, stamp, name(to))?;
        if is_renamed {
            self.seen.insert(to.to_owned(), *stamp);
        }
        Ok(is_renamed)
    }

    /// Adds a file to the sum, if it is complete. Returns whether the file is done. Errors: the file cannot be read.
    fn add(&mut self, path: &Path, stamp: &Stamp) -> io::Result<bool> {
        let Some(bytes) = read(&self.folder, path, stamp)? else { return Ok(false) };
        let shown = self.shown(&original(path));
        match self.known.meaning(path, &bytes) {
            Meaning::Known => {}
            Meaning::Changed => {
                let text = "it changed after it was merged, so its counts could be added twice; remove it, and use --delete where runs of \
                            programs add to files (%m)";
                self.leave(path, stamp, Some(text.into()));
                return Ok(true);
            }
            Meaning::New => {
                let added = sum(&shown, &bytes, self.options.delete);
                if let Err(why) = added.and_then(|one| self.sum.absorb(one).map_err(|error| explained(&error))) {
                    self.leave(path, stamp, Some(why));
                    return Ok(true);
                }
            }
        }
        self.touched.insert(parent(path).to_owned());
        self.known.add(path, stamp, &bytes);
        self.is_dirty = true;
        Ok(true)
    }

    /// Does not merge a file until it changes. A claimed file gets its old name back, if that is free.
    fn leave(&mut self, path: &Path, stamp: &Stamp, why: Option<String>) {
        let old = original(path);
        // A claimed file that is in the sum with other content keeps the claimed name: under the old one it would be merged as new.
        let may_go = is_own(name(path), self.known.watcher) && !self.known.has_path(path);
        let is_back = may_go && self.rename(path, stamp, &old).is_ok_and(|is_back| is_back);
        let path = if is_back { &old } else { path };
        // The names of inputs in errors begin with that of the file.
        let prefix = format!("{}: ", self.shown(&old));
        let why = why.map(|why| why.strip_prefix(&prefix).map_or(why.clone(), str::to_owned));
        if let Some(why) = &why {
            self.voice.warn(format!("{}: {why}\n  it is not merged, and stays", self.shown(path)));
        }
        self.left.insert(path.to_owned(), (*stamp, why));
    }

    /// Removes a file that was taken away, and is in the output. Returns the directory from which it was removed.
    fn remove<'p>(&mut self, path: &'p Path, stamp: &Stamp) -> Option<&'p Path> {
        if !is_own(name(path), self.known.watcher) || !self.known.has(path, stamp) {
            return None;
        }
        let removed = self.folder.remove(path, stamp).unwrap_or_else(|error| {
            self.problem(path, format!("is merged, and cannot be removed: {error}"));
            false
        });
        removed.then_some(parent(path))
    }

    /// Publishes what is new. Returns whether the output has everything.
    fn try_publish(&mut self) -> bool {
        let result = self.publish();
        if let Err(error) = &result {
            self.voice.warn(format!(
                "the result cannot be written: {error:#}; no input is removed, and the next round tries again"
            ));
        }
        result.is_ok()
    }

    /// Publishes what is new. Errors: the output cannot be written.
    fn publish(&mut self) -> Result<()> {
        if !self.is_dirty {
            return Ok(());
        }
        // Renames reach the disk before the list that has them: after a crash of the machine the names must agree with it.
        std::mem::take(&mut self.touched).iter().for_each(|place| self.folder.sync(place));
        let inputs = self.total.inputs();
        self.total = self.sum.condense(ALL).total;
        let mut bytes = Vec::new();
        self.sum.write_with_note(&serde_json::to_vec(&self.known)?, &mut bytes).context("the sum cannot be stored")?;
        self.output.publish(&bytes)?;
        self.is_dirty = false;
        if let new @ 1.. = self.total.inputs() - inputs {
            self.voice.note(&format!("{} merged; {}", exact(new), self.total));
        }
        Ok(())
    }

    /// Writes the report, if it has changed.
    fn tell(&mut self) {
        let left = self.left.iter().filter_map(|(path, (_, why))| Some((path, why.as_ref()?)));
        let problems =
            left.chain(&self.problems).map(|(path, text)| Problem { input: self.shown(path), text: text.clone() });
        let LossAccount { bytes, functions, counts, .. } = self.total;
        let totals = Totals { inputs: self.total.inputs(), bytes, functions, counts };
        let report = Report { totals, waiting: self.waiting as u64, problems: problems.collect() };
        let json = json("profrt-watch-2", u8::from(!report.problems.is_empty()), &report).unwrap_or_default();
        if let Some(report) = self.report.as_ref().filter(|_| json != self.last_report) {
            match report.publish(json.as_bytes()) {
                Ok(()) => self.last_report = json,
                Err(error) => self.voice.warn(format!("no report: {error:#}")),
            }
        }
    }

    /// Says that something could not be done. It is tried again.
    fn problem(&mut self, path: &Path, text: String) {
        self.voice.warn(format!("{}: {text}", self.shown(path)));
        self.problems.insert(path.to_owned(), text);
    }

    /// Returns a path as messages have it.
    fn shown(&self, path: &Path) -> String {
        display(&self.options.directory.join(path))
    }
}
