//! Programs for every kind of instrumentation, compiled by each installed clang.

use needs::{TESTED, releases};
use needs_macros::needs;
use std::path::Path;
use std::process::Command;

use profdata::Profile;
use profdata::read;
use profdata::read::ReadOptions;
use profdata::sink::Flags;
use profdata::write::Release;

use crate::raw::recode::{ENCODINGS, Image};
use crate::raw::{profile, text};

/// Indirect calls, sizes of memory operations, loops.
const VALUES: &str = r#"
#include <string.h>
static int a(int x) { return x + 1; }
static int b(int x) { return x * 2; }
int (*volatile f[2])(int) = {a, b};
char to[4096], from[4096];
__attribute__((noinline)) int work(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += f[i & 1](i);
        memcpy(to, from, (n + i) * 7);
        if (i % 3 == 0) s ^= 1;
    }
    return s;
}
__attribute__((noinline)) int never(int n) { return n + work(n); }
int main(int c, char **v) {
    int r = 0;
    for (int i = 0; i < c * 5; i++) r += work(i);
    return r == 12345 ? never(r) : 0;
}
"#;

/// Virtual calls, templates, a function without a record as a target.
const CLASSES: &str = r#"
#include <stdlib.h>
struct A { virtual int f(int); virtual ~A(); };
struct B : A { int f(int) override; };
struct C : A { int f(int) override; };
int A::f(int x) { return x; }
A::~A() {}
int B::f(int x) { return x + 1; }
int C::f(int x) { return x * 2; }
template <int N> __attribute__((noinline)) int t(int x) { return x > N ? x : N; }
int (*volatile p)(int) = abs;
__attribute__((noinline)) int go(A *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += a->f(i) + p(i);
    return s;
}
int main() {
    B b;
    C c;
    A a;
    p = t<1>;
    int r = go(&b, 10) + go(&c, 7);
    p = abs;
    r += go(&a, 3) + t<5>(r);
    return r == 1;
}
"#;

/// Decisions of several conditions.
const DECISIONS: &str = r#"
__attribute__((noinline)) int d(int a, int b, int c) {
    if ((a && b) || c) return 1;
    return a && (b || c);
}
__attribute__((noinline)) int e(int a, int b) { return a || b; }
int main(int c, char **v) { return d(c, 0, 0) + d(c, 1, 0) + d(0, c, 1) + e(c, 0) > 9; }
"#;

/// A kind of instrumentation.
pub struct Kind {
    pub name: &'static str,
    source: &'static str,
    flags: &'static [&'static str],
    /// The first release whose clang has it.
    pub since: u32,
}

const IR: &str = "-fprofile-generate";
const FRONT_END: &str = "-fprofile-instr-generate";

/// Kinds whose profiles need the program.
const CORRELATED: [Kind; 2] = [
    Kind {
        name: "correlate-binary",
        source: CLASSES,
        flags: &[
            "-O1",
            IR,
            "-mllvm",
            "-profile-correlate=binary",
            "-mllvm",
            "-disable-vp=true",
            "-Wl,--build-id=0x0102",
        ],
        since: 19,
    },
    Kind {
        name: "correlate-debug-info",
        source: CLASSES,
        flags: &[
            "-O1",
            "-g",
            IR,
            "-mllvm",
            "-profile-correlate=debug-info",
            "-mllvm",
            "-disable-vp=true",
            "-Wl,--build-id=0x0103",
        ],
        since: 19,
    },
];

