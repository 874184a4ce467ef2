//! Which tests ran which lines, and the file that has it.
//!
//! The file is a first line with its version, the length of its head (8 bytes, little endian), the head, a block for each source, and blocks of
//! [`SETS`] sets. Head and sources are JSON; sets are bits, a fixed number of bytes each. Everything is compressed by itself (zlib), so that a
//! question reads the head, the block of a source, and those of few sets. The CRC-32 of what it unpacks to follows each block: the sum of zlib
//! misses some changes of so few bytes.

use std::cell::OnceCell;
use std::io::{Read as _, Write as _};
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::set::TestSet;

/// The first bytes.
const MAGIC: &[u8] = b"profrt-who-2\n";
/// Those of all versions.
const ANY_VERSION: &[u8] = b"profrt-who-";

/// Sets in a block.
const SETS: usize = 256;

/// What a block may be unpacked to: a few bytes of a hostile file can stand for a thousand times as many.
const LARGEST: usize = 1 << 26;

/// What was collected.
pub(super) struct Index {
    pub(super) tests: Vec<String>,
    /// By their paths.
    pub(super) files: Vec<(String, FileTests)>,
    pub(super) sets: Vec<TestSet>,
}

/// What tests ran of a source.
#[derive(Serialize, Deserialize)]
pub(in crate::cov) struct FileTests {
    /// The first and last lines of the bodies of functions.
    pub(super) functions: Vec<(u32, u32)>,
    /// Their names.
    #[serde(default)]
    pub(super) names: Vec<String>,
    /// The first and last lines of runs with code, in rising order, and the number of the set of tests that ran them.
    pub(in crate::cov) lines: Vec<(u32, u32, u32)>,
}

impl FileTests {
    /// Returns the runs that have one of these lines.
    pub(super) fn runs(&self, first: u32, last: u32) -> impl Iterator<Item = &(u32, u32, u32)> {
        self.lines.iter().filter(move |(start, end, _)| *start <= last && first <= *end)
    }
}

#[derive(Serialize, Deserialize)]
struct Head {
    tests: Vec<String>,
    /// The numbers of tests that ran no line.
    #[serde(default)]
    unknown: Vec<u32>,
    /// The paths of sources, and the sizes of their blocks.
    files: Vec<(String, usize)>,
    /// The sizes of the blocks of sets.
    sets: Vec<usize>,
}

impl Index {
    /// Returns the bytes of the file. Errors: none that the contents can cause.
    pub(super) fn bytes(&self) -> Result<Vec<u8>> {
        let width = width(self.tests.len());
        let in_block = |sets: &[TestSet]| {
            let mut plain = vec![0; sets.len() * width];
            for (bits, set) in plain.chunks_mut(width).zip(sets) {
                bits.iter_mut().zip(set.bytes()).for_each(|(to, from)| *to = *from);
            }
            pack(&plain)
        };
        let files: Vec<Vec<u8>> = self.files.iter().map(|(_, file)| pack_json(file)).collect::<Result<_>>()?;
        let sets: Vec<Vec<u8>> = self.sets.chunks(SETS).map(in_block).collect::<Result<_>>()?;
        let paths = self.files.iter().map(|(path, _)| path.clone());
        let mut known = TestSet::default();
        self.sets.iter().for_each(|set| known.add(set));
        let head = pack_json(&Head {
            tests: self.tests.clone(),
            unknown: (0..self.tests.len() as u32).filter(|test| !known.has(*test)).collect(),
            files: paths.zip(files.iter().map(Vec::len)).collect(),
            sets: sets.iter().map(Vec::len).collect(),
        })?;
        Ok([MAGIC, &(head.len() as u64).to_le_bytes(), &head, &files.concat(), &sets.concat()].concat())
    }
}

/// An index as its file has it.
pub(in crate::cov) struct Stored {
    bytes: Vec<u8>,
    pub(in crate::cov) tests: Vec<String>,
    /// Tests that ran no line: they left no profile, as after a crash, or what they run is not measured.
    pub(super) unknown: Vec<u32>,
    /// The paths of sources, in rising order, and where their blocks are.
    files: Vec<(String, Range<usize>)>,
    /// Where the blocks of sets are, and what they have.
    sets: Vec<(Range<usize>, OnceCell<Vec<u8>>)>,
}

impl Stored {
    /// Reads the head of a file. Errors: it is no such file, or damaged.
    pub(in crate::cov) fn read(path: &Path) -> Result<Stored> {
        Stored::of(crate::text::read(path)?).with_context(|| crate::inputs::display(path))
    }

