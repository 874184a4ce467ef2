//! Zip archives: also with names that occur several times, and without their directory.

use std::collections::HashSet;
use std::io::{self, BufRead, Read, Seek, SeekFrom};

use profdata::error::{Error, ErrorKind};
use zip::read::{ZipReadOptions, read_zipfile_from_stream, read_zipfile_from_stream_with_options};
use zip::result::ZipError;

use super::{Found, Stop, Unpacker, unreadable};
use crate::inputs::{printable, printable_bytes};

/// What the directory says of a member.
struct Listed {
    name: Vec<u8>,
    crc: u32,
    compressed: u64,
    size: u64,
    /// Of its own header, from the start of the first one.
    offset: u64,
    is_link: bool,
}

impl Unpacker<'_> {
    pub(super) fn zip(&mut self, name: &str, mut file: impl Read + Seek, depth: usize) -> Result<(), Stop> {
        let mut archive = match zip::ZipArchive::new(&mut file) {
            Ok(archive) => archive,
            Err(error) => {
                self.zip_without_directory(name, &mut file, depth)?;
                let error =
                    failure(&error).expected("a directory at the end; members whose headers have their sizes count");
                return Err(Stop::Failed(error.in_input(name)));
            }
        };
        let (start, shift) = (archive.central_directory_start(), archive.offset());
        if archive.has_duplicate_names() {
            self.zip_with_equal_names(name, &mut file, start, shift, depth)?;
            return alone(name, &mut file, start, shift);
        }
        for index in 0..archive.len() {
            let own = archive.name_for_index(index).and_then(Result::ok).map_or("?".into(), |name| name.into_owned());
            let member = format!("{name}:{}", printable(&own));
            match archive.by_index(index) {
                Ok(entry) if entry.is_dir() => {}
                Ok(entry) if entry.is_symlink() => self.found(Found::Ignored(format!("{member} (a link)")))?,
                Ok(entry) => self.zip_member(member, entry, depth)?,
                // A member that is encrypted, or compressed by another method; those after it may be readable.
                Err(error) => self.or_damaged(member, Err(Stop::Failed(failure(&error))))?,
            }
        }
        alone(name, &mut file, start, shift)
    }

    fn zip_member(&mut self, member: String, entry: impl Read, depth: usize) -> Result<(), Stop> {
        let mut reader = self.expanding(entry);
        let result = self.stream(&member, &mut reader, depth, true);
        self.or_damaged(member, result)
    }

    /// Reads members one after the other, from the first byte, as far as their sizes are before them.
    fn zip_without_directory(&mut self, name: &str, mut file: impl Read + Seek, depth: usize) -> Result<(), Stop> {
        file.rewind().map_err(|error| Stop::Failed(unreadable(&error)))?;
        // An error is that of the whole archive, which the caller has.
        while let Ok(Some(entry)) = read_zipfile_from_stream(&mut file) {
            let member = format!("{name}:{}", printable_bytes(entry.name_raw()));
            if !entry.is_dir() {
                self.zip_member(member, entry, depth)?;
            }
        }
        Ok(())
    }

    /// Reads members by the directory: the library keeps the last one of each name.
    fn zip_with_equal_names(
        &mut self,
        name: &str,
        mut file: impl Read + Seek,
        start: u64,
        shift: u64,
        depth: usize,
    ) -> Result<(), Stop> {
        let failed = |error: io::Error| Stop::Failed(unreadable(&error).in_input(name));
        let bytes = file.seek(SeekFrom::End(0)).map_err(failed)?;
        file.seek(SeekFrom::Start(start)).map_err(failed)?;
        let (listed, _) = directory(&mut io::BufReader::new(&mut file)).map_err(failed)?;
        let compressed = listed.iter().fold(0u64, |sum, member| sum.saturating_add(member.compressed));
        if compressed > bytes {
            let error = Error::new(ErrorKind::Malformed, "archive").found("zip: members that share bytes");
            return Err(Stop::Failed(error.in_input(name)));
        }
        let mut names = HashSet::new();
        for listed in listed {
            let member = format!("{name}:{}", printable_bytes(&listed.name));
            let (before, repeated) = (self.members, member.clone());
            if listed.name.ends_with(b"/") {
                continue;
            }
            if listed.is_link {
                self.found(Found::Ignored(format!("{member} (a link)")))?;
                continue;
            }
            let at = shift.saturating_add(listed.offset);
            file.seek(SeekFrom::Start(at)).map_err(failed)?;
            let options = ZipReadOptions::new()
                .override_compressed_size(listed.compressed)
                .override_uncompressed_size(listed.size)
                .override_crc(listed.crc);
            match read_zipfile_from_stream_with_options(&mut file, options) {
                Ok(Some(entry)) => self.zip_member(member, entry, depth)?,
                Ok(None) => {
                    let error = Error::new(ErrorKind::Malformed, "archive").found("zip: a member without a header");
                    self.or_damaged(member, Err(Stop::Failed(error)))?;
                }
                Err(error) => self.or_damaged(member, Err(Stop::Failed(failure(&error))))?,
            }
            if self.members > before && !names.insert(listed.name) {
                self.found(Found::Repeated(repeated))?;
            }
        }
        Ok(())
    }
}