pub const KINDS: [Kind; 17] = [
    Kind { name: "fe", source: VALUES, flags: &[FRONT_END], since: 13 },
    Kind { name: "fe-cov", source: CLASSES, flags: &[FRONT_END, "-fcoverage-mapping"], since: 13 },
    Kind { name: "fe-values", source: VALUES, flags: &[FRONT_END, "-mllvm", "-enable-value-profiling"], since: 13 },
    Kind { name: "mcdc", source: DECISIONS, flags: &[FRONT_END, "-fcoverage-mapping", "-fcoverage-mcdc"], since: 19 },
    Kind {
        name: "fe-byte",
        source: CLASSES,
        flags: &[FRONT_END, "-fcoverage-mapping", "-mllvm", "-enable-single-byte-coverage"],
        since: 19,
    },
    Kind { name: "ir", source: VALUES, flags: &["-O1", IR], since: 13 },
    Kind { name: "ir-id", source: VALUES, flags: &["-O1", IR, "-Wl,--build-id=0x0102030405"], since: 13 },
    Kind {
        name: "ir-plain-names",
        source: CLASSES,
        flags: &["-O1", IR, "-mllvm", "-enable-name-compression=false"],
        since: 13,
    },
    Kind { name: "ir-cc", source: CLASSES, flags: &["-O2", IR], since: 13 },
    Kind { name: "ir-atomic", source: VALUES, flags: &["-O1", IR, "-fprofile-update=atomic"], since: 13 },
    Kind { name: "entry-first", source: VALUES, flags: &["-O1", IR, "-mllvm", "-pgo-instrument-entry"], since: 13 },
    Kind { name: "cs", source: VALUES, flags: &["-O2", "-fcs-profile-generate"], since: 13 },
    Kind {
        name: "byte-entry",
        source: CLASSES,
        flags: &["-O1", IR, "-mllvm", "-pgo-function-entry-coverage"],
        since: 16,
    },
    Kind { name: "byte-block", source: VALUES, flags: &["-O1", IR, "-mllvm", "-pgo-block-coverage"], since: 19 },
    Kind {
        name: "vtables",
        source: CLASSES,
        flags: &["-O1", IR, "-mllvm", "-enable-vtable-value-profiling"],
        since: 19,
    },
    Kind {
        name: "temporal",
        source: CLASSES,
        flags: &["-O1", IR, "-mllvm", "-pgo-temporal-instrumentation"],
        since: 19,
    },
    Kind {
        name: "loop-entries",
        source: VALUES,
        flags: &["-O1", IR, "-mllvm", "-pgo-instrument-loop-entries"],
        since: 22,
    },
];

fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Returns the raw profile of a program.
pub fn raw_profile(dir: &Path, release: u32, kind: &Kind) -> Vec<u8> {
    let source = dir.join(if kind.source == CLASSES { "program.cc" } else { "program.c" });
    std::fs::write(&source, kind.source).unwrap();
    let mut clang = Command::new(format!("clang-{release}"));
    clang.args(kind.flags).arg(&source).arg("-o").arg(dir.join("program")).args(["-Wno-unused-command-line-argument"]);
    if kind.source == CLASSES {
        clang.arg("-lstdc++");
    }
    run(&mut clang);
    let raw = dir.join("program.profraw");
    run(Command::new(dir.join("program")).env("LLVM_PROFILE_FILE", &raw));
    let bytes = std::fs::read(&raw).unwrap();
    std::fs::remove_file(raw).unwrap();
    bytes
}

/// Returns what llvm-profdata makes of a file: the text form.
pub fn merged_text(dir: &Path, release: u32, bytes: &[u8], more: &[&str]) -> String {
    let path = dir.join("input.profraw");
    std::fs::write(&path, bytes).unwrap();
    let mut tool = Command::new(format!("llvm-profdata-{release}"));
    tool.args(["merge", "-text"]).args(more).arg(&path).args(["-o", "-"]);
    String::from_utf8(run(&mut tool)).unwrap()
}

/// Returns the name of a kind that is known to the file that `KINDS` has.
pub fn kind(name: &str) -> &'static Kind {
    KINDS.iter().chain(&CORRELATED).find(|kind| kind.name == name).unwrap()
}

