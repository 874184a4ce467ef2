//! What the ELF file of a program knows about its profile: records, names, where the counters are, build id and raw version.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use object::read::elf::{ElfFile, FileHeader, ProgramHeader};
use object::{
    Endianness, File, Object, ObjectKind, ObjectSection, ObjectSymbol, ObjectSymbolTable, ReadRef, RelocationTarget,
    elf,
};
use profdata::format::{Encoding, Endian, RawVersion, RecordShape, Variant, WordSize};

use super::raw::Section;
use crate::text::read;
use profdata::format::layout::Sections;
use profdata::format::parts::SECTIONS;

/// A section of the profile in the image.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// Address that it was linked to.
    pub address: u64,
    /// Bytes in memory.
    pub size: u64,
    /// What the file has of it, relocated to the linked addresses; empty where it has nothing (`.bss`).
    pub bytes: Vec<u8>,
    /// Where in these bytes there are addresses of this image.
    addresses: Vec<usize>,
}

impl Place {
    /// The section as it is before the program starts, loaded so far from where it was linked; zeros where the file has nothing.
    pub fn section(&self, encoding: Encoding, bias: u64) -> Section {
        // What is absent has no address in the process either; an empty section has.
        if self.size == 0 && self.address == 0 {
            return Section::default();
        }
        let mut bytes = self.bytes.clone();
        for at in &self.addresses {
            let address = encoding.word_at(&bytes, *at).unwrap_or(0);
            put(&mut bytes, *at, encoding, address.wrapping_add(bias));
        }
        bytes.resize(self.size as usize, 0);
        Section { address: self.address.wrapping_add(bias), bytes }
    }
}

/// A segment that is loaded.
#[derive(Clone, Debug)]
pub struct Load {
    /// Place in the file.
    pub offset: u64,
    /// Linked address.
    pub address: u64,
}

/// An executable or a shared object.
#[derive(Clone, Debug)]
pub struct Elf {
    /// Where it is.
    pub path: PathBuf,
    /// Words and byte order of the machine.
    pub encoding: Encoding,
    /// It can be loaded anywhere.
    pub moves: bool,
    /// Linked address of its first instruction.
    pub entry: u64,
    /// GNU build ids.
    pub build_ids: Vec<Vec<u8>>,
    /// Loaded segments.
    pub loads: Vec<Load>,
    /// Parts of the file that identify it: its headers and its notes, with their linked addresses.
    pub identity: Vec<Section>,
    /// `__llvm_profile_raw_version`.
    pub version: Option<u64>,
    /// The parts of a profile.
    pub sections: Sections<Place>,
    /// Heads of value sites.
    pub values: Place,
    /// Value nodes.
    pub nodes: Place,
    /// Records are in `__llvm_covdata`, which is never loaded.
    correlated: bool,
    /// Nodes have a shared count: profrt's for a hosted system.
    pub shared_counts: bool,
}

impl Elf {
    /// Reads the file. Errors: it is no linked ELF file, or it has no counters.
    pub fn read(path: &Path) -> Result<Elf> {
        let bytes = read(path)?;
        let elf = Elf::parse(path, &bytes).with_context(|| format!("{} cannot be used", path.display()))?;
        ensure!(
            elf.sections.counters.size > 0,
            "{} has no counters (section __llvm_prf_cnts, or symbols __start___llvm_prf_cnts and __stop___llvm_prf_cnts): \
             compile it with -fprofile-instr-generate or -fprofile-generate, and give the file as the linker wrote it",
            path.display()
        );
        ensure!(
            elf.is_complete(),
            "{} has counters but no records (__llvm_prf_data): the linker script has dropped them; keep the section, if not \
             in memory then in the file (an output section of type INFO)",
            path.display()
        );
        Ok(elf)
    }

    /// Whether there are counters, and records for them or a way for `llvm-profdata` to find these.
    pub fn is_complete(&self) -> bool {
        self.sections.counters.size > 0 && (self.sections.data.size > 0 || self.correlate().is_some())
    }

