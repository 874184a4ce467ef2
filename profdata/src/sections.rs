//! The sections of object files that counts belong to: ELF, PE and COFF, Mach-O and wasm, alone, in archives and in universal files.

mod archive;
mod part;
mod wasm;

use object::macho::{FatArch32, FatArch64};
use object::read::macho::{FatArch, MachOFatFile};
use object::{Endianness, File, FileKind, Object, ObjectSection, ReadRef};

use crate::error::{Error, ErrorKind};
use part::Part;

/// The sections of one object file.
#[derive(Clone, Debug, Default)]
#[cfg_attr(not(feature = "coverage"), expect(dead_code))]
pub(crate) struct Sections<'a> {
    /// Byte order of the numbers in the sections.
    pub(crate) order: Endianness,
    /// Sections of translation units: one, in the order of the file.
    pub(crate) units: Vec<&'a [u8]>,
    /// Sections of functions: relocatable objects have one for each function.
    pub(crate) functions: Vec<&'a [u8]>,
    /// Names that the program loads.
    pub(crate) names: Vec<&'a [u8]>,
    /// Names that it does not load (`-profile-correlate=binary`).
    pub(crate) unloaded_names: Vec<&'a [u8]>,
    /// Nothing in the file says any more where its names are.
    pub(crate) is_stripped: bool,
}

impl<'a> Sections<'a> {
    /// Returns where the data of a section belong. In COFF a `$` divides the name from what linkers sort by.
    fn list(&mut self, name: &[u8]) -> Option<&mut Vec<&'a [u8]>> {
        match name.split(|byte| *byte == b'$').next()? {
            b"__llvm_covmap" | b".lcovmap" => Some(&mut self.units),
            b"__llvm_covfun" | b".lcovfun" => Some(&mut self.functions),
            b"__llvm_prf_names" | b".lprfn" => Some(&mut self.names),
            b"__llvm_covnames" | b".lcovn" => Some(&mut self.unloaded_names),
            _ => None,
        }
    }
}

/// Calls `each` for the sections of an object file, or of each one in an archive or universal file. Reads no others.
///
/// Errors: it is none of these; it, or an object file in it, is damaged.
pub(crate) fn for_each<'a>(file: impl ReadRef<'a>, mut each: impl FnMut(Sections<'a>)) -> Result<(), Error> {
    let whole = Part::whole(file);
    match FileKind::parse(whole) {
        Ok(FileKind::MachOFat32) => slices::<FatArch32, _>(whole, &mut each),
        Ok(FileKind::MachOFat64) => slices::<FatArch64, _>(whole, &mut each),
        _ if walk(whole, &mut each)? => Ok(()),
        _ => {
            let start = whole.read_bytes_at(0, whole.size.min(16)).unwrap_or(&[]);
            let error = unreadable("magic").at(0u64).expected("an object file or an archive");
            Err(error.found(format_args!("\"{}\"", start.escape_ascii())))
        }
    }
}

/// The same of each slice of a universal file: most functions of all are equal.
fn slices<'a, Arch: FatArch, F: ReadRef<'a>>(whole: Part<F>, each: &mut impl FnMut(Sections<'a>)) -> Result<(), Error> {
    let file = MachOFatFile::<Arch>::parse(whole).map_err(|error| unreadable("universal file").found(error))?;
    let mut left = whole.size;
    for arch in file.arches() {
        let (start, size) = arch.file_range();
        let slice = whole.part(start, size).ok_or_else(|| unreadable("universal file").found("a cut slice"))?;
        left = left.checked_sub(size).ok_or_else(|| overlapping("universal file", "slices"))?;
        walk(slice, each)?;
    }
    Ok(())
}

/// The same of an object file or an archive. Returns whether it is either.
fn walk<'a>(file: Part<impl ReadRef<'a>>, each: &mut impl FnMut(Sections<'a>)) -> Result<bool, Error> {
    let Some(members) = archive::members(file)? else { return one(file, each) };
    for member in members {
        one(member?, each)?;
    }
    Ok(true)
}

/// The same of an object file. Returns whether it is one.
fn one<'a>(file: Part<impl ReadRef<'a>>, each: &mut impl FnMut(Sections<'a>)) -> Result<bool, Error> {
    use FileKind::{Coff, CoffBig, Elf32, Elf64, MachO32, MachO64, Pe32, Pe64};
    each(match FileKind::parse(file) {
        Ok(Elf32 | Elf64 | Coff | CoffBig | Pe32 | Pe64 | MachO32 | MachO64) => sections(file)?,
        _ if file.read_bytes_at(0, 4) == Ok(b"\0asm") => {
            let module = file.read_bytes_at(0, file.size).map_err(|()| unreadable("wasm module"))?;
            wasm::sections(module).map_err(|error| unreadable("wasm module").found(error))?
        }
        _ => return Ok(false),
    });
    Ok(true)
}

fn sections<'a>(file: Part<impl ReadRef<'a>>) -> Result<Sections<'a>, Error> {
    let damaged = |error| unreadable("object file").found(error);
    let object = File::parse(file).map_err(damaged)?;
    let mut sections = Sections { order: object.endianness(), ..Sections::default() };
    let mut left = file.size;
    for section in object.sections() {
        let Some(list) = section.name_bytes().ok().and_then(|name| sections.list(name)) else { continue };
        let Some((_, size)) = section.file_range().filter(|(_, size)| *size > 0) else { continue };
        // They would be read and indexed again and again.
        left = left.checked_sub(size).ok_or_else(|| overlapping("section headers", "sections"))?;
        list.push(section.data().map_err(damaged)?);
    }
    Ok(sections)
}

fn unreadable(part: &'static str) -> Error {
    Error::new(ErrorKind::Malformed, part)
}

fn overlapping(part: &'static str, parts: &str) -> Error {
    unreadable(part).expected(format_args!("{parts} that do not overlap"))
}