fn failure(error: &ZipError) -> Error {
    if matches!(error, ZipError::UnsupportedArchive(why) if why.contains("ncrypted") || *why == ZipError::PASSWORD_REQUIRED)
    {
        return Error::new(ErrorKind::UncompressFailed, "encrypted archive member");
    }
    let text = printable(&error.to_string());
    Error::new(ErrorKind::UncompressFailed, "archive").found(format_args!("zip: {text}"))
}

/// Checks that the archive is all that there is: the library reads the last one of those that are joined.
///
/// Errors: something is before or after the archive, which may be members.
fn alone(name: &str, mut file: impl Read + Seek, start: u64, shift: u64) -> Result<(), Stop> {
    let failed = |error: io::Error| Stop::Failed(unreadable(&error).in_input(name));
    file.seek(SeekFrom::Start(start)).map_err(failed)?;
    let place = match has_more(&mut io::BufReader::new(file)).map_err(failed)? {
        _ if shift > 0 => "before it",
        true => "after it",
        false => return Ok(()),
    };
    let error = Error::new(ErrorKind::Malformed, "archive")
        .expected("one zip archive in a file")
        .found(format_args!("zip: other bytes {place}"));
    Err(Stop::Failed(error.in_input(name)))
}

/// Returns whether anything but zeros follows an archive, whose directory comes next.
fn has_more(file: &mut impl BufRead) -> io::Result<bool> {
    let (_, mut signature) = directory(file)?;
    loop {
        let mut fixed = [0; 18];
        let skipped = match &signature {
            b"PK\x06\x06" => {
                file.read_exact(&mut fixed[..8])?;
                fixed.first_chunk().map_or(0, |size| u64::from_le_bytes(*size))
            }
            b"PK\x06\x07" => 16,
            b"PK\x05\x06" => {
                file.read_exact(&mut fixed)?;
                u64::from(u16::from_le_bytes([fixed[16], fixed[17]]))
            }
            // A record that only other tools know.
            _ => return Ok(false),
        };
        io::copy(&mut file.take(skipped), &mut io::sink())?;
        if signature == *b"PK\x05\x06" {
            break;
        }
        file.read_exact(&mut signature)?;
    }
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() || bytes.iter().any(|byte| *byte != 0) {
            return Ok(!bytes.is_empty());
        }
        let length = bytes.len();
        file.consume(length);
    }
}

/// Reads the directory. Returns its entries, and the signature of what follows it.
fn directory(file: &mut impl Read) -> io::Result<(Vec<Listed>, [u8; 4])> {
    let mut listed = Vec::new();
    loop {
        let mut fixed = [0; 46];
        let (signature, rest) = fixed.split_at_mut(4);
        file.read_exact(signature)?;
        if signature != b"PK\x01\x02" {
            return Ok((listed, [fixed[0], fixed[1], fixed[2], fixed[3]]));
        }
        file.read_exact(rest)?;
        let u16_at = |at: usize| u16::from_le_bytes([fixed[at], fixed[at + 1]]);
        let u32_at = |at: usize| u32::from(u16_at(at)) | u32::from(u16_at(at + 2)) << 16;
        let mut part = |at: usize| {
            let mut bytes = vec![0; u16_at(at).into()];
            file.read_exact(&mut bytes).map(|()| bytes)
        };
        let (name, extra, _comment) = (part(28)?, part(30)?, part(32)?);
        let mut large = large_sizes(&extra);
        let mut size = |at: usize| match u32_at(at) {
            u32::MAX => large.next().unwrap_or(u32::MAX.into()),
            small => small.into(),
        };
        // In the order in which an extra field has them.
        let (full, compressed, offset) = (size(24), size(20), size(42));
        let (is_unix, mode) = (fixed[5] == 3, u32_at(38) >> 16);
        let is_link = is_unix && mode & 0o170_000 == 0o120_000;
        listed.push(Listed { name, crc: u32_at(16), compressed, size: full, offset, is_link });
    }
}

/// Returns the numbers of the extra field for sizes above 4 GiB.
fn large_sizes(extra: &[u8]) -> impl Iterator<Item = u64> + use<> {
    let mut rest = extra;
    let mut numbers = Vec::new();
    while let Some(([a, b, c, d], after)) = rest.split_first_chunk::<4>() {
        let length = usize::from(u16::from_le_bytes([*c, *d])).min(after.len());
        let (field, next) = after.split_at(length);
        if u16::from_le_bytes([*a, *b]) == 1 {
            numbers = field.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        }
        rest = next;
    }
    numbers.into_iter()
}
