//! Hands out profiles one by one.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use profdata::error::{Error, ErrorKind};

use super::archive::{Found, Stop, Unpacker, head, packed};
use super::{Source, display, printable};

/// A profile, or what was taken for one.
#[derive(Debug)]
pub struct Item {
    /// Its place among all, from 0.
    pub number: u32,
    /// Path, and after a colon that in an archive.
    pub name: String,
    /// What it has.
    pub content: Content,
}

/// The content of an [`Item`].
#[derive(Debug)]
pub enum Content {
    /// That of a file, which has not been read.
    File {
        /// Path of the file.
        path: PathBuf,
    },
    /// That of an archive member or a pipe.
    Bytes {
        /// All bytes, or those before the damage.
        bytes: Vec<u8>,
        /// Why the rest is missing.
        damage: Option<Error>,
    },
    /// It cannot be read, or it is an archive that is damaged after the members that came before.
    Unreadable(Error),
}

/// Hands out the profiles of sources, in their order.
pub struct Feed<'a> {
    state: Mutex<State<'a>>,
    /// Bytes that were read of archives and pipes.
    read: Arc<AtomicU64>,
}

struct State<'a> {
    sources: std::slice::Iter<'a, Source>,
    next: u32,
    archive: Option<Receiver<Message>>,
    ignored: Vec<String>,
}

/// What the thread of an archive sends.
enum Message {
    Found(Found),
    Failed(String, Error),
}

impl<'a> Feed<'a> {
    /// Returns a feed of these sources.
    pub fn new(sources: &'a [Source]) -> Feed<'a> {
        let state = State { sources: sources.iter(), next: 0, archive: None, ignored: Vec::new() };
        Feed { state: Mutex::new(state), read: Arc::default() }
    }

    /// Returns the next profile.
    pub fn next(&self) -> Option<Item> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (name, content) = state.next(&self.read)?;
        let number = state.next;
        state.next = number.saturating_add(1);
        Some(Item { number, name, content })
    }

    /// Returns the members of archives so far that are no profiles.
    pub fn take_ignored(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner).ignored)
    }

    /// Returns the number of bytes that were read of archives and pipes, as it changes.
    pub fn packed_bytes(&self) -> Arc<AtomicU64> {
        self.read.clone()
    }
}

impl State<'_> {
    fn next(&mut self, read: &Arc<AtomicU64>) -> Option<(String, Content)> {
        loop {
            if let Some(archive) = &self.archive {
                match archive.recv() {
                    Ok(Message::Found(Found::Member { name, bytes, damage })) => {
                        return Some((name, Content::Bytes { bytes, damage }));
                    }
                    Ok(Message::Found(Found::Ignored(name))) => self.ignored.push(name),
                    Ok(Message::Failed(name, error)) => return Some((name, Content::Unreadable(error))),
                    Err(_) => self.archive = None,
                }
                continue;
            }
            let source = self.sources.next()?;
            match source {
                Source::Stdin => self.archive = Some(unpack("-".to_owned(), read.clone(), None)),
                Source::Unreadable { path, error } => {
                    let error = Error::new(ErrorKind::Io, "file").found(printable(error));
                    return Some((display(path), Content::Unreadable(error)));
                }
                Source::File { path, .. } => match open(path) {
                    Ok(None) => return Some((display(path), Content::File { path: path.clone() })),
                    Ok(Some(file)) => self.archive = Some(unpack(display(path), read.clone(), Some(file))),
                    Err(error) => {
                        let error = Error::new(ErrorKind::Io, "file").found(error);
                        return Some((display(path), Content::Unreadable(error)));
                    }
                },
            }
        }
    }
}

/// Opens a file that must be unpacked, and a pipe; `None` for a profile.
fn open(path: &Path) -> io::Result<Option<File>> {
    let is_regular = path.metadata()?.is_file();
    let mut file = File::open(path)?;
    if !is_regular {
        return Ok(Some(file));
    }
    Ok(if packed(&head(&mut file)?).is_some() { Some(File::open(path)?) } else { None })
}

/// Starts a thread that reads a file, or standard input. It waits after each member until that is taken.
fn unpack(name: String, read: Arc<AtomicU64>, file: Option<File>) -> Receiver<Message> {
    let (sender, receiver) = sync_channel(1);
    std::thread::spawn(move || {
        let mut take = |found| sender.send(Message::Found(found)).is_ok();
        let mut unpacker = Unpacker::new(read, &mut take);
        let result = match file {
            Some(file) if file.metadata().is_ok_and(|metadata| metadata.is_file()) => unpacker.file(&name, file),
            Some(file) => unpacker.pipe(&name, file),
            None => unpacker.pipe(&name, io::stdin().lock()),
        };
        if let Err(Stop::Failed(error)) = result {
            // Nobody may be left who wants to know.
            let _ = sender.send(Message::Failed(name, error));
        }
    });
    receiver
}

/// Reads a whole file into a buffer that is used again.
///
/// Errors: [`ErrorKind::Io`].
pub fn read_whole(path: &Path, buffer: &mut Vec<u8>) -> Result<(), Error> {
    buffer.clear();
    let read = File::open(path).and_then(|mut file| {
        let size = file.metadata()?.len();
        buffer.try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX).saturating_add(1))?;
        file.read_to_end(buffer)
    });
    read.map(|_| ()).map_err(|error| Error::new(ErrorKind::Io, "file").found(error))
}
