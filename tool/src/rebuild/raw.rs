//! A profile in memory: the bytes of its parts, in the words and the byte order of the machine that counted. Writing it walks the
//! format's plan.

use anyhow::{Context, Result, bail, ensure};
use profdata::format::layout::{Extent, Padding, Part, Plan, Sections, Shape, padding};
use profdata::format::value::{DATA_HEADER, MAX_VALUES_PER_SITE, record_size};
use profdata::format::{Encoding, RawVersion, RecordShape, Variant};

/// A part of the image: where it is on the machine, and its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Address on the machine.
    pub address: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The raw versions that there are, for messages.
pub fn known() -> String {
    format!("{} to {}", RawVersion::OLDEST.number(), RawVersion::NEWEST.number())
}

/// Bytes of value records that are more than any program's.
const MOST: u64 = 1 << 30;

/// Values of a site, each with its count.
pub type Site = Vec<(u64, u64)>;

/// Everything a raw profile is made of.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Words and byte order of the machine.
    pub encoding: Encoding,
    /// Raw version and variant flags.
    pub version: u64,
    /// Build ids of the image.
    pub build_ids: Vec<Vec<u8>>,
    /// The parts that are sections.
    pub sections: Sections<Section>,
    /// For each record the values of its sites, kind after kind; a record that is not here has sites without values.
    pub values: Vec<(usize, Vec<Site>)>,
}

impl Profile {
    /// The raw version. Errors: it is none of ours.
    pub fn raw_version(&self) -> Result<RawVersion> {
        let number = Variant(self.version).number();
        RawVersion::from_number(number).with_context(|| {
            format!("raw version {number} is not one of {}; say the right one with --raw-version", known())
        })
    }

    /// Bytes of the binary-id part: for each id its length, the id, zeros to a multiple of 8.
    fn binary_ids(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for id in &self.build_ids {
            bytes.extend(self.encoding.u64_bytes(id.len() as u64));
            bytes.extend(id);
            bytes.resize(bytes.len() + zeros(id.len()), 0);
        }
        bytes
    }

    /// The file's bytes.
    pub fn write(&self) -> Result<Vec<u8>> {
        self.raw_version()?;
        let ids = self.binary_ids();
        let planned = Plan::of_image(&Shape {
            version: self.version,
            word: self.encoding.word,
            binary_ids: ids.len() as u64,
            sections: Sections::of(|part| {
                let section = self.sections.get(part);
                section.map_or(Extent::default(), |section| Extent {
                    address: section.address,
                    len: section.bytes.len() as u64,
                })
            }),
            padding: Padding::Words,
        });
        let plan = match planned {
            Ok(plan) => plan,
            Err(error) => bail!("the sections make no profile ({error:?}); is this the ELF file that ran?"),
        };
        let mut file = Vec::new();
        for chunk in plan.chunks() {
            let bytes = match self.sections.get(chunk.part) {
                Some(section) => &section.bytes,
                None if chunk.part == Part::Header => &header(&plan, self.encoding),
                None => &ids,
            };
            // A last entry that is cut short in memory is filled up with zeros in the file.
            let len = bytes.len().min(usize::try_from(chunk.len)?);
            file.extend(&bytes[..len]);
            file.resize(usize::try_from(chunk.offset + chunk.len + chunk.padding)?, 0);
        }
        if !Variant(self.version).has(Variant::DEBUG_CORRELATE) {
            self.write_values(&mut file)?;
        }
        Ok(file)
    }

    fn write_values(&self, file: &mut Vec<u8>) -> Result<()> {
        let version = self.raw_version()?;
        let shape = RecordShape::of(version, self.encoding.word);
        let records = || self.sections.data.bytes.chunks(shape.size as usize);
        let empty = |record| Some(record_size(&shape.value_sites(record, version, self.encoding)?, 0).unwrap_or(0));
        ensure!(
            records().map_while(empty).sum::<u64>() < MOST,
            "the records claim to have more value sites than any program; is this the ELF file that ran?"
        );
        let mut next = self.values.iter().peekable();
        for (index, record) in records().enumerate() {
            let Some(sites) = shape.value_sites(record, version, self.encoding) else { break };
            let values = next.next_if(|(at, _)| *at == index).map(|(_, values)| values.as_slice());
            value_record(file, self.encoding, &sites, values.unwrap_or(&[]));
        }
        Ok(())
    }
}

/// Returns the number of zero bytes after `len` bytes up to a multiple of 8.
fn zeros(len: usize) -> usize {
    padding(len as u64, 8) as usize
}

/// The header's bytes on the machine of the profile.
fn header(plan: &Plan, encoding: Encoding) -> Vec<u8> {
    let mut bytes = Vec::new();
    plan.each_header_word(|word| bytes.extend(encoding.u64_bytes(word)));
    bytes
}

/// Appends the value record of a function with these numbers of sites; sites beyond `values` have none.
fn value_record(file: &mut Vec<u8>, encoding: Encoding, sites: &[u16; 3], values: &[Site]) {
    let most = MAX_VALUES_PER_SITE as usize;
    let all: usize = sites.iter().map(|sites| usize::from(*sites)).sum();
    let pairs: usize = values.iter().take(all).map(|site| site.len().min(most)).sum();
    let Some(size) = record_size(sites, pairs as u64) else { return };
    let start = file.len();
    let kinds = sites.iter().filter(|sites| **sites > 0).count();
    file.extend(encoding.u32_bytes(size as u32));
    file.extend(encoding.u32_bytes(kinds as u32));
    debug_assert_eq!(file.len() - start, DATA_HEADER as usize);
    let mut rest = values.iter();
    for (kind, &sites) in sites.iter().enumerate().filter(|(_, sites)| **sites > 0) {
        let own: Vec<&[(u64, u64)]> =
            (0..sites).map(|_| rest.next().map_or(&[][..], |site| &site[..site.len().min(most)])).collect();
        file.extend(encoding.u32_bytes(kind as u32));
        file.extend(encoding.u32_bytes(u32::from(sites)));
        file.extend(own.iter().map(|site| site.len() as u8));
        file.resize(file.len() + zeros(file.len() - start), 0);
        for (value, count) in own.into_iter().flatten() {
            file.extend(encoding.u64_bytes(*value));
            file.extend(encoding.u64_bytes(*count));
        }
    }
    debug_assert_eq!(file.len() - start, size as usize);
}
