//! MemProf sections: read, merged and written as the installed tools write them.

mod common;
#[path = "memprof/yaml.rs"]
mod yaml;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{Numbers, has_tool, tool_merge};
use profdata::memprof::MemProf;
use profdata::merge::{MergeOptions, Merger};
use profdata::read::indexed::{IndexedOptions, read};
use profdata::release::{Release, Target};
use profdata::write::indexed::{HashEras, WriteOptions, write};
use profdata::{FindingKind, Profile, Sink};
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
    read(bytes, &IndexedOptions::default(), &mut profile).unwrap();
    profile
}

fn bytes_of(profile: &Profile) -> Vec<u8> {
    let mut out = Vec::new();
    write(profile, Target::of_release(Release::new(22).unwrap()), &AS_THE_TOOL, &mut out).unwrap();
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

/// What is read and written again is what the tool makes of the same contents, in the order of our sections.
#[test]
fn sections_are_those_of_the_tool() {
    if !has_tool(TOOL) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for seed in 0..60 {
        let version = 2 + seed % 3;
        let shape = Shape {
            functions: 1 + seed % 17 * 3,
            stack: 1 + seed % 9,
            callees: version == 4,
            data_accesses: version == 4 && seed % 2 == 0 && cfg!(feature = "zlib"),
        };
        let option = format!("--memprof-version={version}");
        let theirs = indexed(directory, &yaml::random(&mut Numbers(seed), &shape), &[&option]);
        let mut profile = profile_of(&theirs);
        let [(start, section)] = profile.memprof_sections() else { panic!("{seed}") };
        let (start, ours) = (*start, MemProf::read(section, *start).unwrap().write(*start).unwrap());
        profile.take_memprof_sections();
        profile.memprof(&ours, start);
        let ours = bytes_of(&profile);
        let [shown, their_shown] = [&ours, &theirs].map(|bytes| Shown::parse(&show(directory, bytes)));
        assert_eq!(shown.sites(), their_shown.sites(), "seed {seed}");
        let again = indexed(directory, &shown.yaml(), &[&option]);
        if ours != again {
            fs::write("/tmp/mp/ours", &ours).unwrap();
            fs::write("/tmp/mp/again", &again).unwrap();
        }
        assert!(ours == again, "seed {seed}, version {version}");
    }
}
