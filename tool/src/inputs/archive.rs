//! Archives and compressed files, member by member, in the order in which they are stored. Nothing is written to the disk.
//!
//! A hostile archive takes neither all memory nor hours: members and all that an archive expands to have
//! [`Limits`], archives are in each other at most [`DEEPEST`] times, and headers are small. Names are only shown.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use profdata::error::{Error, ErrorKind};
use profdata::read::detect::{Archive, Detected, detect};

use super::budget::{Counted, Packed};
use super::expand::is_profile_name;
use super::{printable, zstd};

/// What an archive may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Bytes of the largest member, and of the largest input from a pipe.
    largest: u64,
    /// An archive may expand to this many bytes, and to `expansion` times its size more.
    small: u64,
    expansion: u64,
    /// An archive may have this many members, and one more for each [`MEMBER`] bytes of its size.
    members: u64,
}

impl Limits {
    const USUAL: Limits = Limits { largest: 1 << 30, small: 4 << 30, expansion: 1100, members: 1 << 16 };
}

/// Bytes that a member takes in an archive at least, where there are many.
const MEMBER: u64 = 64;

/// Archives in each other: `a.tar.zst` is two.
const DEEPEST: usize = 4;

/// Bytes by which the format of a file is known.
const HEAD: usize = 512;

/// What an archive has.
pub(crate) enum Found {
    /// A profile, or what counts as one.
    Member {
        name: String,
        bytes: Vec<u8>,
        /// Why its end is missing.
        damage: Option<Error>,
    },
    /// A member that is no profile: its name, and in brackets why if that is not plain.
    Ignored(String),
}

/// Why an archive is not read further.
pub(super) enum Stop {
    /// The consumer wants no more members.
    Unwanted,
    Failed(Error),
}

/// Reads one file or pipe, which may be an archive.
pub(super) struct Unpacker<'a> {
    packed: Arc<Packed>,
    /// Bytes that decompression gave.
    expanded: Rc<Cell<u64>>,
    limits: Limits,
    /// Members that were found.
    members: u64,
    /// Takes what is found. Returns whether there should be more.
    take: &'a mut dyn FnMut(Found) -> bool,
}

/// Hands out what an archive in memory has. Returns why it cannot be read further.
pub(crate) fn unpack(name: &str, bytes: &[u8], take: &mut dyn FnMut(Found)) -> Option<Error> {
    let mut take = |found| {
        take(found);
        true
    };
    match Unpacker::new(Arc::default(), &mut take).pipe(name, bytes) {
        Err(Stop::Failed(error)) => Some(error),
        _ => None,
    }
}

/// Returns what kind of archive a file is; its first bytes decide.
pub(super) fn packed(head: &[u8]) -> Option<Archive> {
    if let Some(Detected::Archive(archive)) = detect(head) { Some(archive) } else { None }
}

