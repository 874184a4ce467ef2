//! MemProf sections: read, merged and written as the installed tools write them.

#[path = "memprof/yaml.rs"]
mod yaml;

use needs::is_all;
use needs_macros::needs;
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common;
use crate::common::tool_merge;
use profdata::Target;
use profdata::finding::FindingKind;
use profdata::finding::MemProfLoss;
use profdata::memprof::MemProf;
use profdata::merge::{MergeOptions, Merger};
use profdata::read::ReadOptions;
use profdata::read::indexed::read;
use profdata::sink::{Flags, Sink};
use profdata::write::Release;
use profdata::write::indexed::{HashEras, WriteOptions, write};
use profdata::{Profile, compat};
use yaml::{Shape, Shown};

const TOOL: &str = "llvm-profdata-22";
const AS_THE_TOOL: WriteOptions = WriteOptions { sparse: false, vtable_names: false, hash_eras: HashEras::AsIs };

/// Returns the indexed profile that the tool makes of YAML.
fn indexed(directory: &Path, yaml: &str, options: &[&str]) -> Vec<u8> {
    let path = directory.join("in.yaml");
    fs::write(&path, yaml).unwrap();
    tool_merge(22, options, &path).unwrap()
}

/// Returns what the tool shows of an indexed profile.
fn show(directory: &Path, bytes: &[u8]) -> String {
    let path = directory.join("shown.profdata");
    fs::write(&path, bytes).unwrap();
    let run = Command::new(TOOL).args(["show", "-memory"]).arg(path).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

fn profile_of(bytes: &[u8]) -> Profile {
    let mut profile = Profile::new();
    read(bytes, &ReadOptions::default(), &mut profile).unwrap();
    profile
}

fn bytes_of(profile: &Profile) -> Vec<u8> {
    bytes_for(22, profile)
}

fn bytes_for(release: u32, profile: &Profile) -> Vec<u8> {
    let mut out = Vec::new();
    write(profile, Target::of_release(Release::new(release).unwrap()), &AS_THE_TOOL, &mut out).unwrap();
    out
}

fn merger(inputs: &[&[u8]]) -> Merger {
    let mut merger = Merger::new(MergeOptions::default());
    for (number, input) in inputs.iter().enumerate() {
        merger.add_bytes(&format!("{number}"), 1, input).unwrap();
    }
    merger
}

fn merged(inputs: &[&[u8]]) -> Vec<u8> {
    let (profile, report) = merger(inputs).finish().unwrap();
    assert_eq!(report.findings, []);
    bytes_of(&profile)
}

/// A section next to records stands at another place and says the same.
#[needs("clang-22")]
fn sections_are_carried_through() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let shape = common::Shape { functions: 60, ir: true, kinds: 2, binary_ids: true, ..common::Shape::default() };
    for version in 2..=4 {
        let input = indexed(directory, ONE, &[&format!("--memprof-version={version}")]);
        let mut both = common::random(1, &shape).profile;
        read(&input, &ReadOptions::default(), &mut both).unwrap();
        assert_eq!(show(directory, &bytes_of(&both)), show(directory, &input));
        // Alone it is where it was, and the whole file is the tool's.
        assert!(bytes_of(&profile_of(&input)) == input, "version {version}");
        // LLVM 18 reads no such section.
        let (mut out, target) = (Vec::new(), Target::of_release(Release::new(18).unwrap()));
        let written = write(&both, target, &AS_THE_TOOL, &mut out).unwrap();
        assert!(written.findings.iter().any(|finding| finding.kind == MemProfLoss::NotInFormat.into()));
        assert!(!profile_of(&out).flags().has(Flags::MEMPROF));
    }
}

/// Returns the findings of a merge about MemProf.
fn left_out(inputs: &[&[u8]]) -> Vec<(u32, MemProfLoss)> {
    let (profile, report) = merger(inputs).finish().unwrap();
    assert!(profile.memprof_sections().is_empty());
    let why = |finding: &profdata::Finding| match finding.kind {
        FindingKind::MemProfLeftOut { why } => Some((finding.input.number, why)),
        _ => None,
    };
    report.findings.iter().filter_map(why).collect()
}

