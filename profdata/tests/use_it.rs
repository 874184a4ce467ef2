//! What compilers make of merged profiles: the optimized code is the same with a profile of `llvm-profdata` and with ours.

use needs::{TESTED, releases};
use needs_macros::needs;
use std::path::Path;
use std::process::Command;

use profdata::Profile;
use profdata::Target;
use profdata::compat::{self, FailureMode};
use profdata::finding::FindingKind;
use profdata::merge::{MergeOptions, Merger};
use profdata::read;
use profdata::read::ReadOptions;
use profdata::write::Release;
use profdata::write::indexed::{HashEras, WriteOptions, write};
use profdata::write::text::TextWriteOptions;

/// Loops, branches, a switch, calls that recur.
const LOOPS: &str = r#"
#include <stdlib.h>
__attribute__((noinline)) static int parse(const char *s) {
    int n = 0;
    for (; *s; s++) {
        switch (*s) {
        case '0' ... '9': n = n * 10 + *s - '0'; break;
        case '-': n = -n; break;
        case ' ': continue;
        default: return -1;
        }
    }
    return n;
}
__attribute__((noinline)) static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) static void cold(int n) { if (n < 0) abort(); }
int main(int argc, char **argv) {
    unsigned sum = 0;
    for (int i = 1; i < argc; i++) {
        int n = parse(argv[i]);
        cold(n);
        for (int j = 0; j < 100; j++) sum += n & j ? j : fib(j % 10);
    }
    return sum == 1;
}
"#;

/// Sizes of memory operations, and more targets of calls than a compiler looks at, some equally frequent.
const VALUES: &str = r#"
#include <stdlib.h>
#include <string.h>
static int a(int x) { return x + 1; }
static int b(int x) { return x * 2; }
static int c(int x) { return x ^ 3; }
static int d(int x) { return x - 7; }
static int e(int x) { return x | 8; }
int (*volatile functions[])(int) = {a, b, c, d, e, abs};
char to[4096], from[4096];
__attribute__((noinline)) static void copy(size_t n) { memcpy(to, from, n); }
__attribute__((noinline)) static int call(int i, int x) { return functions[i](x); }
int main(int argc, char **argv) {
    int sum = 0;
    for (int i = 0; i < 600; i++) {
        sum += call(i % 6, i) + call(i % 7 ? 1 : argc, i);
        copy(i % 3 == 0 ? 16 : i % 3 == 1 ? 64 : (size_t)(i % (7 + argc)));
        memset(to, sum, i % 5);
    }
    for (int i = 1; i < argc; i++) sum += atoi(argv[i]) > 100 ? call(2, i) : call(3, i);
    return sum == 1;
}
"#;

/// Virtual calls, templates, exceptions.
const CLASSES: &str = r#"
extern "C" int atoi(const char *);
struct Shape { virtual int area(int) = 0; virtual ~Shape() {} };
struct Square : Shape { int area(int n) override { return n * n; } };
struct Line : Shape { int area(int) override { return 0; } };
struct Circle : Shape { int area(int n) override { if (n > 900) throw n; return 3 * n * n; } };
template <int N> __attribute__((noinline)) int clamp(int x) { return x > N ? N : x; }
__attribute__((noinline)) int sum(Shape *shape, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += clamp<1000>(shape->area(i)) + clamp<10>(i);
    return sum;
}
int main(int argc, char **argv) {
    Square square; Line line; Circle circle;
    int total = sum(&square, 50) + sum(&line, 20);
    for (int i = 1; i < argc; i++) {
        try { total += sum(&circle, atoi(argv[i])); } catch (int n) { total -= n; }
    }
    return total == 1;
}
"#;

const PROGRAMS: [(&str, &str); 3] = [("loops.c", LOOPS), ("values.c", VALUES), ("classes.cc", CLASSES)];

/// Arguments of the two runs that are merged.
const RUNS: [&[&str]; 2] = [&["20", "1000", " 12"], &["7"]];

/// How a program is instrumented, and how its profile is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    FrontEnd,
    FrontEndValues,
    Ir,
    /// After inlining, with the profile of `Ir`.
    ContextSensitive,
    Vtables,
}

