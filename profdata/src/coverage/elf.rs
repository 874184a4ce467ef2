//! The sections of ELF files, alone or in an archive, that coverage needs.

use object::elf::{FileHeader32, FileHeader64};
use object::read::archive::ArchiveFile;
use object::read::elf::{FileHeader, SectionHeader};
use object::{Endian as _, Endianness, FileKind};

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

/// Calls `each` for the sections of an object file, or of each object file of an archive.
///
/// Errors: the bytes are neither; an archive or a file in it is damaged.
pub(super) fn for_each<'a>(bytes: &'a [u8], mut each: impl FnMut(Sections<'a>)) -> Result<(), Error> {
    match FileKind::parse(bytes) {
        Ok(FileKind::Archive) => {
            let archive = ArchiveFile::parse(bytes).map_err(|error| unreadable("archive").found(error))?;
            if archive.is_thin() {
                return Err(unreadable("archive").expected("the members in the archive").found("a thin archive"));
            }
            for member in archive.members() {
                let member = member.and_then(|member| member.data(bytes));
                let member = member.map_err(|error| unreadable("archive").found(error))?;
                if let Ok(FileKind::Elf32 | FileKind::Elf64) = FileKind::parse(member) {
                    each(sections(member)?);
                }
            }
        }
        _ => each(sections(bytes)?),
    }
    Ok(())
}

fn sections(bytes: &[u8]) -> Result<Sections<'_>, Error> {
    let sections = match FileKind::parse(bytes) {
        Ok(FileKind::Elf32) => sections_of::<FileHeader32<Endianness>>(bytes),
        Ok(FileKind::Elf64) => sections_of::<FileHeader64<Endianness>>(bytes),
        _ => {
            let start = bytes.get(..16).unwrap_or(bytes);
            let error = Error::new(ErrorKind::Unrecognized, "magic").at(0u64).expected("an ELF file or an archive");
            return Err(error.found(format_args!("\"{}\"", start.escape_ascii())));
        }
    };
    let sections = sections.map_err(|error| unreadable("ELF header").found(error))?;
    // Overlapping sections would be indexed again and again.
    let all = [&sections.units, &sections.functions, &sections.names, &sections.unloaded_names];
    let size = all.iter().flat_map(|parts| parts.iter()).fold(0usize, |size, part| size.saturating_add(part.len()));
    if size > bytes.len() {
        return Err(unreadable("section headers").expected("sections that do not overlap"));
    }
    Ok(sections)
}

/// Returns the sections of a 32-bit or 64-bit file. Compares the starts of names only: a hostile file has a million sections whose names end
/// nowhere.
fn sections_of<Elf: FileHeader<Endian = Endianness>>(bytes: &[u8]) -> object::read::Result<Sections<'_>> {
    let header = Elf::parse(bytes)?;
    let order = header.endian()?;
    let headers = header.section_headers(order, bytes)?;
    let names = match usize::try_from(header.shstrndx(order, bytes)?).ok().and_then(|number| headers.get(number)) {
        Some(names) => names.data(order, bytes)?,
        None => &[],
    };
    let mut sections = Sections { order, ..Sections::default() };
    for section in headers {
        let name = usize::try_from(section.sh_name(order)).ok().and_then(|start| names.get(start..)).unwrap_or(&[]);
        let list = [
            (&b"__llvm_covmap\0"[..], &mut sections.units),
            (b"__llvm_covfun\0", &mut sections.functions),
            (b"__llvm_prf_names\0", &mut sections.names),
            (b"__llvm_covnames\0", &mut sections.unloaded_names),
        ];
        if let Some((_, list)) = list.into_iter().find(|(wanted, _)| name.starts_with(wanted)) {
            let data = section.data(order, bytes)?;
            if !data.is_empty() {
                list.push(data);
            }
        }
    }
    Ok(sections)
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
