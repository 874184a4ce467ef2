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
use profdata::read::detect::Archive;
use profdata::read::{Detected, detect};

use super::budget::{Allowance, Budget, Counted, Packed};
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
}

impl Limits {
    const USUAL: Limits = Limits { largest: 1 << 30, small: 4 << 30, expansion: 1100 };
}

/// Archives in each other: `a.tar.zst` is two.
const DEEPEST: usize = 4;

/// Bytes of the headers of one member of a tar archive.
const HEADERS: u64 = 1 << 20;

/// Bytes by which the format of a file is known.
const HEAD: usize = 512;

/// What an archive has.
pub(super) enum Found {
    /// A profile, or what counts as one.
    Member {
        name: String,
        bytes: Vec<u8>,
        /// Why its end is missing.
        damage: Option<Error>,
    },
    /// A member that is no profile.
    Ignored(String),
}

/// Why an archive is not read further.
pub(super) enum Stop {
    /// Nobody wants more.
    Unwanted,
    Failed(Error),
}

/// Reads one file or pipe, which may be an archive.
pub(super) struct Unpacker<'a> {
    packed: Arc<Packed>,
    /// Bytes that decompression gave.
    expanded: Rc<Cell<u64>>,
    limits: Limits,
    /// Takes what is found. Returns whether there should be more.
    take: &'a mut dyn FnMut(Found) -> bool,
}

/// Returns whether a file may be an archive; its first bytes decide.
pub(super) fn may_be_packed(head: &[u8]) -> bool {
    matches!(detect(head), Some(Detected::Archive(_)))
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
            take,
        }
    }

    /// Reads a file that can be read from any place.
    pub(super) fn file(&mut self, name: &str, mut file: File) -> Result<(), Stop> {
        let failed = |error| Stop::Failed(unreadable(&error));
        let head = head(&mut file).map_err(failed)?;
        file.rewind().map_err(failed)?;
        if detect(&head) == Some(Detected::Archive(Archive::Zip)) {
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
        let head = match head(reader) {
            Ok(head) => head,
            // What comes before the damage is too short for a profile.
            Err(error) => return Err(Stop::Failed(unreadable(&error))),
        };
        let detected = detect(&head);
        let mut reader = Cursor::new(&head).chain(reader);
        if let Some(Detected::Archive(archive)) = detected {
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
                    damage.map_or(Ok(()), |error| Err(Stop::Failed(error)))?;
                    self.zip(name, Cursor::new(bytes), depth + 1)
                }
            };
        }
        let is_profile = is_profile_name(name.as_bytes())
            || matches!(detected, Some(Detected::Raw(_) | Detected::Indexed | Detected::Partial));
        if inside && !is_profile {
            io::copy(&mut reader, &mut io::sink()).map_err(|error| Stop::Failed(unreadable(&error)))?;
            return self.found(Found::Ignored(name.to_owned()));
        }
        let (bytes, damage) = read_member(&mut reader, self.limits.largest);
        self.found(Found::Member { name: name.to_owned(), bytes, damage })
    }

    fn tar(&mut self, name: &str, reader: &mut dyn Read, depth: usize) -> Result<(), Stop> {
        // The library reads long names to memory, whatever length they claim.
        let allowance = Allowance::new(HEADERS);
        let message = "the headers of a member have more than 1 MiB";
        let budget = Budget { source: reader, allowance: allowance.clone(), message };
        let mut archive = tar::Archive::new(budget);
        let failed = |error: io::Error| {
            // The library has no kind of its own for an archive that is cut.
            let ended = allowance.has_ended();
            let error = if ended { io::Error::new(io::ErrorKind::UnexpectedEof, error) } else { error };
            Stop::Failed(unreadable(&error).in_input(name))
        };
        for entry in archive.entries().map_err(failed)? {
            let mut entry = entry.map_err(failed)?;
            allowance.set(u64::MAX);
            let kind = entry.header().entry_type();
            let is_file = kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse();
            if is_file {
                let member = format!("{name}:{}", printable(&String::from_utf8_lossy(&entry.path_bytes())));
                match self.stream(&member, &mut BufReader::new(&mut entry), depth, true) {
                    // Damage of one member; of the archive itself if the next one cannot be read either.
                    Err(Stop::Failed(error)) if self.may_expand() => {
                        self.found(Found::Member { name: member, bytes: Vec::new(), damage: Some(error) })?;
                    }
                    result => result?,
                }
            }
            // The zeros of a sparse file are not in the archive, and there may be any number of them.
            let rest = if kind.is_gnu_sparse() { entry.header().entry_size().unwrap_or(0) } else { 0 };
            if !kind.is_gnu_sparse() {
                io::copy(&mut entry, &mut io::sink()).map_err(failed)?;
            }
            allowance.set(rest.saturating_add(HEADERS));
        }
        Ok(())
    }

    fn zip(&mut self, name: &str, file: impl Read + Seek, depth: usize) -> Result<(), Stop> {
        let failed = |error: zip::result::ZipError| {
            let error = Error::new(ErrorKind::UncompressFailed, "archive").found(format_args!("zip: {error}"));
            Stop::Failed(error.in_input(name))
        };
        let mut archive = zip::ZipArchive::new(file).map_err(failed)?;
        for index in 0..archive.len() {
            let own = archive.name_for_index(index).and_then(Result::ok).map_or("?".into(), |name| name.into_owned());
            let member = format!("{name}:{}", printable(&own));
            let entry = match archive.by_index(index) {
                Ok(entry) => entry,
                // A member that is encrypted, or compressed by another method; those after it may be readable.
                Err(error) => {
                    let Stop::Failed(error) = failed(error) else { continue };
                    self.found(Found::Member { name: member, bytes: Vec::new(), damage: Some(error) })?;
                    continue;
                }
            };
            if !entry.is_file() {
                continue;
            }
            let mut reader = self.expanding(entry);
            match self.stream(&member, &mut reader, depth, true) {
                // Damage of one member; those after it have places of their own.
                Err(Stop::Failed(error)) if self.may_expand() => {
                    self.found(Found::Member { name: member, bytes: Vec::new(), damage: Some(error) })?;
                }
                result => result?,
            }
        }
        Ok(())
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
    Error::new(kind, "archive").found(error)
}

#[cfg(test)]
mod tests;
