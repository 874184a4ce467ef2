//! The core file of a Linux process: memory that was saved when it died, and which file was loaded where.

use anyhow::{Context, Result, bail, ensure};
use object::read::elf::{ElfFile, FileHeader, ProgramHeader};
use object::{Endianness, File, Object, ObjectKind, elf};
use profdata::format::{Encoding, Endian, WordSize};
use std::path::{Path, PathBuf};

use super::elf::Elf;
use super::memory::Memory;

/// A file that was mapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// Where in memory.
    pub start: u64,
    /// From where in the file.
    pub offset: u64,
    /// Which file.
    pub name: PathBuf,
}

/// A core file.
#[derive(Debug)]
pub struct Core<'a> {
    /// What was saved.
    pub memory: Memory<'a>,
    /// What was mapped.
    pub mapped: Vec<Mapped>,
    /// Where the program begins (`AT_ENTRY`).
    pub entry: Option<u64>,
    /// Bytes that the file should have more.
    pub missing: u64,
}

const NT_FILE: u32 = 0x4649_4c45;
const NT_AUXV: u32 = 6;
const AT_ENTRY: u64 = 9;

impl<'a> Core<'a> {
    /// Reads a core file.
    pub fn parse(bytes: &'a [u8]) -> Result<Core<'a>> {
        ensure!(
            bytes.starts_with(b"\x7fELF"),
            "it is no ELF core file; `coredumpctl dump -o FILE` or gdb's `generate-core-file` make one, unpacked"
        );
        let file = File::parse(bytes).context("it is damaged, or cut short: is `ulimit -c` unlimited?")?;
        ensure!(
            file.kind() == ObjectKind::Core,
            "it is no core file; give the program with --object, and memory with --ram FILE@ADDRESS"
        );
        let encoding = Encoding {
            word: if file.is_64() { WordSize::W64 } else { WordSize::W32 },
            endian: if file.endianness() == Endianness::Little { Endian::Little } else { Endian::Big },
        };
        let mut core =
            Core { memory: Memory { encoding, pieces: Vec::new() }, mapped: Vec::new(), entry: None, missing: 0 };
        match &file {
            File::Elf32(file) => core.segments(bytes, file),
            File::Elf64(file) => core.segments(bytes, file),
            _ => bail!("it is no ELF file"),
        }
        Ok(core)
    }

    fn segments<Header: FileHeader<Endian = Endianness>>(&mut self, bytes: &'a [u8], file: &ElfFile<'_, Header>) {
        let (endian, data) = (file.endian(), file.data());
        for segment in file.elf_program_headers() {
            let (from, len) = (segment.p_offset(endian).into(), segment.p_filesz(endian).into());
            match segment.p_type(endian) {
                elf::PT_LOAD => {
                    // A core file may be cut short: what is there counts.
                    let rest = usize::try_from(from).ok().and_then(|from| bytes.get(from..)).unwrap_or(&[]);
                    let have = rest.len().min(usize::try_from(len).unwrap_or(usize::MAX));
                    self.missing += len - have as u64;
                    if have > 0 {
                        self.memory.pieces.push((segment.p_vaddr(endian).into(), &rest[..have]));
                    }
                }
                elf::PT_NOTE => {
                    let Ok(Some(mut notes)) = segment.notes(endian, data) else { continue };
                    while let Ok(Some(note)) = notes.next() {
                        match note.n_type(endian).0 {
                            NT_FILE if note.name() == b"CORE" => self.files(note.desc()),
                            NT_AUXV if note.name() == b"CORE" => self.auxv(note.desc()),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Count, page size; for each file start, end and offset in pages; then the names.
    fn files(&mut self, note: &[u8]) {
        let encoding = self.memory.encoding;
        let word = encoding.word.bytes() as usize;
        let at = |index: usize| encoding.word_at(note, index.checked_mul(word)?);
        let (Some(count), Some(page)) = (at(0), at(1)) else { return };
        let names =
            usize::try_from(count).ok().and_then(|count| count.checked_mul(3)?.checked_add(2)?.checked_mul(word));
        let Some(names) = names.and_then(|from| note.get(from..)) else { return };
        for (index, name) in names.split(|byte| *byte == 0).take(count as usize).enumerate() {
            let (Some(start), Some(offset)) = (at(2 + index * 3), at(4 + index * 3)) else { return };
            let name = PathBuf::from(String::from_utf8_lossy(name).into_owned());
            self.mapped.push(Mapped { start, offset: offset.wrapping_mul(page), name });
        }
    }

    fn auxv(&mut self, note: &[u8]) {
        let encoding = self.memory.encoding;
        let word = encoding.word.bytes() as usize;
        for pair in note.chunks_exact(2 * word) {
            if encoding.word_at(pair, 0) == Some(AT_ENTRY) {
                self.entry = encoding.word_at(pair, word);
            }
        }
    }

    /// How far from its linked address an image was loaded. Errors: it was not, or another build of it.
    pub fn bias(&self, image: &Elf) -> Result<u64> {
        ensure!(
            image.encoding == self.memory.encoding,
            "{} is for {:?}, the core file is of {:?}: give the program that crashed",
            image.path.display(),
            image.encoding,
            self.memory.encoding
        );
        let mut other_build = false;
        let mut by_name = None;
        for bias in self.candidates(image) {
            match self.identity(image, bias.0) {
                Some(true) => return Ok(bias.0),
                Some(false) => other_build |= bias.1,
                None if bias.1 => by_name = by_name.or(Some(bias.0)),
                None => {}
            }
        }
        if let Some(bias) = by_name {
            return Ok(bias);
        }
        let name = image.path.display();
        if other_build {
            bail!("the process ran another build of {name}: give the very file that it ran, with the same build id");
        }
        let mut names: Vec<String> = self.mapped.iter().map(|file| file.name.display().to_string()).collect();
        names.dedup();
        bail!("{name} was not loaded in that process; it had {}", names.join(", "))
    }

    /// Where the image may have been loaded, and whether the name or the entry point says so.
    fn candidates(&self, image: &Elf) -> Vec<(u64, bool)> {
        if !image.moves {
            return vec![(0, true)];
        }
        let first = image.loads.iter().find(|load| load.offset == 0).or(image.loads.first());
        // Segments are mapped by whole pages; file offset and address agree within one.
        let linked = first.map_or(0, |load| load.address.wrapping_sub(load.offset));
        let own = image.path.file_name();
        let mut found: Vec<(u64, bool)> = Vec::new();
        for file in self.mapped.iter().filter(|file| file.offset == 0) {
            let bias = file.start.wrapping_sub(linked);
            if !found.iter().any(|(known, _)| *known == bias) {
                found.push((bias, file.name.file_name() == own));
            }
        }
        if let Some(entry) = self.entry
            && self.mapped.is_empty()
        {
            found.push((entry.wrapping_sub(image.entry), true));
        }
        found
    }

    /// Whether the image's headers and notes are in memory there; `None` when that memory was not saved.
    fn identity(&self, image: &Elf, bias: u64) -> Option<bool> {
        let mut known = None;
        for part in &image.identity {
            if let Ok(bytes) = self.memory.read(part.address.wrapping_add(bias), part.bytes.len() as u64) {
                if bytes != part.bytes {
                    return Some(false);
                }
                known = Some(true);
            }
        }
        known
    }

    /// Files of this machine that were loaded and have counters.
    pub fn instrumented(&self) -> Vec<PathBuf> {
        let mut names: Vec<&Path> =
            self.mapped.iter().filter(|file| file.offset == 0).map(|file| file.name.as_path()).collect();
        names.dedup();
        let has_counters = |name: &&Path| {
            // The core file may name anything: no devices, which have no end, and no pipes, which wait.
            let bytes =
                std::fs::metadata(name).ok().filter(|file| file.is_file()).and_then(|_| std::fs::read(name).ok());
            bytes.is_some_and(|bytes| Elf::parse(name, &bytes).is_ok_and(|image| image.is_complete()))
        };
        names.into_iter().filter(has_counters).map(Path::to_owned).collect()
    }
}