impl Way {
    fn generate(self) -> &'static [&'static str] {
        match self {
            Way::FrontEnd => &["-fprofile-instr-generate"],
            Way::FrontEndValues => &["-fprofile-instr-generate", "-mllvm", "-enable-value-profiling"],
            Way::Ir => &["-fprofile-generate"],
            Way::ContextSensitive => &["-fcs-profile-generate", "-fprofile-use=use.profdata"],
            Way::Vtables => &["-fprofile-generate", "-mllvm", "-enable-vtable-value-profiling"],
        }
    }

    fn use_profile(self) -> &'static str {
        match self {
            Way::FrontEnd | Way::FrontEndValues => "-fprofile-instr-use=use.profdata",
            _ => "-fprofile-use=use.profdata",
        }
    }
}

/// A directory with a program, compiled by one release.
struct Program<'a> {
    dir: &'a Path,
    file: &'a str,
    release: u32,
}

impl Program<'_> {
    fn run(&self, command: &mut Command) -> Vec<u8> {
        let output = command.current_dir(self.dir).output().unwrap();
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    fn clang(&self, arguments: &[&str]) {
        let mut command = Command::new(format!("clang-{}", self.release));
        command.args(["-O2", "-Wno-unused-command-line-argument"]).args(arguments).arg(self.file);
        self.run(&mut command);
    }

    /// Returns the raw profiles of two runs.
    fn profiles(&self, way: Way) -> Vec<Vec<u8>> {
        let libraries: &[&str] = if self.file.ends_with(".cc") { &["-lstdc++"] } else { &[] };
        self.clang(&[way.generate(), &["-o", "program"], libraries].concat());
        let mut profiles = Vec::new();
        for (number, arguments) in RUNS.iter().enumerate() {
            let raw = self.dir.join(format!("{number}.profraw"));
            self.run(Command::new(self.dir.join("program")).args(*arguments).env("LLVM_PROFILE_FILE", &raw));
            profiles.push(std::fs::read(raw).unwrap());
        }
        profiles
    }

    /// Returns what `llvm-profdata` makes of the two profiles.
    fn merged(&self, tool: u32, options: &[&str]) -> Vec<u8> {
        let mut command = Command::new(format!("llvm-profdata-{tool}"));
        command.args(["merge", "-num-threads=1"]).args(options).args(["0.profraw", "1.profraw", "-o", "merged"]);
        self.run(&mut command);
        std::fs::read(self.dir.join("merged")).unwrap()
    }

    /// Returns the optimized code with a profile, also without the passes that use up the values of sites.
    fn code(&self, way: Way, profile: &[u8]) -> String {
        std::fs::write(self.dir.join("use.profdata"), profile).unwrap();
        let keep: &[&str] = &["-mllvm", "-disable-icp", "-mllvm", "-disable-memop-opt"];
        let mut code = String::new();
        for more in [&[], keep] {
            self.clang(&[&[way.use_profile(), "-S", "-emit-llvm", "-o", "code.ll"], more].concat());
            code += &std::fs::read_to_string(self.dir.join("code.ll")).unwrap();
        }
        code
    }
}

fn compatible(profiles: &[Vec<u8>], release: Release) -> Profile {
    let mut merger = compat::CompatMerger::new(release, FailureMode::Any, 1);
    let options = ReadOptions { release: Some(release), ..ReadOptions::default() };
    for bytes in profiles {
        merger.add(1, |sink| read(bytes, &options, sink));
    }
    merger.finish().unwrap().profile
}

fn by_default(profiles: &[Vec<u8>]) -> Profile {
    let mut merger = Merger::new(MergeOptions::default());
    for bytes in profiles {
        merger.add_bytes("", 1, bytes).unwrap();
    }
    let (profile, report) = merger.finish().unwrap();
    assert!(report.inputs.values().all(|input| input.error.is_none()));
    let repeats = |kind: &FindingKind| matches!(kind, FindingKind::DuplicateValue { .. });
    assert!(report.findings.iter().all(|finding| repeats(&finding.kind)), "{:?}", report.findings);
    profile
}