    fn of(bytes: Vec<u8>) -> Result<Stored> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            ensure!(!bytes.starts_with(ANY_VERSION), "another version of profrt has made it; make it again");
            bail!("no file of `profrt cov who --output`; --object makes one of profiles");
        };
        let (size, _) = rest.split_first_chunk().context("it is cut")?;
        let size = usize::try_from(u64::from_le_bytes(*size)).unwrap_or(usize::MAX);
        let mut end = MAGIC.len() + size_of::<u64>();
        let mut next = |size: usize| {
            let start = end;
            end = end.saturating_add(size);
            start..end
        };
        let head: Head = unpack_json(&bytes, next(size))?;
        let files = head.files.into_iter().map(|(path, size)| (path, next(size))).collect();
        let sets = head.sets.into_iter().map(|size| (next(size), OnceCell::new())).collect();
        Ok(Stored { tests: head.tests, unknown: head.unknown, files, sets, bytes })
    }

    /// Returns the paths of the sources.
    pub(in crate::cov) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(path, _)| path.as_str())
    }

    /// Returns what tests ran of a source; `None`: there is no such source. Errors: the file is damaged.
    pub(in crate::cov) fn file(&self, path: &str) -> Result<Option<FileTests>> {
        let found = self.files.binary_search_by(|(own, _)| own.as_str().cmp(path)).ok();
        let range = found.and_then(|place| self.files.get(place)).map(|(_, range)| range.clone());
        range.map(|range| unpack_json(&self.bytes, range)).transpose()
    }

    /// Returns a set of tests. Errors: the file is damaged.
    pub(in crate::cov) fn set(&self, number: u32) -> Result<TestSet> {
        let (block, place) = (number as usize / SETS, number as usize % SETS);
        let (range, block) = self.sets.get(block).context("it is damaged: a set of tests is missing")?;
        if block.get().is_none() {
            // It is empty, as one thread reads.
            let _ = block.set(unpack(&self.bytes, range.clone())?);
        }
        let width = width(self.tests.len());
        let bits = block.get().and_then(|block| block.get(place * width..(place + 1) * width));
        Ok(TestSet::of(bits.context("it is damaged: a set of tests is cut")?))
    }

    /// Returns the names of tests.
    pub(super) fn names(&self, set: &TestSet) -> Vec<&str> {
        set.iter().filter_map(|test| self.tests.get(test as usize)).map(String::as_str).collect()
    }
}

/// Returns the number of bytes of a set.
fn width(tests: usize) -> usize {
    tests.div_ceil(8).max(1)
}

fn pack(plain: &[u8]) -> Result<Vec<u8>> {
    ensure!(plain.len() < LARGEST, "there are too many tests or lines; make several files of them");
    Ok([deflate(plain)?, crc32fast::hash(plain).to_le_bytes().to_vec()].concat())
}

fn deflate(plain: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain)?;
    Ok(encoder.finish()?)
}

fn pack_json(value: &impl Serialize) -> Result<Vec<u8>> {
    pack(&serde_json::to_vec(value)?)
}

fn unpack(bytes: &[u8], range: Range<usize>) -> Result<Vec<u8>> {
    let (packed, sum) = bytes.get(range).and_then(<[u8]>::split_last_chunk).context("it is cut")?;
    let mut plain = Vec::new();
    let limit = LARGEST as u64;
    ZlibDecoder::new(packed).take(limit).read_to_end(&mut plain).context("it is damaged")?;
    ensure!(plain.len() < LARGEST, "it is damaged: a block is too large");
    ensure!(crc32fast::hash(&plain).to_le_bytes() == *sum, "it is damaged");
    Ok(plain)
}

fn unpack_json<T: DeserializeOwned>(bytes: &[u8], range: Range<usize>) -> Result<T> {
    serde_json::from_slice(&unpack(bytes, range)?).context("it is damaged")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> Index {
        let sets = (0..600u32).map(|number| {
            let mut set = TestSet::default();
            (0..20).filter(|test| number >> (test % 10) & 1 == 1).for_each(|test| set.insert(test));
            set
        });
        let lines = (0..600).map(|number| (2 * number, 2 * number + 1, number)).collect();
        Index {
            tests: (0..20).map(|test| format!("test {test}")).collect(),
            files: vec![("/a.c".into(), FileTests { functions: vec![(3, 9)], names: vec!["f".into()], lines })],
            sets: sets.collect(),
        }
    }

    #[test]
    fn an_index_comes_back() {
        let stored = Stored::of(index().bytes().unwrap()).unwrap();
        let file = stored.file("/a.c").unwrap().unwrap();
        assert_eq!((file.functions.clone(), file.lines.len()), (vec![(3, 9)], 600));
        assert_eq!(file.runs(5, 6).map(|run| run.2).collect::<Vec<_>>(), [2, 3]);
        for (number, set) in (0..).zip(&index().sets) {
            assert_eq!(stored.set(number).unwrap(), *set);
        }
        assert_eq!(stored.names(&stored.set(1).unwrap()), ["test 0", "test 10"]);
        assert!(stored.set(600).is_err() && stored.set(u32::MAX).is_err() && stored.file("/b.c").unwrap().is_none());
    }

    /// Damaged files are refused: nothing panics.
    #[test]
    fn damaged_files_are_survived() {
        let whole = index().bytes().unwrap();
        let ask = |bytes: &[u8]| {
            let stored = Stored::of(bytes.to_vec())?;
            let file = stored.file("/a.c")?.context("no file")?;
            file.lines.iter().try_for_each(|(_, _, set)| stored.set(*set).map(|set| _ = stored.names(&set)))
        };
        assert!(ask(&whole).is_ok());
        for len in 0..whole.len() {
            assert!(ask(&whole[..len]).is_err(), "{len}");
        }
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 0x55;
            assert!(ask(&bytes).is_err(), "{place}");
        }
        let error = |bytes: &[u8]| ask(bytes).unwrap_err().to_string();
        assert!(error(b"profrt-who-1\n").contains("another version"));
        assert!(error(b"x").contains("no file of"));
        // A block that unpacks to more than it may.
        let bomb = deflate(&vec![b' '; LARGEST + 1]).unwrap();
        assert!(pack(&vec![b' '; LARGEST]).is_err());
        let hostile = [MAGIC, &(bomb.len() as u64).to_le_bytes(), &bomb].concat();
        assert!(error(&hostile).contains("too large"));
    }
}
