//! Indexed profiles: read what was written, and write what the installed tools write.

#[path = "indexed/damaged.rs"]
mod damaged;

use crate::common::{Random, Shape, random, records, shapes, text, tool_merge};
use needs_macros::needs;
use profdata::Profile;
use profdata::Target;
use profdata::error::ErrorKind;
use profdata::finding::FindingKind;
use profdata::read::ReadOptions;
use profdata::read::indexed::{Index, Lookup, end, read, read_summary};
use profdata::sink::Flags;
use profdata::write::Release;
use profdata::write::indexed::{HashEras, WriteOptions, write};
use proptest::prelude::*;

const AS_THE_TOOL: WriteOptions = WriteOptions { sparse: false, vtable_names: false, hash_eras: HashEras::AsIs };

fn bytes_of(profile: &Profile, target: Target, options: &WriteOptions) -> Vec<u8> {
    let mut out = Vec::new();
    let written = write(profile, target, options, &mut out).unwrap();
    assert_eq!(written.bytes, out.len() as u64);
    assert_eq!(end(&out), Ok(Some(out.len())));
    assert_eq!(end(&[&out[..], b"more"].concat()), Ok(Some(out.len())));
    assert!(end(&out[..out.len() - 8]).is_err());
    out
}

fn profile_of(bytes: &[u8], salvage: bool) -> Profile {
    let mut profile = Profile::new();
    read(bytes, &ReadOptions { salvage, ..ReadOptions::default() }, &mut profile).unwrap();
    profile
}

fn release(number: u32) -> Release {
    Release::new(number).unwrap()
}

/// The releases whose tools are asked.
const TESTED: [u32; 4] = [14, 16, 19, 22];

/// All that the tools can be asked for.
fn targets() -> Vec<(u32, Vec<&'static str>, Target)> {
    let own = TESTED.map(|number| (number, vec![], Target::of_release(release(number))));
    let previous =
        [19, 22].map(|number| (number, vec!["-write-prev-version"], Target::prev_version_of(release(number)).unwrap()));
    own.into_iter().chain(previous).collect()
}

/// Compares our bytes with those of the tool over the text of one profile.
fn compare(random: &Random, number: u32, options: &[&str], target: Target, ours: &WriteOptions) {
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("input.proftext");
    std::fs::write(&input, text(random)).unwrap();
    let theirs = tool_merge(number, options, &input).unwrap();
    let ours = bytes_of(&random.profile, target, ours);
    let differs = ours.iter().zip(&theirs).position(|(a, b)| a != b);
    let sizes = (ours.len(), theirs.len());
    assert!(ours == theirs, "LLVM {number} {options:?}: {sizes:?} bytes, first difference at {differs:?}");
}

fn shape_for(target: Target, functions: usize, seed: u64) -> Shape {
    let bit = |bit: u32| seed >> bit & 1 == 1;
    Shape {
        functions,
        ir: bit(0),
        context_sensitive: bit(1) && bit(0),
        entry_first: bit(2) && bit(0) && target.release().number() >= 14,
        byte_coverage: seed % 7 == 5 && target.release().number() >= 19,
        many_hashes: bit(3),
        bitmaps: bit(2) && target.version() >= 11 && target.release().number() >= 19,
        uniformity: false,
        kinds: [0, 2, 1, 3][(seed % 4) as usize].min(if target.release().number() >= 19 { 3 } else { 2 }),
        large_sites: seed % 3 == 1,
        traces: seed % 5 == 3 && target.release().number() >= 17,
        binary_ids: false,
        zeros: [0, 30, 90][(seed % 3) as usize],
        huge: seed % 6 == 4,
        pseudo: seed % 8 == 6,
    }
}

#[needs("clangs")]
fn bytes_are_those_of_the_tools() {
    for (number, options, target) in targets() {
        for (seed, functions) in
            [0, 1, 2, 3, 60, 60, 60, 60, 60, 60, 60, 60, 200, 200, 900, 900].into_iter().enumerate()
        {
            let seed = seed as u64;
            let shape = shape_for(target, functions, seed);
            println!("LLVM {number} {options:?} seed {seed} {shape:?}");
            compare(&random(seed, &shape), number, &options, target, &AS_THE_TOOL);
        }
    }
}

#[needs("clangs")]
fn sparse_bytes_are_those_of_the_tools() {
    for (number, mut options, target) in targets() {
        options.push("-sparse");
        for seed in [3, 5, 8, 9] {
            let shape = Shape { zeros: 93, ..shape_for(target, 120, seed) };
            println!("LLVM {number} {options:?} seed {seed} {shape:?}");
            compare(&random(seed, &shape), number, &options, target, &WriteOptions { sparse: true, ..AS_THE_TOOL });
        }
    }
}

