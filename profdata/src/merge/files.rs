//! Merges files, by several threads.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::counters::Sharing;
use super::{MergeOptions, Merger};
use crate::error::{Error, ErrorKind};
use crate::finding::Outcome;

/// A file to merge.
#[derive(Clone, Debug)]
pub struct FileInput {
    /// Path; `-` has no special meaning.
    pub path: PathBuf,
    /// How often its counts count.
    pub weight: u64,
}

/// Merges files with `threads` threads (at least one). Calls `progress` after each file with its path and what became of it, from any thread.
/// Neither the profile nor the report depends on the number of threads.
///
/// A file that cannot be read, or of which something is lost, is in the report of [`Merger::finish`].
///
/// Errors: [`ErrorKind::Incompatible`]: files of different kinds. [`ErrorKind::TooLarge`]: there are 2^32 names.
///
/// ```
/// use profdata::merge::{FileInput, MergeOptions, merge_files};
///
/// let files = ["web-1", "web-2"].map(|name| FileInput { path: format!("examples/night/{name}.proftext").into(), weight: 1 });
/// let merger = merge_files(&files, 2, &MergeOptions::default(), &|path, outcome| println!("{path:?}: {outcome:?}"))?;
/// let (profile, report) = merger.finish()?;
/// assert_eq!((profile.len(), report.total.functions, report.findings.len()), (4, 6, 0));
/// # Ok::<(), profdata::Error>(())
/// ```
pub fn merge_files(
    files: &[FileInput],
    threads: usize,
    options: &MergeOptions,
    progress: &(dyn Fn(&Path, Outcome) + Sync),
) -> Result<Merger, Error> {
    let next = AtomicUsize::new(0);
    let add = |merger: &mut Merger, bytes: &mut Vec<u8>| {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(file) = files.get(number) else { return Ok(false) };
        merger.number_next(u32::try_from(number).unwrap_or(u32::MAX));
        let name = file.path.to_string_lossy();
        let outcome = match read_file(&file.path, bytes) {
            Ok(()) => merger.add_bytes(&name, file.weight, bytes)?,
            Err(error) => {
                let error = Error::new(ErrorKind::Io, "file").found(error);
                merger.input(name, file.weight).finish(0, Err(error))?
            }
        };
        progress(&file.path, outcome);
        Ok(true)
    };
    merge_parallel(threads.min(files.len()), options, &add)
}

/// The most threads of a merge.
pub const MAX_THREADS: usize = 256;

/// Merges inputs of any source with `threads` threads (at least one, at most [`MAX_THREADS`]; fewer where the system has no more). Each thread
/// has a merger and a buffer, and calls `add` with them until
/// it returns false or an error. `add` takes the next input, gives it a number of its own by [`Merger::number_next`], and adds it. The result
/// does not depend on which thread adds which input.
///
/// Errors: those of `add`, and [`ErrorKind::Incompatible`]: threads have added inputs of different kinds.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// use profdata::merge::{MergeOptions, merge_parallel};
///
/// let (inputs, next) = (["main\n7\n1\n5\n", "main\n7\n1\n6\n"], AtomicU32::new(0));
/// let merger = merge_parallel(2, &MergeOptions::default(), &|merger, _buffer| {
///     let number = next.fetch_add(1, Ordering::Relaxed);
///     let Some(input) = inputs.get(number as usize) else { return Ok(false) };
///     merger.number_next(number);
///     merger.add_bytes("generated", 1, input.as_bytes()).map(|_| true)
/// })?;
/// assert_eq!(merger.finish()?.0.record(0).unwrap().counters, [11]);
/// # Ok::<(), profdata::Error>(())
/// ```
pub fn merge_parallel(
    threads: usize,
    options: &MergeOptions,
    add: &(impl Fn(&mut Merger, &mut Vec<u8>) -> Result<bool, Error> + Sync),
) -> Result<Merger, Error> {
    let stop = AtomicBool::new(false);
    let sharing = if threads > 1 { Sharing::new() } else { Sharing::default() };
    let work = || {
        let mut merger = Merger { sharing: sharing.clone(), ..Merger::new(options.clone()) };
        let mut buffer = Vec::new();
        loop {
            if stop.load(Ordering::Relaxed) || !add(&mut merger, &mut buffer)? {
                return Ok(merger);
            }
        }
    };
    if threads <= 1 {
        return work();
    }
    let done: Mutex<Option<Merger>> = Mutex::new(None);
    let run = || {
        let mut merger = work().inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
        loop {
            let other = {
                let mut done = done.lock().unwrap_or_else(|poison| poison.into_inner());
                match done.take() {
                    Some(other) => other,
                    None => {
                        *done = Some(merger);
                        return Ok(());
                    }
                }
            };
            merger.absorb_numbered(other, |id| id)?;
        }
    };
    let results: Vec<Result<(), Error>> = std::thread::scope(|scope| {
        // With fewer threads where the system has no more: this one works too.
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, run).ok();
        let workers: Vec<_> = (1..threads.min(MAX_THREADS)).map_while(spawn).collect();
        let mine = run();
        let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        std::iter::once(mine).chain(workers.into_iter().map(join)).collect()
    });
    results.into_iter().collect::<Result<(), Error>>()?;
    let merger = done.into_inner().unwrap_or_else(|poison| poison.into_inner());
    Ok(merger.unwrap_or_else(|| Merger::new(options.clone())))
}

/// Reads a whole file into a buffer that is used again.
fn read_file(path: &Path, bytes: &mut Vec<u8>) -> io::Result<()> {
    bytes.clear();
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    bytes.try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX).saturating_add(1))?;
    file.read_to_end(bytes)?;
    Ok(())
}