#[needs("clangs")]
fn every_kind_is_read_as_llvm_reads_it() {
    let dir = tempfile::tempdir().unwrap();
    for release in releases() {
        for kind in KINDS.iter().filter(|kind| kind.since <= release) {
            let bytes = raw_profile(dir.path(), release, kind);
            let more: &[&str] = if release >= 19 { &["-keep-vtable-symbols"] } else { &[] };
            let theirs = text::normal(&merged_text(dir.path(), release, &bytes, more));
            for options in [ReadOptions::default(), ReadOptions::salvage()] {
                let mut profile = profile(&bytes, &options).unwrap();
                assert_eq!(profile.findings(), [], "{} of {release}", kind.name);
                if release < 19 {
                    // Their text has no line for it.
                    profile.set_flags(profile.flags().without(Flags::BYTE_COVERAGE));
                }
                assert_eq!(text::of(&profile), theirs, "{} of {release}", kind.name);
            }
        }
    }
}

/// Time stamps are promised, but a function of which only the entry is covered has a byte and no stamp.
const ENTRIES_IN_TIME: Kind = Kind {
    name: "temporal-entry",
    source: CLASSES,
    flags: &["-O1", IR, "-mllvm", "-pgo-temporal-instrumentation", "-mllvm", "-pgo-function-entry-coverage"],
    since: 19,
};

#[needs("clangs")]
fn a_byte_is_no_time_stamp() {
    let dir = tempfile::tempdir().unwrap();
    for release in TESTED.into_iter().filter(|release| ENTRIES_IN_TIME.since <= *release) {
        let bytes = raw_profile(dir.path(), release, &ENTRIES_IN_TIME);
        let theirs = text::normal(&merged_text(dir.path(), release, &bytes, &[]));
        assert_eq!(text::of(&profile(&bytes, &ReadOptions::default()).unwrap()), theirs, "of {release}");
        let ours = profile(&bytes, &ReadOptions::salvage()).unwrap();
        let main = ours.records().find(|record| record.name.bytes == Some(b"main"));
        assert_eq!((main.unwrap().counters, ours.traces()), (&[1][..], &[][..]), "of {release}");
    }
}

#[needs("clangs")]
fn a_release_reads_its_own_version() {
    let dir = tempfile::tempdir().unwrap();
    for release in TESTED {
        let bytes = raw_profile(dir.path(), release, kind("ir"));
        for number in 13..=23 {
            let options = ReadOptions { release: Release::new(number), ..ReadOptions::default() };
            let result = read(&bytes, &options, &mut Profile::new());
            let own = Release::new(release).unwrap().raw() == options.release.unwrap().raw();
            assert_eq!(result.is_ok(), own, "a profile of {release}, read by {number}: {result:?}");
        }
    }
}

#[needs("clangs")]
fn names_stand_where_vtable_names_belong() {
    let dir = tempfile::tempdir().unwrap();
    for release in TESTED.into_iter().filter(|release| *release >= 19) {
        let mut image = Image::of(&raw_profile(dir.path(), release, kind("ir-plain-names")));
        image.vnames = std::mem::take(&mut image.names);
        let bytes = image.encode(10, ENCODINGS[0]);
        let theirs = text::normal(&merged_text(dir.path(), release, &bytes, &[]));
        for options in [ReadOptions::default(), ReadOptions::salvage()] {
            let profile = profile(&bytes, &options).unwrap();
            assert_eq!(profile.findings(), []);
            assert_eq!(text::of(&profile), theirs, "of {release}");
        }
    }
}

#[needs("clangs")]
fn several_profiles_in_one_file() {
    let dir = tempfile::tempdir().unwrap();
    for release in releases() {
        let mut bytes = raw_profile(dir.path(), release, kind("ir-id"));
        let second = raw_profile(dir.path(), release, kind("ir-plain-names"));
        bytes.extend([0; 16]);
        bytes.extend(&second);
        let theirs = text::normal(&merged_text(dir.path(), release, &bytes, &[]));
        for options in [ReadOptions::default(), ReadOptions::salvage()] {
            let profile = profile(&bytes, &options).unwrap();
            assert_eq!(profile.headings().len(), 2);
            assert_eq!(profile.findings(), []);
            assert_eq!(profile.binary_ids().iter().any(|id| *id == [1, 2, 3, 4, 5]), release >= 14);
            assert_eq!(text::of(&profile), theirs, "of {release}");
        }
    }
}