#[needs("clangs")]
fn bytes_of_many_functions_are_those_of_the_tools() {
    // Without optimization 100,000 take a minute.
    let functions = if cfg!(debug_assertions) { 10_000 } else { 100_000 };
    let shape = Shape { functions, ir: true, many_hashes: true, zeros: 20, ..Shape::default() };
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("input.profdata");
    // As text the tools take minutes. All of them read version 7.
    let old = bytes_of(&random(77, &shape).profile, Target::of_indexed(7).unwrap(), &AS_THE_TOOL);
    std::fs::write(&input, &old).unwrap();
    let profile = profile_of(&old, false);
    for (number, options, target) in targets() {
        println!("LLVM {number} {options:?}");
        assert!(tool_merge(number, &options, &input).unwrap() == bytes_of(&profile, target, &AS_THE_TOOL));
    }
}

#[cfg(feature = "zlib")]
#[needs("clangs")]
fn vtable_names_are_those_of_the_tools() {
    for (number, mut options, target) in targets().into_iter().filter(|(number, ..)| *number >= 19) {
        options.push("-keep-vtable-symbols");
        for seed in 0..12 {
            let functions = [1, 9, 60, 400][seed as usize % 4];
            let shape = Shape { functions, ir: true, kinds: 3, zeros: 20, ..Shape::default() };
            println!("LLVM {number} {options:?} seed {seed}");
            let mut random = random(seed, &shape);
            let names = profdata::write::indexed::vtable_names_of_input(random.profile.vtable_names());
            random.profile.set_vtable_names(names);
            compare(&random, number, &options, target, &WriteOptions { vtable_names: true, ..AS_THE_TOOL });
        }
    }
}

