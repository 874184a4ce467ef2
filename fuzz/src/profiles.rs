//! The first inputs of the targets of `profdata`: profiles that programs have written, and what `profdata` makes of them.

use std::path::Path;
use std::{fs, io};

use profdata::Target;
use profdata::merge::{MergeOptions, Merger};
use profdata::name::name_hash;
use profdata::read::ReadOptions;
use profdata::read::names::write_blob;
use profdata::sink::{Flags, Format, Name, RecordRef, Value, ValueSites};
use profdata::sink::{Heading, Sink, Trace};
use profdata::write::Release;
use profdata::write::indexed::{HashEras, WriteOptions};
use profdata::{Profile, read, write};

use crate::merging::join;

/// Returns a small profile with everything that a record can have.
fn rich() -> Profile {
    let mut profile = Profile::new();
    let flags = Flags::IR | Flags::CONTEXT_SENSITIVE | Flags::TEMPORAL;
    profile
        .heading(&Heading { format: Format::Text, flags, says_front_end: false, kind_unknown: false })
        .expect("a profile takes all");
    for number in 0..6u64 {
        let name = format!("function_{number}");
        let mut values = ValueSites::default();
        for (kind, sites) in (0..).zip(&mut values.kinds) {
            for site in 0..(number + kind) % 3 {
                let value = |at: u64| Value {
                    value: if kind == 1 { 8 * at } else { name_hash(format!("function_{at}").as_bytes()) },
                    count: 90 - at,
                };
                assert!(sites.push_site((0..site + 2).map(value)));
            }
        }
        let record = RecordRef {
            name: Name::of(name.as_bytes()),
            hash: number << 60 & 1 << 60 | number / 2,
            counters: &[100, number, 0, 1 << number],
            bitmap: &[0b101, 3, 7][..number as usize % 4],
            uniformity: if number == 3 { &[0xf5] } else { &[] },
            values: Some(&values).filter(|values| !values.is_empty()),
        };
        profile.push(record).expect("few names");
    }
    profile.binary_id(b"0123456789abcdef0123");
    profile.set_vtable_names(vec![b"_ZTV1A".to_vec(), b"_ZTV1B".to_vec()]);
    let functions = (0..4).map(|number| name_hash(format!("function_{number}").as_bytes()));
    profile.set_traces(vec![Trace { weight: 1, functions: functions.collect() }], 1);
    profile
}

/// Returns small profiles of one kind, and what they are made of.
fn inputs() -> Vec<Vec<u8>> {
    crate::programs()
        .iter()
        .map(|made| made.profile())
        .chain(crate::real())
        .filter(|bytes| bytes.len() < 6000)
        .collect()
}

fn merged(bytes: &[u8]) -> Profile {
    let mut merger = Merger::new(MergeOptions::default());
    merger.add_bytes("seed", 1, bytes).expect("one input");
    merger.finish().expect("few names").0
}

fn indexed(profile: &Profile, version: u32) -> Option<Vec<u8>> {
    let options = WriteOptions { sparse: false, vtable_names: true, hash_eras: HashEras::AsIs };
    let mut bytes = Vec::new();
    write::indexed::write(profile, Target::of_indexed(version)?, &options, &mut bytes).ok()?;
    Some(bytes)
}

fn text(profile: &Profile, release: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = write::text::TextWriteOptions { release: Release::new(release).expect("13 to 23") };
    write::text::write(profile, &options, &mut bytes).expect("memory");
    bytes
}

fn partial(profile: &Profile) -> Vec<u8> {
    let mut merger = Merger::new(MergeOptions::default());
    let mut input = merger.input("seed", 1);
    let read = profile.send_to(&mut input);
    input.finish(1, read).expect("one kind");
    let mut bytes = Vec::new();
    merger.write_with_note(b"note", &mut bytes).expect("memory");
    bytes
}

/// Returns indexed profiles with a MemProf section, as LLVM's tool has written them.
fn memprof() -> Vec<Vec<u8>> {
    ["version-2", "version-3", "version-4", "data-accesses"]
        .iter()
        .map(|name| fs::read(format!("{}/memprof/{name}.indexed", env!("CARGO_MANIFEST_DIR"))).expect("memprof/"))
        .collect()
}

/// Returns the MemProf section of a profile, and then the place where it starts.
fn section(bytes: &[u8]) -> Vec<u8> {
    let mut profile = Profile::new();
    read::indexed::read(bytes, &ReadOptions::default(), &mut profile).expect("a sound profile");
    let (start, section) = &profile.memprof_sections()[0];
    [&section[..], &(*start as u16).to_be_bytes()].concat()
}