fn indexed(profile: &Profile, target: Target, hash_eras: HashEras) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(profile, target, &WriteOptions { sparse: false, vtable_names: false, hash_eras }, &mut bytes).unwrap();
    bytes
}

/// Calls `test` for each program and release.
fn for_each_program(mut test: impl FnMut(&Program<'_>)) {
    for release in releases() {
        for (file, source) in PROGRAMS {
            let dir = tempfile::tempdir().unwrap();
            std::fs::write(dir.path().join(file), source).unwrap();
            test(&Program { dir: dir.path(), file, release });
        }
    }
}

/// Compares the code with all three profiles. Returns the code.
fn compare(program: &Program<'_>, way: Way) -> String {
    let profiles = program.profiles(way);
    let release = Release::new(program.release).unwrap();
    let target = Target::of_release(release);
    let official = program.merged(program.release, &[]);
    let what = format!("{} {way:?} LLVM {}", program.file, program.release);
    let same = indexed(&compatible(&profiles, release), target, HashEras::AsIs);
    assert!(same == official, "{what}: the bytes differ");
    if program.release >= 19 {
        let previous = Target::prev_version_of(release).unwrap();
        let bytes = indexed(&compatible(&profiles, release), previous, HashEras::AsIs);
        assert!(bytes == program.merged(program.release, &["-write-prev-version"]), "{what}: previous version");
    }
    let expected = program.code(way, &official);
    let default = indexed(&by_default(&profiles), target, HashEras::Refuse);
    // The same bytes make the same code.
    if default != official {
        let code = program.code(way, &default);
        let lines = expected.lines().zip(code.lines()).find(|(a, b)| a != b);
        assert!(code == expected, "{what}: {lines:?}");
    }
    assert!(expected.contains("!ProfileSummary") || expected.contains("\"ProfileSummary\""), "{what}");
    assert!(expected.contains("function_entry_count") && expected.contains("branch_weights"), "{what}");
    expected
}

#[needs("clangs")]
fn compilers_make_the_same_code() {
    for_each_program(|program| {
        compare(program, Way::FrontEnd);
        compare(program, Way::FrontEndValues);
        let code = compare(program, Way::Ir);
        if program.file == "values.c" {
            assert!(code.contains("!\"VP\", i32 0") && code.contains("!\"VP\", i32 1"), "LLVM {}", program.release);
        }
        // The profile of `Ir` is in its place.
        compare(program, Way::ContextSensitive);
        if program.release >= 19 && program.file == "classes.cc" {
            compare(program, Way::Vtables);
        }
    });
}

#[needs("clangs")]
fn older_tools_read_what_is_written_for_them() {
    for_each_program(|program| {
        if program.release < 22 {
            return;
        }
        for way in [Way::Ir, Way::Vtables, Way::FrontEnd] {
            let profile = by_default(&program.profiles(way));
            for older in TESTED.into_iter().filter(|older| *older < program.release) {
                let release = Release::new(older).unwrap();
                let mut bytes = Vec::new();
                write(&profile, Target::of_release(release), &WriteOptions::default(), &mut bytes).unwrap();
                std::fs::write(program.dir.join("older"), bytes).unwrap();
                let mut tool = Command::new(format!("llvm-profdata-{older}"));
                let keep: &[&str] = if older >= 19 { &["-keep-vtable-symbols"] } else { &[] };
                let theirs = program.run(tool.args(["merge", "-text"]).args(keep).args(["older", "-o", "-"]));
                let mut ours = Vec::new();
                profdata::write::text::write(&profile, &TextWriteOptions { release }, &mut ours).unwrap();
                let (theirs, ours) = (String::from_utf8(theirs).unwrap(), String::from_utf8(ours).unwrap());
                assert_eq!(theirs, ours, "{} {way:?} for LLVM {older}", program.file);
                let mut tool = Command::new(format!("llvm-profdata-{older}"));
                let shown = program.run(tool.args(["show", "-all-functions", "-counts", "older"]));
                let functions = format!("Total functions: {}", profile.len());
                assert!(String::from_utf8(shown).unwrap().contains(&functions), "LLVM {older}");
            }
        }
    });
}