    /// The option by which `llvm-profdata merge` finds records and names that are in the file but not in the profile.
    pub fn correlate(&self) -> Option<&'static str> {
        match self.version {
            Some(version) if Variant(version).has(Variant::DEBUG_CORRELATE) => Some("--debug-info"),
            _ if self.sections.data.size == 0 && self.correlated => Some("--binary-file"),
            _ => None,
        }
    }

    /// The same without asking for counters.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Elf> {
        ensure!(
            bytes.starts_with(b"\x7fELF"),
            "it is no ELF object file; give the file that the linker wrote, not the .hex or .bin that was made of it"
        );
        let file = File::parse(bytes).context("it is damaged; link it again, or copy it again")?;
        match file.kind() {
            ObjectKind::Core => bail!("it is a core file; give it with --core, and the program with --object"),
            ObjectKind::Relocatable => bail!("it is an object file; give the program that was linked of it"),
            _ => {}
        }
        let encoding = Encoding {
            word: if file.is_64() { WordSize::W64 } else { WordSize::W32 },
            endian: if file.endianness() == Endianness::Little { Endian::Little } else { Endian::Big },
        };
        let place = |name| place(&file, name, encoding);
        let mut read = Elf {
            path: path.to_owned(),
            encoding,
            moves: file.kind() == ObjectKind::Dynamic,
            entry: file.entry(),
            build_ids: Vec::new(),
            loads: Vec::new(),
            identity: Vec::new(),
            version: symbol(&file, |name| name == "__llvm_profile_raw_version")
                .and_then(|address| encoding.u64_at(&content(&file, address, 8)?, 0)),
            sections: Sections::default(),
            values: place("__llvm_prf_vals")?,
            nodes: place("__llvm_prf_vnds")?,
            correlated: file.section_by_name("__llvm_covdata").is_some(),
            // The function that adds to them first.
            shared_counts: symbol(&file, |name| name.contains("6profrt5value5count9add_first")).is_some(),
        };
        for part in SECTIONS {
            read.sections.set(part, place(part.section())?);
        }
        match &file {
            File::Elf32(file) => read.segments(file)?,
            File::Elf64(file) => read.segments(file)?,
            _ => bail!("it is no ELF file"),
        }
        if read.build_ids.is_empty()
            && let Ok(Some(id)) = file.build_id()
        {
            read.build_ids.push(id.to_vec());
        }
        Ok(read)
    }

    /// What the program headers say: as the runtime does, build ids are taken from loaded notes.
    fn segments<Header: FileHeader<Endian = Endianness>>(&mut self, file: &ElfFile<'_, Header>) -> Result<()> {
        let (endian, data) = (file.endian(), file.data());
        for segment in file.elf_program_headers() {
            let (offset, address) = (segment.p_offset(endian).into(), segment.p_vaddr(endian).into());
            match segment.p_type(endian) {
                elf::PT_LOAD => {
                    if offset == 0 {
                        let headers = u64::from(file.elf_header().e_phentsize(endian))
                            * u64::from(file.elf_header().e_phnum(endian));
                        let end = file.elf_header().e_phoff(endian).into().saturating_add(headers);
                        if let Ok(bytes) = data.read_bytes_at(0, end) {
                            self.identity.push(Section { address, bytes: bytes.to_vec() });
                        }
                    }
                    self.loads.push(Load { offset, address });
                }
                elf::PT_NOTE => {
                    if let Ok(bytes) = segment.data(endian, data) {
                        self.identity.push(Section { address, bytes: bytes.to_vec() });
                    }
                    let Ok(Some(mut notes)) = segment.notes(endian, data) else { continue };
                    while let Ok(Some(note)) = notes.next() {
                        if note.name() == elf::ELF_NOTE_GNU && note.n_type(endian) == elf::NT_GNU_BUILD_ID {
                            self.build_ids.push(note.desc().to_vec());
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Raw version and flags: what the user says, what the program says, or what the records look like.
    pub fn version(&self, said: Option<u64>, warn: &mut dyn FnMut(String)) -> Result<u64> {
        if let Some(said) = said {
            // A plain number keeps the program's flags.
            let flags = if said > u64::from(u32::MAX) { 0 } else { self.version.unwrap_or(0) & !u64::from(u32::MAX) };
            return Ok(said | flags);
        }
        if let Some(version) = self.version {
            return Ok(version);
        }
        let Some((version, bytes)) = self.look() else {
            bail!(
                "{} does not say its raw version (it is stripped), and its records look like none; say it with --raw-version: {}",
                self.path.display(),
                RawVersion::ALL.map(|raw| format!("{} is {}", raw.number(), raw.emitters())).join("; ")
            );
        };
        warn(format!(
            "{} is stripped of the symbol __llvm_profile_raw_version; its records look like raw version {}, front-end \
             instrumentation. If it was compiled with -fprofile-generate, say --raw-version {:#x}",
            self.path.display(),
            version.number(),
            version.number() | 1 << 56 | u64::from(bytes) << 60,
        ));
        Ok(version.number() | u64::from(bytes) << 60)
    }

    /// Returns the raw version of records, and hash of the name, hash and number of counters of each. `version`: what the program says, which is
    /// not believed where its records have another size: objects of the front end do not say theirs, and a runtime for other objects says its
    /// own. Errors: no known raw version.
    pub fn records_of(&self, data: &[u8], version: u64) -> Result<(u64, Vec<[u64; 3]>)> {
        let shape = |version| RecordShape::of(version, self.encoding.word);
        let number = Variant(version).number();
        let said = RawVersion::from_number(number);
        let seen = self
            .look()
            .map(|(seen, _)| seen)
            .filter(|seen| said.is_none_or(|said| shape(said).size != shape(*seen).size));
        let version = seen
            .or(said)
            .with_context(|| format!("its raw version is {number}; profrt knows {}", super::raw::known()))?;
        let shape = shape(version);
        let size = shape.size as usize;
        // The last record may lack its padding.
        let whole = data.chunks(size.max(1)).filter(|bytes| bytes.len() + 8 > size);
        let record = |bytes: &[u8]| {
            let word = |at| self.encoding.u64_at(bytes, at);
            let counters = self.encoding.u32_at(bytes, shape.num_counters)?;
            Some([word(shape.name_ref)?, word(shape.func_hash)?, counters.into()])
        };
        Ok((version.number(), whole.filter_map(record).collect()))
    }

    /// The raw version whose records fit, and whether the counters are bytes.
    fn look(&self) -> Option<(RawVersion, bool)> {
        for version in RawVersion::LIKELY {
            let shape = RecordShape::of(version, self.encoding.word);
            // The last record may lack its padding.
            let records = self
                .sections
                .data
                .bytes
                .chunks(shape.size as usize)
                .filter(|record| record.len() + 8 > shape.size as usize);
            let field =
                |at| records.clone().map(move |record| u64::from(self.encoding.u32_at(record, at).unwrap_or(0)));
            let number: u64 = field(shape.num_counters).sum();
            let bitmap: u64 = shape.num_bitmap_bytes.map_or(0, |at| field(at).sum());
            let none = field(shape.num_counters).any(|number| number == 0);
            // Sections may be padded behind the counters, to pages where they are to be mapped.
            let fits =
                |bytes: u64| bytes <= self.sections.counters.size && self.sections.counters.size - bytes < 1 << 16;
            if none || bitmap > self.sections.bitmap.size || (self.sections.bitmap.size > 0 && bitmap == 0) {
                continue;
            }
            if number * 8 <= self.sections.counters.size && fits(number * 8) {
                return Some((version, false));
            }
            if fits(number) {
                return Some((version, true));
            }
        }
        None
    }
}

/// The address of the first symbol whose name is meant.
fn symbol(file: &File<'_>, meant: impl Fn(&str) -> bool) -> Option<u64> {
    let symbols = file.symbol_table()?;
    symbols
        .symbols()
        .find(|symbol| symbol.is_definition() && symbol.name().is_ok_and(&meant))
        .map(|symbol| symbol.address())
}

/// `len` bytes of the file's sections at an address.
fn content(file: &File<'_>, address: u64, len: u64) -> Option<Vec<u8>> {
    file.sections().find_map(|section| Some(section.data_range(address, len).ok()??.to_vec()))
}

/// A section of the profile: by its name, else between the symbols that linker scripts define for it.
fn place(file: &File<'_>, name: &str, encoding: Encoding) -> Result<Place> {
    let mut named = file.sections().filter(|section| section.name() == Ok(name));
    let mut place = if let Some(section) = named.next() {
        ensure!(named.next().is_none(), "it has {name} more than once; link all of it into one section");
        let bytes = section.data().with_context(|| format!("its section {name} is not in the file"))?.to_vec();
        Place { address: section.address(), size: section.size(), bytes, addresses: Vec::new() }
    } else {
        let bound = |side: &str| symbol(file, |symbol| symbol == format!("{side}{name}"));
        let Some((start, stop)) = bound("__start_").zip(bound("__stop_")) else { return Ok(Place::default()) };
        let Some(size) = stop.checked_sub(start) else {
            bail!("its symbol __stop_{name} stands before __start_{name}")
        };
        Place { address: start, size, bytes: content(file, start, size).unwrap_or_default(), addresses: Vec::new() }
    };
    // Sizes are of use only for what fits into memory of this machine.
    ensure!(place.size < 1 << 28, "its section {name} has {} bytes, which no program has; link it again", place.size);
    relocate(file, &mut place, encoding);
    Ok(place)
}

/// Puts in the addresses that the dynamic linker would, as if the image were loaded where it was linked.
fn relocate(file: &File<'_>, place: &mut Place, encoding: Encoding) {
    let Some(relocations) = file.dynamic_relocations() else { return };
    let symbols = file.dynamic_symbol_table();
    for (address, relocation) in relocations {
        let Some(at) = address.checked_sub(place.address).filter(|at| *at < place.size) else { continue };
        let value = match relocation.target() {
            // Where the addend is in the section, the address is there already.
            RelocationTarget::Absolute if relocation.has_implicit_addend() => {
                place.addresses.push(at as usize);
                continue;
            }
            RelocationTarget::Absolute => 0,
            RelocationTarget::Symbol(index) => {
                let symbol = symbols.as_ref().and_then(|symbols| symbols.symbol_by_index(index).ok());
                match symbol.filter(|symbol| symbol.is_definition()) {
                    Some(symbol) => symbol.address(),
                    // Of another image: nothing is known of it.
                    None => continue,
                }
            }
            _ => continue,
        };
        let value = value.wrapping_add(relocation.addend() as u64);
        place.addresses.push(at as usize);
        put(&mut place.bytes, at as usize, encoding, value);
    }
}

/// Puts a pointer into bytes, if it is within them.
fn put(bytes: &mut [u8], at: usize, encoding: Encoding, value: u64) {
    let (wide, narrow) = (encoding.u64_bytes(value), encoding.u32_bytes(value as u32));
    let pointer: &[u8] = if encoding.word == WordSize::W64 { &wide } else { &narrow };
    if let Some(slot) = bytes.get_mut(at..).and_then(|rest| rest.get_mut(..pointer.len())) {
        slot.copy_from_slice(pointer);
    }
}