/// Returns the first bytes of a stream.
pub(super) fn head(reader: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    reader.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

impl<'a> Unpacker<'a> {
    /// Adds the bytes that are read of the file to `all`.
    pub(super) fn new(all: Arc<AtomicU64>, take: &'a mut dyn FnMut(Found) -> bool) -> Unpacker<'a> {
        Unpacker {
            packed: Arc::new(Packed { all, ..Packed::default() }),
            expanded: Rc::default(),
            limits: Limits::USUAL,
            members: 0,
            take,
        }
    }

    /// Reads a file that can be read from any place.
    pub(super) fn file(&mut self, name: &str, mut file: File) -> Result<(), Stop> {
        let failed = |error| Stop::Failed(unreadable(&error));
        let head = head(&mut file).map_err(failed)?;
        file.rewind().map_err(failed)?;
        if packed(&head) == Some(Archive::Zip) {
            let size = file.metadata().map_err(failed)?.len();
            self.packed.add(size);
            return self.zip(name, BufReader::new(file), 1);
        }
        self.pipe(name, file)
    }

    /// Reads a stream.
    pub(super) fn pipe(&mut self, name: &str, stream: impl Read) -> Result<(), Stop> {
        let counted = Counted { source: stream, packed: self.packed.clone() };
        self.stream(name, &mut BufReader::with_capacity(1 << 16, counted), 0, false)
    }

    /// Reads a member, or the whole. `inside`: of an archive, where not everything is meant to be a profile.
    fn stream(&mut self, name: &str, reader: &mut dyn BufRead, depth: usize, inside: bool) -> Result<(), Stop> {
        let mut head = Vec::new();
        let failure = reader.take(HEAD as u64).read_to_end(&mut head).err();
        let mut reader = Cursor::new(&head).chain(BufReader::with_capacity(1, Failing(failure))).chain(reader);
        if let Some(archive) = packed(&head) {
            if depth == DEEPEST {
                return Err(Stop::Failed(
                    Error::new(ErrorKind::TooLarge, "archive")
                        .expected(format_args!("at most {DEEPEST} archives in each other")),
                ));
            }
            return match archive {
                Archive::Gzip => {
                    let mut reader = self.expanding(MultiGzDecoder::new(reader));
                    self.stream(name, &mut reader, depth + 1, inside)
                }
                Archive::Zstd => {
                    let mut reader = self.expanding(zstd::Decoder::new(reader));
                    self.stream(name, &mut reader, depth + 1, inside)
                }
                Archive::Tar => self.tar(name, &mut reader, depth + 1),
                _ => {
                    let (bytes, damage) = read_member(&mut reader, self.limits.largest);
                    let result = if bytes.is_empty() { Ok(()) } else { self.zip(name, Cursor::new(bytes), depth + 1) };
                    match (damage, result) {
                        (Some(error), Ok(()) | Err(Stop::Failed(_))) => Err(Stop::Failed(error)),
                        (_, result) => result,
                    }
                }
            };
        }
        let is_profile = is_profile_name(name.as_bytes())
            || matches!(detect(&head), Some(Detected::Raw(_) | Detected::Indexed | Detected::Partial));
        if inside && !is_profile {
            // The enclosing archive reader skips the rest, without the zeros of sparse files.
            return self.found(Found::Ignored(name.to_owned()));
        }
        let (bytes, damage) = read_member(&mut reader, self.limits.largest);
        self.found(Found::Member { name: name.to_owned(), bytes, damage })
    }

    /// Hands out a member that cannot be read as one that is damaged, where its archive can be read on.
    fn or_damaged(&mut self, member: String, result: Result<(), Stop>) -> Result<(), Stop> {
        match result {
            // Damage of one member; of the archive itself if the next one cannot be read either.
            Err(Stop::Failed(error)) if self.may_expand() => {
                self.found(Found::Member { name: member, bytes: Vec::new(), damage: Some(error) })
            }
            result => result,
        }
    }

    /// Returns a reader of what a decompressor gives, within the bounds.
    fn expanding<R: Read>(&self, source: R) -> BufReader<Expanding<R>> {
        let expanding =
            Expanding { source, packed: self.packed.clone(), expanded: self.expanded.clone(), limits: self.limits };
        BufReader::with_capacity(1 << 16, expanding)
    }

    fn may_expand(&self) -> bool {
        self.expanded.get() <= self.limits.bound(&self.packed)
    }

    fn found(&mut self, found: Found) -> Result<(), Stop> {
        self.members += 1;
        let most = self.limits.members.saturating_add(self.packed.own.load(Ordering::Relaxed) / MEMBER);
        if self.members > most {
            let expected = format!("at most {most} members, as its size lets expect; those before count");
            return Err(Stop::Failed(Error::new(ErrorKind::TooLarge, "archive").expected(expected)));
        }
        if (self.take)(found) { Ok(()) } else { Err(Stop::Unwanted) }
    }
}

impl Limits {
    /// Returns to how many bytes an archive may expand, of which so many were read.
    fn bound(self, packed: &Packed) -> u64 {
        packed.own.load(Ordering::Relaxed).saturating_mul(self.expansion).saturating_add(self.small)
    }
}

/// Counts what a decompressor gives, and fails when it is too much.
struct Expanding<R> {
    source: R,
    packed: Arc<Packed>,
    expanded: Rc<Cell<u64>>,
    limits: Limits,
}

impl<R: Read> Read for Expanding<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.expanded.set(self.expanded.get().saturating_add(read as u64));
        if self.expanded.get() > self.limits.bound(&self.packed) {
            return Err(io::Error::other(format!(
                "it expands to more than {} times its size; if it is no hostile one, unpack it first",
                self.limits.expansion
            )));
        }
        Ok(read)
    }
}

/// Reads a member; when it cannot be read to its end, what comes before the damage.
fn read_member(reader: &mut dyn Read, largest: u64) -> (Vec<u8>, Option<Error>) {
    let mut bytes = Vec::new();
    match reader.take(largest + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > largest => {
            let error = Error::new(ErrorKind::TooLarge, "archive member")
                .expected(format_args!("at most {largest} bytes; give larger profiles as files"));
            (Vec::new(), Some(error))
        }
        Ok(_) => (bytes, None),
        Err(error) => (bytes, Some(unreadable(&error))),
    }
}

/// Returns what an error of a decompressor or of the system means.
fn unreadable(error: &io::Error) -> Error {
    let kind = match error.kind() {
        io::ErrorKind::UnexpectedEof => ErrorKind::Truncated,
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other => ErrorKind::UncompressFailed,
        _ => ErrorKind::Io,
    };
    // Libraries have names of members in their errors.
    Error::new(kind, "archive").found(printable(&error.to_string()))
}

/// Fails once, if there is an error.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

mod tape;
#[cfg(test)]
mod tests;
mod zipped;