/// The tools read what we write of all versions up to their own, and the newest one writes the same again.
#[needs("clangs")]
fn the_tools_read_every_version() {
    for (number, _, target) in targets().into_iter().filter(|(_, options, _)| options.is_empty()) {
        for version in 7..=target.version() {
            let written = Target::of_indexed(version).unwrap();
            let shape = Shape {
                functions: 60,
                ir: true,
                kinds: 2,
                bitmaps: version >= 11,
                traces: version >= 10,
                binary_ids: version >= 9,
                zeros: 10,
                ..Shape::default()
            };
            let random = random(u64::from(version), &shape);
            let dir = tempfile::tempdir().unwrap();
            let input = dir.path().join("input.profdata");
            std::fs::write(&input, bytes_of(&random.profile, written, &AS_THE_TOOL)).unwrap();
            let theirs = tool_merge(number, &[], &input).unwrap();
            assert_eq!(records(&profile_of(&theirs, false)), records(&random.profile), "LLVM {number} of {version}");
            if version == target.version() && number >= 17 {
                assert!(theirs == bytes_of(&random.profile, target, &AS_THE_TOOL), "LLVM {number}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(
        seed: u64,
        (version, shape) in (7..=14u32).prop_flat_map(|version| (Just(version), shapes(40, version))),
        salvage: bool,
    ) {
        let random = random(seed, &shape);
        let target = Target::of_indexed(version).unwrap();
        let bytes = bytes_of(&random.profile, target, &WriteOptions::default());
        let back = profile_of(&bytes, salvage);
        prop_assert!(back.findings().is_empty(), "{:?}", back.findings());
        prop_assert_eq!(records(&back), records(&random.profile));
        prop_assert_eq!(back.flags(), random.profile.flags());
        prop_assert_eq!(back.traces(), random.profile.traces());
        prop_assert_eq!(back.trace_stream_size(), random.profile.trace_stream_size());
        prop_assert_eq!(back.binary_ids(), random.profile.binary_ids());
        let sorted = |names: &[Vec<u8>]| { let mut names = names.to_vec(); names.sort(); names };
        prop_assert_eq!(sorted(back.vtable_names()), sorted(random.profile.vtable_names()));
        let summaries = read_summary(&bytes).unwrap();
        let cs = random.profile.flags().has(Flags::CONTEXT_SENSITIVE);
        prop_assert_eq!(summaries.context_sensitive.is_some(), cs);
        let mut index = Index::new(&bytes).unwrap();
        for record in random.profile.records() {
            let Lookup::Found(found) = index.find(record.name, record.hash).unwrap() else { panic!("{record:?}") };
            prop_assert_eq!(found.counters, record.counters);
            prop_assert_ne!(index.find(record.name, record.hash ^ 1 << 59).unwrap(), Lookup::Unknown);
        }
        prop_assert_eq!(index.find(profdata::sink::Name::of(b"no such function"), 1).unwrap(), Lookup::Unknown);
    }

    #[test]
    fn damage_is_an_error_or_a_finding_and_never_a_panic(
        seed: u64,
        version in 7..=14u32,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut: prop::sample::Index,
    ) {
        let shape = Shape { functions: 12, ir: true, kinds: 2, bitmaps: true, traces: true, binary_ids: true, ..Shape::default() };
        let random = random(seed, &shape);
        let bytes = bytes_of(&random.profile, Target::of_indexed(version).unwrap(), &WriteOptions::default());
        let mut damaged = bytes.clone();
        for (place, byte) in damage {
            *place.get_mut(&mut damaged) = byte;
        }
        for bytes in [&damaged[..], &bytes[..cut.index(bytes.len())], &damaged[..cut.index(bytes.len())]] {
            for salvage in [false, true] {
                let _ = read(bytes, &ReadOptions { salvage, ..ReadOptions::default() }, &mut Profile::new());
            }
            let _ = read_summary(bytes);
            if let Ok(mut index) = Index::new(bytes) {
                for (_, name) in random.profile.names().iter() {
                    let _ = index.find(name, 1);
                }
            }
        }
    }
}

#[test]
fn a_cut_profile_keeps_the_records_before_the_cut() {
    let shape = Shape { functions: 100, ir: true, kinds: 2, zeros: 10, ..Shape::default() };
    let random = random(4, &shape);
    for version in 7..=14 {
        let bytes = bytes_of(&random.profile, Target::of_indexed(version).unwrap(), &WriteOptions::default());
        let whole = records(&random.profile);
        let mut before = 0;
        for len in (100..bytes.len()).step_by(97) {
            let cut = &bytes[..len];
            assert!(read(cut, &ReadOptions::default(), &mut Profile::new()).is_err());
            let salvaged = profile_of(cut, true);
            assert!(!salvaged.findings().is_empty());
            assert!(salvaged.len() >= before, "version {version}, {len} bytes");
            before = salvaged.len();
            // The last record may have lost its values; the others are whole.
            let strange = records(&salvaged).into_iter().filter(|record| !whole.contains(record)).count();
            assert!(strange <= 1, "version {version}, {len} bytes");
        }
        assert_eq!(before, 100, "version {version}");
    }
}

#[test]
fn a_damaged_bucket_costs_its_own_functions() {
    let shape = Shape { functions: 100, ir: true, kinds: 2, zeros: 10, ..Shape::default() };
    let random = random(4, &shape);
    let bytes = bytes_of(&random.profile, Target::of_indexed(13).unwrap(), &WriteOptions::default());
    let whole = records(&random.profile);
    for place in (600..9000).step_by(131) {
        let mut damaged = bytes.clone();
        damaged[place..place + 16].fill(0xee);
        let salvaged = profile_of(&damaged, true);
        let kept = records(&salvaged).into_iter().filter(|record| whole.contains(record)).count();
        assert!(kept >= 92, "{kept} of 100 records with damage at {place}: {:?}", salvaged.findings());
    }
}

/// Profiles of the smallest kind, made by hand from the layout of versions that no writer makes any more.
fn old_profile(version: u64) -> Vec<u8> {
    let mut bytes: Vec<u8> = Vec::new();
    let words = |bytes: &mut Vec<u8>, words: &[u64]| words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    let (name, mut data) = (b"main", Vec::new());
    match version {
        1 => words(&mut data, &[77, 5, 6]),
        2 => words(&mut data, &[77, 2, 5, 6, 78, 1, 9]),
        _ => {
            words(&mut data, &[77, 2, 5, 6]);
            data.extend([8, 0, 0, 0, 0, 0, 0, 0]);
            words(&mut data, &[78, 1, 9]);
            data.extend([8, 0, 0, 0, 0, 0, 0, 0]);
        }
    }
    bytes.extend(b"\xfflprofi\x81");
    words(&mut bytes, &[version, 0, 0, 0]);
    if version >= 4 {
        words(&mut bytes, &[6, 16]);
        words(&mut bytes, &[0; 6 + 16 * 3]);
    }
    let bucket = bytes.len() as u64;
    bytes.extend([1, 0]);
    words(&mut bytes, &[profdata::name::name_hash(name), name.len() as u64, data.len() as u64]);
    bytes.extend(name);
    bytes.extend(data);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let array = bytes.len() as u64;
    words(&mut bytes, &[1, 1, bucket]);
    bytes[32..40].copy_from_slice(&array.to_le_bytes());
    bytes
}

#[needs("clangs")]
fn versions_1_to_7_are_read() {
    let dir = tempfile::tempdir().unwrap();
    for version in 1..=7 {
        let bytes = old_profile(version);
        let profile = profile_of(&bytes, false);
        let found: Vec<(u64, Vec<u64>)> =
            profile.records().map(|record| (record.hash, record.counters.to_vec())).collect();
        let both = [(77, vec![5, 6]), (78, vec![9])];
        assert_eq!(found, &both[..if version == 1 { 1 } else { 2 }], "version {version}");
        assert_eq!(read_summary(&bytes).unwrap().plain.is_some(), version >= 4);
        // And what we take them for is what the tools take them for.
        let input = dir.path().join("input.profdata");
        std::fs::write(&input, &bytes).unwrap();
        for (number, options, _) in targets().into_iter().filter(|(_, options, _)| options.is_empty()) {
            let theirs = profile_of(&tool_merge(number, &options, &input).unwrap(), false);
            assert_eq!(records(&theirs), records(&profile), "LLVM {number} of {version}");
        }
    }
}

#[test]
fn version_14_packs_bitmaps_and_has_uniformity_bits() {
    let mut profile = Profile::new();
    let record = profdata::sink::RecordRef {
        name: profdata::sink::Name::of(b"main"),
        hash: 7,
        counters: &[1, 2],
        bitmap: &[5, 6, 7],
        uniformity: &[0xfd],
        values: None,
    };
    profile.push(record).unwrap();
    let version = |version| bytes_of(&profile, Target::of_indexed(version).unwrap(), &WriteOptions::default());
    let (v13, v14) = (version(13), version(14));
    // The record begins after header, summary, the bucket's count, three words and the name.
    let record = 72 + 448 + 2 + 24 + 4;
    let words = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    assert!(v13[record..].starts_with(&words(&[7, 2, 1, 2, 3, 5, 6, 7, 8])));
    assert!(v14[record..].starts_with(&words(&[7, 2, 1, 2, 3, 0x07_06_05, 1, 0xfd, 8])));
    assert_eq!(records(&profile_of(&v14, false)), records(&profile));
    let target = Target::of_indexed(10).unwrap();
    let written = write(&profile, target, &WriteOptions::default(), &mut Vec::new()).unwrap();
    let kinds: Vec<_> = written.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::BitmapsLeftOut { records: 1 }, FindingKind::UniformityLeftOut { records: 1 }]);
}

#[test]
fn what_readers_would_misunderstand_is_refused() {
    let refused = |profile: &Profile, target: Target| {
        write(profile, target, &WriteOptions::default(), &mut Vec::new()).unwrap_err().kind() == ErrorKind::Unwritable
    };
    let shape = Shape { functions: 3, ir: true, ..Shape::default() };
    let mut profile = random(1, &shape).profile;
    profile.set_flags(Flags::IR | Flags::LOOP_ENTRIES);
    assert!(refused(&profile, Target::of_release(release(19))));
    write(&profile, Target::of_release(release(22)), &WriteOptions::default(), &mut Vec::new()).unwrap();
    let mut profile = random(1, &shape).profile;
    let twice = random(1, &shape).profile;
    profile.push(twice.record(0).unwrap()).unwrap();
    assert!(refused(&profile, Target::of_release(release(22))));
}

#[test]
fn a_second_profile_behind_the_first_is_an_error_or_a_finding() {
    let shape = Shape { functions: 3, ir: true, ..Shape::default() };
    for version in 7..=14 {
        let whole =
            bytes_of(&random(1, &shape).profile, Target::of_indexed(version).unwrap(), &WriteOptions::default());
        let padded = [&whole[..], &[0; 16]].concat();
        assert_eq!(records(&profile_of(&padded, false)), records(&profile_of(&whole, false)));
        let twice = [&whole[..], &whole].concat();
        let error = read(&twice, &ReadOptions::default(), &mut Profile::new()).unwrap_err();
        assert_eq!(error.details().offset, Some(whole.len() as u64), "{error}");
        let kept = profile_of(&twice, true);
        let kinds: Vec<_> = kept.findings().iter().map(|finding| finding.kind).collect();
        assert_eq!(kinds, [FindingKind::TrailingBytes { bytes: whole.len() as u64 }]);
        assert_eq!(records(&kept), records(&profile_of(&whole, false)));
        // LLVM does not look there.
        let as_llvm = ReadOptions { release: Some(release(23)), ..ReadOptions::default() };
        read(&twice, &as_llvm, &mut Profile::new()).unwrap();
    }
}
