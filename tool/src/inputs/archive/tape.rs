//! Tar archives: of any form, joined, torn.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::{self, BufReader, Cursor, Read};

use profdata::error::{Error, ErrorKind};
use profdata::read::{Detected, detect};

use super::{Found, LISTED, Stop, Unpacker, unreadable};
use crate::inputs::budget::{Allowance, Budget};
use crate::inputs::expand::is_profile_name;
use crate::inputs::printable_bytes;

/// Bytes of the headers of one member.
const HEADERS: u64 = 1 << 20;

/// Bytes of a header, and of which a member has a multiple.
const BLOCK: usize = 512;

/// Blocks of zeros after the last member.
const END: u64 = 2;

/// Returns whether a file is a tar archive of the oldest form, which has no magic number: by the checksum of its first header.
pub(super) fn is_oldest(head: &[u8]) -> bool {
    let is_other = !matches!(detect(head), None | Some(Detected::Text));
    let Some(block) = head.first_chunk::<BLOCK>().filter(|block| block[0] != 0 && !is_other) else { return false };
    let sum = |bytes: &[u8]| bytes.iter().map(|byte| u32::from(*byte)).sum::<u32>();
    // The checksum itself counts as eight spaces.
    let computed = sum(&block[..148]) + sum(&block[156..]) + 8 * u32::from(b' ');
    tar::Header::from_byte_slice(block).cksum().is_ok_and(|stored| stored == computed)
}

/// The members of an archive that links may name.
struct Seen {
    /// Names take memory, and an archive may have any number of them.
    hasher: RandomState,
    /// By the hash of the name: whether it was taken for a profile, and in which of the joined archives.
    members: HashMap<u64, (bool, u32)>,
    /// The archive that is read, of those that are joined.
    joined: u32,
}

impl Seen {
    fn key(&self, path: &[u8]) -> u64 {
        let mut path = path;
        while let Some(rest) = path.strip_prefix(b"./") {
            path = rest;
        }
        self.hasher.hash_one(path)
    }
}