/// Writes all first inputs into `corpus`.
pub fn write_seeds(corpus: &Path) -> io::Result<()> {
    let raws = inputs();
    let mut profiles: Vec<Profile> = raws.iter().map(|bytes| merged(bytes)).collect();
    profiles.push(rich());
    let indexed: Vec<Vec<u8>> =
        profiles.iter().flat_map(|profile| (7..=14).filter_map(|version| indexed(profile, version))).collect();
    let texts: Vec<Vec<u8>> =
        profiles.iter().flat_map(|profile| [13, 18, 23].map(|release| text(profile, release))).collect();
    let partials: Vec<Vec<u8>> = profiles.iter().map(partial).collect();
    let names: [&[&[u8]]; 3] = [&[b"main", b"file.c;helper"], &[b"a"], &[b"_ZN1A1bEv", b"_ZN1A1cEv", b"_ZN1A1dEv"]];
    let mut blobs: Vec<Vec<u8>> = Vec::new();
    for compress in [false, true] {
        let each = names.map(|names| write_blob(names.iter().copied(), compress));
        blobs.push(each.concat());
        blobs.extend(each);
    }
    // A first byte chooses what the target does with the others.
    let with = |byte: u8, bytes: &[u8]| [&[byte], bytes].concat();
    let mut merges = Vec::new();
    for (number, raw) in raws.iter().enumerate() {
        let mode = number as u8;
        let profile = &profiles[number];
        merges.push(join(mode, &[raw, raw, &text(profile, 22)]));
        merges.push(join(mode, &[raw, &partial(profile), raw]));
    }
    for (number, pair) in indexed.windows(2).enumerate() {
        merges.push(join(number as u8, &[&pair[0], &pair[1], &pair[0]]));
    }
    let partial_inputs =
        partials.iter().flat_map(|bytes| [with(0, bytes), with(1, &contents_of_frames(bytes))]).collect();
    let memprofs = memprof();
    for (mode, pair) in (0..).zip(memprofs.windows(2)) {
        merges.push(join(mode, &[&pair[0], &pair[0], &pair[1]]));
        merges.push(join(mode, &[&pair[1], &raws[0], &pair[1]]));
    }
    let memprofs = memprofs.iter().map(|bytes| section(bytes)).collect();
    let all: [(&str, Vec<Vec<u8>>); 8] = [
        ("read_coverage", crate::objects::seeds()),
        ("read_raw", raws.clone()),
        ("read_indexed", indexed),
        ("read_text", texts),
        ("read_names", blobs),
        ("read_memprof", memprofs),
        ("read_partial", partial_inputs),
        ("merge_profiles", merges),
    ];
    for (target, seeds) in all {
        let directory = corpus.join(target);
        fs::create_dir_all(&directory)?;
        for (number, seed) in seeds.iter().enumerate() {
            fs::write(directory.join(format!("seed-{number}")), seed)?;
        }
    }
    Ok(())
}

/// The bytes before the first frame of a partial result.
const PARTIAL_HEADER: usize = 12;

/// Returns the frames of a partial result without checksums: tag, `u16` length, content.
fn contents_of_frames(bytes: &[u8]) -> Vec<u8> {
    let mut rest = &bytes[PARTIAL_HEADER..];
    let mut contents = Vec::new();
    while let Some((header, others)) = rest.split_first_chunk::<9>() {
        let len = u32::from_le_bytes([header[1], header[2], header[3], header[4]]) as usize;
        contents.push(header[0]);
        contents.extend((len as u16).to_le_bytes());
        contents.extend_from_slice(&others[..len]);
        rest = &others[len..];
    }
    contents
}

/// Returns the partial result with these frames: what [`contents_of_frames`] returns, with right checksums and number of frames.
pub fn with_frames(contents: &[u8]) -> Vec<u8> {
    const END: u8 = 255;
    let mut bytes = b"\xffprofpt\x81\x01\0\0\0".to_vec();
    let mut frames = 0u8;
    let mut frame = |tag: u8, content: &[u8]| {
        let mut header = vec![tag];
        header.extend((content.len() as u32).to_le_bytes());
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&header);
        hasher.update(content);
        bytes.extend(header);
        bytes.extend(hasher.finalize().to_le_bytes());
        bytes.extend_from_slice(content);
    };
    let mut rest = contents;
    while let Some(([tag, len @ ..], others)) = rest.split_first_chunk::<3>() {
        let (content, others) = others.split_at(usize::from(u16::from_le_bytes(*len)).min(others.len()));
        rest = others;
        if *tag == END || frames == 127 {
            continue;
        }
        frame(*tag, content);
        frames += 1;
    }
    frame(END, &[frames]);
    bytes
}