/// Returns the random shape of a seed.
fn shape(seed: u64, version: u64) -> Shape {
    Shape {
        functions: 1 + seed % 17 * 3,
        stack: 1 + seed % 9,
        callees: version == 4,
        // Strings are compressed, and only zlib compresses as LLVM does.
        data_accesses: version == 4 && seed.is_multiple_of(2) && cfg!(feature = "zlib"),
    }
}

/// Returns what the tool writes of what it shows of a profile, with the functions in the order of our sections.
fn through_text(directory: &Path, bytes: &[u8], options: &[&str]) -> Vec<u8> {
    indexed(directory, &Shown::parse(&show(directory, bytes)).yaml(), options)
}

/// What is read and written again has the contents of what the tool wrote, and the bytes that it writes of them.
#[needs("clang-22")]
fn sections_are_those_of_the_tool() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for seed in 0..if is_all() { 60 } else { 18 } {
        let version = 2 + seed % 3;
        let option = format!("--memprof-version={version}");
        let theirs =
            indexed(directory, &yaml::random(&mut fastrand::Rng::with_seed(seed), &shape(seed, version)), &[&option]);
        let mut profile = profile_of(&theirs);
        let [(start, section)] = profile.memprof_sections() else { panic!("{seed}") };
        let (start, ours) = (*start, MemProf::read(section, *start).unwrap().write(*start).unwrap());
        profile.take_memprof_sections();
        profile.memprof(&ours, start);
        let ours = bytes_of(&profile);
        let [shown, their_shown] = [&ours, &theirs].map(|bytes| Shown::parse(&show(directory, bytes)));
        assert_eq!(shown.sites(), their_shown.sites(), "seed {seed}");
        assert!(ours == through_text(directory, &ours, &[&option]), "seed {seed}, version {version}");
    }
}

/// The tool adds profiles only as YAML and if each has a thread of its own. Our sum of what it makes of each has the same contents.
#[needs("clang-22")]
fn sums_are_those_of_the_tool() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for seed in 0..if is_all() { 30 } else { 9 } {
        let version = 2 + seed % 3;
        let option = format!("--memprof-version={version}");
        let shape = Shape { data_accesses: false, ..shape(seed, version) };
        let yamls: Vec<String> = (0..2 + seed % 3)
            .map(|number| yaml::random(&mut fastrand::Rng::with_seed(number << 32 | seed), &shape))
            .collect();
        let inputs: Vec<Vec<u8>> = yamls.iter().map(|yaml| indexed(directory, yaml, &[&option])).collect();
        let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
        let ours = merged(&inputs);

        let mut merge = Command::new(TOOL);
        merge.args(["merge", &option, &format!("-num-threads={}", yamls.len()), "-o"]).arg(directory.join("sum"));
        for (number, yaml) in yamls.iter().enumerate() {
            let path = directory.join(format!("{number}.yaml"));
            fs::write(&path, yaml).unwrap();
            merge.arg(path);
        }
        assert!(merge.status().unwrap().success());
        let theirs = fs::read(directory.join("sum")).unwrap();
        let [shown, their_shown] = [&ours, &theirs].map(|bytes| Shown::parse(&show(directory, bytes)));
        assert_eq!(shown.sites(), their_shown.sites(), "seed {seed}");
        // And the bytes are the tool's for these contents.
        assert!(ours == through_text(directory, &ours, &[&option]), "seed {seed}, version {version}");
    }
}