impl Unpacker<'_> {
    /// Reads archives up to the end of the stream: another archive may follow the end of the first, as `cat` joins them.
    pub(super) fn tar(&mut self, name: &str, reader: &mut dyn Read, depth: usize) -> Result<(), Stop> {
        let failed = |error: io::Error| Stop::Failed(unreadable(&error).in_input(name));
        let mut seen = Seen { hasher: RandomState::new(), members: HashMap::new(), joined: 0 };
        let (mut reader, mut first, mut damage) = (reader, Vec::new(), None);
        loop {
            let has_end;
            (reader, has_end) = self.one_tar(name, first, reader, depth, &mut seen)?;
            seen.joined += 1;
            let mut zeros = u64::from(has_end);
            first = loop {
                let mut block = Vec::with_capacity(BLOCK);
                Read::take(&mut reader, BLOCK as u64).read_to_end(&mut block).map_err(failed)?;
                match block.len() {
                    _ if block.iter().any(|byte| *byte != 0) => break block,
                    BLOCK => zeros += 1,
                    _ => break Vec::new(),
                }
            };
            if zeros < END && damage.is_none() {
                let error = Error::new(ErrorKind::Truncated, "end of the archive").expected("two blocks of zeros");
                damage = Some(error.in_input(name));
            }
            if first.is_empty() {
                return damage.map_or(Ok(()), |error| Err(Stop::Failed(error)));
            }
        }
    }

    /// Reads members up to the first block of zeros, and returns whether there is one. `first`: what was read before `reader`.
    fn one_tar<'r>(
        &mut self,
        name: &str,
        first: Vec<u8>,
        reader: &'r mut dyn Read,
        depth: usize,
        seen: &mut Seen,
    ) -> Result<(&'r mut dyn Read, bool), Stop> {
        // The library reads long names to memory, whatever length they claim.
        let allowance = Allowance::new(HEADERS);
        let message = "the headers of a member have more than 1 MiB";
        let source = Cursor::new(first).chain(reader);
        let mut archive = tar::Archive::new(Budget { source, allowance: allowance.clone(), message });
        let failed = |error: io::Error| {
            // The library has no kind of its own for an archive that is cut.
            let ended = allowance.has_ended();
            let error = if ended { io::Error::new(io::ErrorKind::UnexpectedEof, error) } else { error };
            Stop::Failed(unreadable(&error).in_input(name))
        };
        for entry in archive.entries().map_err(failed)? {
            let mut entry = entry.map_err(failed)?;
            allowance.set(u64::MAX);
            let (sparse, pax_size) = extensions(&mut entry);
            let is_sparse = entry.header().entry_type().is_gnu_sparse();
            // The zeros of a sparse file are not in the archive.
            let in_header = entry.header().entry_size().unwrap_or(0);
            let stored = if is_sparse { pax_size.unwrap_or(in_header) } else { entry.size() };
            self.entry(name, &mut entry, sparse, depth, seen)?;
            // The library skips the rest before it reads the next header.
            let rest = stored.saturating_sub(u64::MAX - allowance.left());
            allowance.set(rest.saturating_add(BLOCK as u64).saturating_add(HEADERS));
        }
        Ok((archive.into_inner().source.into_inner().1, !allowance.has_ended()))
    }

    fn entry<R: Read>(
        &mut self,
        name: &str,
        entry: &mut tar::Entry<'_, R>,
        sparse: Option<Vec<u8>>,
        depth: usize,
        seen: &mut Seen,
    ) -> Result<(), Stop> {
        let kind = entry.header().entry_type();
        let path = sparse.clone().filter(|path| !path.is_empty()).unwrap_or_else(|| entry.path_bytes().into_owned());
        let member = format!("{name}:{}", printable_bytes(&path));
        let is_file = kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse();
        // The oldest form has no kind for directories.
        if kind.is_dir() || kind.is_pax_global_extensions() || (is_file && path.ends_with(b"/")) {
            return Ok(());
        }
        if kind.is_hard_link() || kind.is_symlink() {
            let target = entry.link_name_bytes().unwrap_or_default().into_owned();
            return self.link(name, member, &path, &target, kind.is_hard_link(), seen);
        }
        if !is_file {
            return self.found(Found::Ignored(format!("{member} (no regular file)")));
        }
        let (before, repeated) = (self.members, member.clone());
        if sparse.is_some() {
            self.sparse(member, &path)?;
        } else {
            let size = entry.size();
            let reader = Exact { source: &mut *entry, left: size };
            let result = if kind.is_gnu_sparse() {
                // Zeros that take no place count as if they were decompressed.
                let mut reader = self.expanding(reader);
                self.stream(&member, &mut reader, depth, true)
            } else {
                self.stream(&member, &mut BufReader::new(reader), depth, true)
            };
            self.or_damaged(member, result)?;
        }
        let (key, is_profile) = (seen.key(&path), self.members > before);
        // One that is not named is not remembered either.
        if !is_profile && self.ignored > LISTED {
            return Ok(());
        }
        match seen.members.insert(key, (is_profile, seen.joined)) {
            Some((true, joined)) if is_profile && joined == seen.joined => self.found(Found::Repeated(repeated)),
            _ => Ok(()),
        }
    }

    /// A member whose map is in its contents, after `tar --sparse --format=posix`.
    fn sparse(&mut self, member: String, path: &[u8]) -> Result<(), Stop> {
        if !is_profile_name(path) {
            return self.found(Found::Ignored(format!("{member} (sparse)")));
        }
        let error = Error::new(ErrorKind::Unrecognized, "sparse member")
            .expected("the whole file, or the form of tar --sparse --format=gnu")
            .found("the form of tar --sparse --format=posix");
        self.found(Found::Member { name: member, bytes: Vec::new(), damage: Some(error) })
    }

    fn link(
        &mut self,
        archive: &str,
        member: String,
        path: &[u8],
        target: &[u8],
        is_hard: bool,
        seen: &mut Seen,
    ) -> Result<(), Stop> {
        let shown = printable_bytes(target);
        if !is_hard {
            return self.found(Found::Ignored(format!("{member} (a link to {shown})")));
        }
        let of_target = seen.members.get(&seen.key(target)).map(|(is_profile, _)| *is_profile);
        let key = seen.key(path);
        if of_target == Some(true) || self.ignored <= LISTED {
            seen.members.insert(key, (of_target == Some(true), seen.joined));
        }
        match of_target {
            Some(true) => self.found(Found::Duplicate { name: member, same_as: format!("{archive}:{shown}") }),
            _ if !is_profile_name(path) => self.found(Found::Ignored(format!("{member} (a hard link to {shown})"))),
            found => {
                let why =
                    if found.is_some() { "which has not the name of a profile" } else { "which is not before it" };
                let error = Error::new(ErrorKind::Malformed, "hard link")
                    .expected("a profile in the archive")
                    .found(format_args!("{shown}, {why}"));
                self.found(Found::Member { name: member, bytes: Vec::new(), damage: Some(error) })
            }
        }
    }
}

/// Returns the name of a sparse file whose map is in its contents, and the size in the archive where an extension has it.
fn extensions<R: Read>(entry: &mut tar::Entry<'_, R>) -> (Option<Vec<u8>>, Option<u64>) {
    let (mut sparse, mut size) = (None, None);
    if !entry.header().entry_type().is_pax_global_extensions()
        && let Ok(Some(extensions)) = entry.pax_extensions()
    {
        for extension in extensions.filter_map(Result::ok) {
            match extension.key_bytes() {
                b"GNU.sparse.name" => sparse = Some(extension.value_bytes().to_vec()),
                // The library takes the first one.
                b"size" => _ = size.get_or_insert(extension.value().ok().and_then(|value| value.parse().ok())),
                key if key.starts_with(b"GNU.sparse.") => sparse = sparse.or(Some(Vec::new())),
                _ => {}
            }
        }
    }
    (sparse, size.flatten())
}

/// Reads a member, whose size is known: the library takes a cut for its end.
struct Exact<R> {
    source: R,
    left: u64,
}

impl<R: Read> Read for Exact<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        if read == 0 && !buffer.is_empty() && self.left > 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the archive ends in this member"));
        }
        self.left = self.left.saturating_sub(read as u64);
        Ok(read)
    }
}
