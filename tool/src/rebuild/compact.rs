//! Reads the counters-only form; `runtime/compact.rs` writes it and says what it looks like.

use anyhow::{Context, Result, bail, ensure};
use data_encoding::HEXLOWER;
use profdata::format::compact::{ADDRESS, BIG_ENDIAN, MAGIC, VALUES, VERSION, WIDE};
use profdata::format::value::MAX_VALUES_PER_SITE;
use profdata::format::{Encoding, Endian, RawVersion, RecordShape, Variant, WordSize};

use super::elf::Elf;
use super::raw::Site;

/// What a device has sent.
#[derive(Debug)]
pub struct Compact {
    /// Raw version and flags.
    pub version: u64,
    /// It says the build id, and the ELF file has it.
    pub identified: bool,
    /// How far from its linked address the program was.
    pub bias: u64,
    /// As they lie in the memory of the device.
    pub counters: Vec<u8>,
    /// MC/DC bitmaps.
    pub bitmap: Vec<u8>,
    /// For each record with values those of its sites.
    pub values: Vec<(usize, Vec<Site>)>,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn byte(&mut self) -> Result<u8> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte.context("it ends too early: it was not saved whole. Dump it again, into a larger buffer if it was one")
    }

    fn take(&mut self, len: u64) -> Result<Vec<u8>> {
        ensure!(len <= self.bytes.len() as u64, "it ends too early, or is damaged: dump it again");
        (0..len).map(|_| self.byte()).collect()
    }

    fn number(&mut self) -> Result<u64> {
        let mut number: u64 = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 127);
            ensure!(part << shift >> shift == part, "a number in it is too large: it is damaged. Dump it again");
            number |= part << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        bail!("a number in it has no end: it is damaged. Dump it again")
    }

    /// `len` numbers, where a 0 stands for as many zeros as the next number says, and one.
    fn run(&mut self, len: u64, mut each: impl FnMut(u64) -> Result<()>) -> Result<()> {
        let mut left = len;
        while left > 0 {
            let number = self.number()?;
            if number != 0 {
                each(number)?;
                left -= 1;
                continue;
            }
            let zeros = self.number()?.saturating_add(1);
            ensure!(zeros <= left, "it has more counters than it says: it is damaged. Dump it again");
            for _ in 0..zeros {
                each(0)?;
            }
            left -= zeros;
        }
        Ok(())
    }
}

/// Reads a dump of the program in `elf`. Errors: it is damaged, or of another program.
pub fn read(bytes: &[u8], elf: &Elf) -> Result<Compact> {
    ensure!(
        bytes.starts_with(&MAGIC),
        "it does not begin with PRFC, so it is no counters-only dump; give memory with --ram FILE@ADDRESS, and packets of a \
         log to `profrt device receive`"
    );
    let mut reader = Reader { bytes, at: MAGIC.len() };
    let version = reader.byte()?;
    ensure!(
        version == VERSION,
        "it has version {version} of its format, and this tool knows {VERSION}: take the same profrt for both"
    );
    let flags = reader.byte()?;
    ensure!(
        flags & !(WIDE | BIG_ENDIAN | VALUES | ADDRESS) == 0,
        "it has parts that this tool does not know (flags {flags:#x}): take the same profrt for both"
    );
    let encoding = Encoding {
        word: if flags & WIDE > 0 { WordSize::W64 } else { WordSize::W32 },
        endian: if flags & BIG_ENDIAN > 0 { Endian::Big } else { Endian::Little },
    };
    ensure!(
        encoding == elf.encoding,
        "it is of a machine with {encoding:?}, the ELF file is for {:?}: give the program that ran",
        elf.encoding
    );
    let len = reader.number()?;
    let id = reader.take(len)?;
    let identified = elf.build_ids.contains(&id);
    ensure!(
        identified || id.is_empty() || elf.build_ids.is_empty(),
        "it is of the build {}, and {} is {}: give the very file that ran on the device",
        HEXLOWER.encode(&id),
        elf.path.display(),
        elf.build_ids.iter().map(|id| HEXLOWER.encode(id)).collect::<Vec<_>>().join(", ")
    );
    let version = reader.number()?;
    let address = if flags & ADDRESS > 0 { reader.number()? } else { elf.sections.counters.address };
    let size = reader.number()?;
    same_size("counters", size, elf.sections.counters.size)?;
    let mut counters = Vec::with_capacity(size as usize);
    if Variant(version).counter_size() == 1 {
        reader.run(size, |number| {
            let byte = u8::try_from(number)
                .context("a byte counter in it is larger than a byte: it is damaged. Dump it again")?;
            counters.push(!byte);
            Ok(())
        })?;
    } else {
        reader.run(size / 8, |number| {
            counters.extend(encoding.u64_bytes(number));
            Ok(())
        })?;
    }
    counters.resize(size as usize, 0);
    let size = reader.number()?;
    same_size("bitmaps", size, elf.sections.bitmap.size)?;
    let mut bitmap = Vec::with_capacity(size as usize);
    reader.run(size, |number| {
        bitmap.push(
            u8::try_from(number).context("a bitmap byte in it is larger than a byte: it is damaged. Dump it again")?,
        );
        Ok(())
    })?;
    let values = if flags & VALUES > 0 { values(&mut reader, version, elf)? } else { Vec::new() };
    let crc = crc32fast::hash(&bytes[..reader.at]);
    let sent = reader.take(4)?;
    ensure!(
        sent == crc.to_le_bytes(),
        "its checksum is wrong: it was damaged on the way. Dump it again, and carry it as bytes, not as text"
    );
    let bias = address.wrapping_sub(elf.sections.counters.address);
    Ok(Compact { identified, version, bias, counters, bitmap, values })
}

fn values(reader: &mut Reader<'_>, version: u64, elf: &Elf) -> Result<Vec<(usize, Vec<Site>)>> {
    let raw = RawVersion::from_number(Variant(version).number())
        .with_context(|| format!("its raw version is none of {}: it is damaged. Dump it again", super::raw::known()))?;
    let shape = RecordShape::of(raw, elf.encoding.word);
    let size = shape.size as usize;
    let mut values = Vec::new();
    // The first record whose turn has not come.
    let mut next: u64 = 0;
    loop {
        let distance = reader.number()?;
        if distance == 0 {
            return Ok(values);
        }
        let record = next.checked_add(distance - 1).and_then(|record| usize::try_from(record).ok());
        let index = record.context("a number in it is too large: it is damaged. Dump it again")?;
        next = index as u64 + 1;
        let record =
            index.checked_mul(size).and_then(|at| elf.sections.data.bytes.get(at..)).filter(|rest| !rest.is_empty());
        let sites = record.and_then(|record| shape.value_sites(record, raw, elf.encoding));
        let sites = sites.context(
            "it has values of a function that the ELF file does not have: give the file that ran on the device",
        )?;
        let mut own = Vec::new();
        for _ in 0..sites.iter().map(|sites| u32::from(*sites)).sum() {
            let number = reader.number()?;
            ensure!(number <= MAX_VALUES_PER_SITE, "a site in it has {number} values: it is damaged. Dump it again");
            let site: Result<Site> = (0..number).map(|_| Ok((reader.number()?, reader.number()?))).collect();
            own.push(site?);
        }
        values.push((index, own));
    }
}

fn same_size(what: &str, dump: u64, elf: u64) -> Result<()> {
    ensure!(
        dump == elf,
        "it has {dump} bytes of {what}, the ELF file has {elf}: give the very file that ran on the device"
    );
    Ok(())
}
