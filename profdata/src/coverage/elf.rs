//! The sections of ELF files, alone or in an archive, that coverage needs.

use object::elf::{FileHeader32, FileHeader64};
use object::read::archive::ArchiveFile;
use object::read::elf::{FileHeader, SectionHeader};
use object::{Endian as _, Endianness, FileKind, ReadRef};

use crate::error::{Error, ErrorKind};

/// The sections of one object file.
#[derive(Clone, Debug, Default)]
pub(super) struct Sections<'a> {
    /// Byte order of the numbers in the sections.
    pub(super) order: Endianness,
    /// Sections of translation units: one, in the order of the file.
    pub(super) units: Vec<&'a [u8]>,
    /// Sections of functions: relocatable objects have one for each function.
    pub(super) functions: Vec<&'a [u8]>,
    /// Names that the program loads.
    pub(super) names: Vec<&'a [u8]>,
    /// Names that it does not load (`-profile-correlate=binary`).
    pub(super) unloaded_names: Vec<&'a [u8]>,
}

/// Calls `each` for the sections of an object file, or of each object file of an archive. Reads no others.
///
/// Errors: it is neither; an archive or a file in it is damaged.
pub(super) fn for_each<'a>(file: impl ReadRef<'a>, mut each: impl FnMut(Sections<'a>)) -> Result<(), Error> {
    match FileKind::parse(file) {
        Ok(FileKind::Archive) => {
            let archive = ArchiveFile::parse(file).map_err(|error| unreadable("archive").found(error))?;
            if archive.is_thin() {
                return Err(unreadable("archive").expected("the members in the archive").found("a thin archive"));
            }
            for member in archive.members() {
                let member = member.and_then(|member| member.data(file));
                let member = member.map_err(|error| unreadable("archive").found(error))?;
                if let Ok(FileKind::Elf32 | FileKind::Elf64) = FileKind::parse(member) {
                    each(sections(member)?);
                }
            }
        }
        _ => each(sections(file)?),
    }
    Ok(())
}

fn sections<'a>(file: impl ReadRef<'a>) -> Result<Sections<'a>, Error> {
    let sections = match FileKind::parse(file) {
        Ok(FileKind::Elf32) => sections_of::<FileHeader32<Endianness>, _>(file),
        Ok(FileKind::Elf64) => sections_of::<FileHeader64<Endianness>, _>(file),
        _ => {
            let start = file.read_bytes_at(0, file.len().unwrap_or(0).min(16)).unwrap_or(&[]);
            let error = Error::new(ErrorKind::Unrecognized, "magic").at(0u64).expected("an ELF file or an archive");
            return Err(error.found(format_args!("\"{}\"", start.escape_ascii())));
        }
    };
    let sections = sections.map_err(|error| unreadable("ELF header").found(error))?;
    // Overlapping sections would be read and indexed again and again.
    sections.ok_or_else(|| unreadable("section headers").expected("sections that do not overlap"))
}

/// Returns the sections of a 32-bit or 64-bit file; `None` if together they are larger than the file. Compares the starts of names only: a
/// hostile file has a million sections whose names end nowhere.
fn sections_of<'a, Elf, File>(file: File) -> object::read::Result<Option<Sections<'a>>>
where
    Elf: FileHeader<Endian = Endianness>,
    File: ReadRef<'a>,
{
    let header = Elf::parse(file)?;
    let order = header.endian()?;
    let headers = header.section_headers(order, file)?;
    let names = match usize::try_from(header.shstrndx(order, file)?).ok().and_then(|number| headers.get(number)) {
        Some(names) => names.data(order, file)?,
        None => &[],
    };
    let mut sections = Sections { order, ..Sections::default() };
    let mut left = file.len().unwrap_or(0);
    for section in headers {
        let name = usize::try_from(section.sh_name(order)).ok().and_then(|start| names.get(start..)).unwrap_or(&[]);
        let list = [
            (&b"__llvm_covmap\0"[..], &mut sections.units),
            (b"__llvm_covfun\0", &mut sections.functions),
            (b"__llvm_prf_names\0", &mut sections.names),
            (b"__llvm_covnames\0", &mut sections.unloaded_names),
        ];
        let Some((_, list)) = list.into_iter().find(|(wanted, _)| name.starts_with(wanted)) else { continue };
        let Some((_, size)) = section.file_range(order) else { continue };
        match left.checked_sub(size) {
            Some(rest) => left = rest,
            None => return Ok(None),
        }
        if size > 0 {
            list.push(section.data(order, file)?);
        }
    }
    Ok(Some(sections))
}

fn unreadable(part: &'static str) -> Error {
    Error::new(ErrorKind::Malformed, part)
}

/// Takes a number of 4 bytes from the front.
pub(super) fn take_u32(bytes: &mut &[u8], order: Endianness) -> Option<u32> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(order.read_u32(*number))
}

/// Takes a number of 8 bytes from the front.
pub(super) fn take_u64(bytes: &mut &[u8], order: Endianness) -> Option<u64> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(order.read_u64(*number))
}

/// Skips the bytes up to the next multiple of 8, counted from the start of the section.
pub(super) fn align<'a>(section: &'a [u8], rest: &mut &'a [u8]) {
    let at = section.len().saturating_sub(rest.len()).checked_next_multiple_of(8).unwrap_or(usize::MAX);
    *rest = section.get(at..).unwrap_or(&[]);
}