/// Every order and every grouping gives the same bytes, also through partial results.
#[needs("clang-22")]
fn any_grouping_is_the_same() {
    let directory = tempfile::tempdir().unwrap();
    for seed in 0..12 {
        let version = 2 + seed % 3;
        let option = format!("--memprof-version={version}");
        let shape = Shape { data_accesses: version == 4, ..shape(seed, version) };
        let input = |number: u64| {
            indexed(
                directory.path(),
                &yaml::random(&mut fastrand::Rng::with_seed(number << 32 | seed), &shape),
                &[&option],
            )
        };
        let [a, b, c, d] = [1, 2, 3, 4].map(input);
        let all = merged(&[&a, &b, &c, &d]);
        assert!(all == merged(&[&d, &b, &a, &c]));
        let partial = |inputs: &[&[u8]]| {
            let mut bytes = Vec::new();
            merger(inputs).write_partial(&mut bytes).unwrap();
            bytes
        };
        assert!(all == merged(&[&partial(&[&c, &a]), &partial(&[&d, &b])]));
        assert!(all == merged(&[&partial(&[&partial(&[&c]), &a, &d]), &b]));
        let mut absorbed = merger(&[&b]);
        absorbed.absorb(merger(&[&c, &a])).unwrap();
        absorbed.absorb(merger(&[])).unwrap();
        absorbed.absorb(merger(&[&d])).unwrap();
        assert!(all == bytes_of(&absorbed.finish().unwrap().0));
        // One input stays as it is.
        assert!(merged(&[&partial(&[&a])]) == a);
    }
}

const ONE: &str = "---
HeapProfileRecords:
  - GUID: 0x1
    AllocSites:
      - Callstack:
          - { Function: 0x1, LineOffset: 1, Column: 2, IsInlineFrame: false }
        MemInfoBlock:
          AllocCount: 3
          TotalSize: 40
          TotalLifetime: 5
          TotalLifetimeAccessDensity: 6
    CallSites:
      - Frames:
          - { Function: 0x1, LineOffset: 7, Column: 8, IsInlineFrame: false }
        CalleeGuids: [0x9]
DataAccessProfiles:
  SampledRecords:
    - Symbol: common
      AccessCount: 10
      Locations:
        - FileName: file
          Line: 1
    - Symbol: other
      AccessCount: 1
  KnownColdSymbols: [ cold, never ]
  KnownColdStrHashes: [ 5 ]
...
";

/// LLVM keeps the calls and the data accesses of one input; we add them.
#[needs("clang-22")]
fn nothing_of_an_input_is_lost() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let two =
        ONE.replace("[0x9]", "[0x8]").replace("AccessCount: 10", "AccessCount: 32").replace("Line: 1\n", "Line: 0\n");
    let two = two.replace("other", "never").replace("[ 5 ]", "[ 4 ]");
    let [a, b] = [ONE, &two].map(|yaml| indexed(directory, yaml, &["--memprof-version=4"]));
    let text = show(directory, &merged(&[&a, &b]));
    for part in [
        "CalleeGuids:     [ 0x8, 0x9 ]",
        "- Symbol:          common\n      AccessCount:     42\n      Locations:\n        - FileName:        file\n          Line:            0\n        - FileName:        file\n          Line:            1\n",
        "- Symbol:          never\n      AccessCount:     1\n    - Symbol:          other\n",
        "KnownColdSymbols:\n    - cold\n",
        "KnownColdStrHashes: [ 4, 5 ]",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(text.matches("TotalSize:       40").count(), 2, "{text}");
    assert!(!text.contains("- never"), "{text}");
}

/// Blocks with all fields.
#[needs("clang-22")]
fn all_fields_of_allocations_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for version in 2..=4 {
        let option = format!("--memprof-version={version}");
        let options = [&option, "--memprof-full-schema"];
        let more = "AllocCount: 3\n          MinAccessCount: 77\n          DataTypeId: 0x123456789abc\n          NumSameDeallocCpu: 8";
        let input = ONE.replace("AllocCount: 3", more).split("DataAccess").next().unwrap().to_owned() + "...\n";
        let input = indexed(directory, &input, &options);
        let ours = merged(&[&input, &input]);
        let text = show(directory, &ours);
        for part in
            ["MinAccessCount:  77", "DataTypeId:      20015998343868", "NumSameDeallocCpu: 8", "TotalSize:       40"]
        {
            assert_eq!(text.matches(part).count(), 2, "{text}");
        }
        assert!(ours == through_text(directory, &ours, &options), "version {version}");
        // All fields and few of them are no sum.
        let few = indexed(directory, ONE, &[&option]);
        let different =
            |numbers: &[u32]| numbers.iter().map(|number| (*number, MemProfLoss::NoSum)).collect::<Vec<_>>();
        assert_eq!(left_out(&[&few, &input]), different(&[0, 1]));
        assert_eq!(left_out(&[&input, &few, &few]), different(&[0, 1, 2]));
    }
}

#[needs("clang-22")]
fn what_cannot_be_added_is_left_out() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let [v2, v3, v4] = [2, 3, 4].map(|version| indexed(directory, ONE, &[&format!("--memprof-version={version}")]));
    let different = [(0, MemProfLoss::NoSum), (1, MemProfLoss::NoSum)];
    assert_eq!(left_out(&[&v2, &v3]), different);
    assert_eq!(left_out(&[&v4, &v3]), different);
    // Which sections are left out depends neither on the order nor on the groups: one of another version costs all of them.
    let mixed = [&v3, &v3, &v2, &v3];
    let all: Vec<_> = (0..4).map(|number| (number, MemProfLoss::NoSum)).collect();
    for first in 0..4 {
        let mut inputs = mixed;
        inputs.rotate_left(first);
        let inputs = inputs.map(Vec::as_slice);
        assert_eq!(left_out(&inputs), all);
        for at in 1..4 {
            let (mut absorbed, mut through_files) = (merger(&inputs[..at]), Merger::new(MergeOptions::default()));
            absorbed.absorb(merger(&inputs[at..])).unwrap();
            for group in [&inputs[..at], &inputs[at..]] {
                let mut partial = Vec::new();
                merger(group).write_partial(&mut partial).unwrap();
                through_files.add_partial("group", 1, &partial).unwrap();
            }
            for merger in [absorbed, through_files] {
                let (profile, report) = merger.finish().unwrap();
                assert_eq!(profile.memprof_sections(), []);
                assert!(!profile.flags().has(Flags::MEMPROF));
                assert_eq!(report.findings.len(), 4);
                assert!(report.findings.iter().all(|finding| finding.kind == MemProfLoss::NoSum.into()));
                let inputs: HashSet<_> = report.findings.iter().map(|finding| finding.input).collect();
                assert!(inputs.len() == 4 && inputs.iter().all(|input| report.inputs.contains_key(input)));
            }
        }
    }
    // A damaged section, or one of an unknown version, is left out by itself.
    let (start, _) = profile_of(&v3).memprof_sections()[0];
    for (place, why) in [(start, MemProfLoss::UnknownVersion), (start + 16, MemProfLoss::Damaged)] {
        let mut bad = v3.clone();
        bad[place as usize] = 99;
        let (profile, report) = merger(&[&v3, &bad]).finish().unwrap();
        assert_eq!(report.findings.len(), 1);
        assert_eq!((report.findings[0].input.number, report.findings[0].kind), (1, why.into()));
        assert!(bytes_of(&profile) == v3);
        assert_eq!(left_out(&[&bad]), [(0, why)]);
    }
}

/// LLVM leaves out what indexed inputs have, and writes an empty section.
#[needs("clang-19", "clang-22")]
fn the_compatible_merge_forgets_sections() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for (release, version) in [(22, 2), (22, 3), (22, 4), (19, 2), (19, 3)] {
        let profile = profile_of(&indexed(directory, ONE, &[&format!("--memprof-version={version}")]));
        let input = bytes_for(release, &profile);
        let path = directory.join("in.profdata");
        fs::write(&path, &input).unwrap();
        let theirs = tool_merge(release, &[], &path).unwrap();
        let number = release;
        let release = Release::new(release).unwrap();
        let mut merger = compat::CompatMerger::new(release, compat::FailureMode::Any, 1);
        merger.add(1, |sink| read(&input, &ReadOptions::default(), sink));
        let merged = merger.finish().unwrap();
        assert_eq!(merged.profile.findings().len(), 1);
        assert!(bytes_for(number, &merged.profile) == theirs, "LLVM {number}, version {version}");
    }
}
