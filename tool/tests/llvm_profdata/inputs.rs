//! The inputs of the command lines: text by hand, what the tool makes of it, raw profiles of programs, and damaged copies.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

const TEXTS: &[(&str, &str)] = &[
    ("fe.proftext", "main\n10\n3\n5\n0\n7\n\nfoo\n0x20\n2\n100\n30\n\nfoo\n33\n1\n4\n\nfile.c:static\n7\n1\n0\n"),
    ("fe2.proftext", "main\n10\n3\n1\n2\n3\n\nfoo\n0x20\n2\n1\n1\n\nother\n9\n4\n8\n8\n0\n1\n"),
    ("fe3.proftext", "main\n10\n2\n1\n2\n\nfoo\n0x20\n3\n1\n1\n1\n\nunlike\n1\n1\n1\n"),
    ("saysfe.proftext", ":fe\nmain\n10\n3\n1\n2\n3\n"),
    (
        "ir.proftext",
        ":ir\nmain\n100\n4\n1\n900\n80\n7\n2\n0\n2\n3\nfoo:50\nbar:40\n** External Symbol **:3\n0\n1\n1\n4\n8:100\n16:50\n0:7\n1024:1\n\n\
         foo\n200\n2\n50\n20\n\nbar\n300\n1\n40\n1\n1\n2\n1\n64:40\n2\n1:1\n2:2\n\ndead\n400\n2\n0\n0\n",
    ),
    (
        "ir2.proftext",
        ":ir\nmain\n100\n4\n2\n1800\n160\n14\n2\n0\n2\n2\nfoo:5\nqux:9\n1\nfoo:1\n1\n1\n2\n8:1\n9:2\n\nqux\n500\n3\n6\n5\n4\n\n\
         foo\n200\n2\n1\n2\n",
    ),
    ("ir3.proftext", ":ir\nmain\n100\n4\n2\n1\n1\n1\n1\n0\n1\n1\nfoo:5\n\nfoo\n200\n3\n1\n2\n3\n\nbar\n300\n1\n9\n"),
    (
        "cs.proftext",
        ":csir\nmain\n100\n2\n5\n6\n\nmain\n1152921504606847076\n3\n50\n60\n70\n\nfoo\n1152921504606847176\n1\n900\n1\n1\n1\n1\n8:9\n\n\
         foo\n200\n1\n1\n",
    ),
    ("cs2.proftext", ":csir\nmain\n1152921504606847076\n3\n5\n6\n7\n\nbar\n1152921504606847276\n2\n9\n1\n"),
    ("entry.proftext", ":ir\n:entry_first\nmain\n100\n2\n9\n1\n\nfoo\n2\n2\n3\n4\n"),
    ("notentry.proftext", ":ir\n:entry_first\n:not_entry_first\nmain\n100\n2\n9\n1\n"),
    ("loops.proftext", ":ir\n:instrument_loop_entries\nmain\n100\n2\n9\n1\n"),
    ("cover.proftext", ":ir\n:single_byte_coverage\nmain\n100\n3\n1\n0\n1\n\nfoo\n1\n1\n0\n\nbar\n1\n2\n0\n1\n"),
    ("cover2.proftext", ":ir\n:single_byte_coverage\nmain\n100\n3\n0\n1\n1\n\nfoo\n1\n1\n1\n"),
    ("bits.proftext", "main\n10\n1\n5\n$3\n0x1\n0x80\n0xff\n\n\nfoo\n1\n2\n3\n4\n\nbar\n2\n1\n0\n$1\n0\n\n"),
    ("bits2.proftext", "main\n10\n1\n5\n$3\n0x2\n0x1\n0x0\n\n\nbar\n2\n1\n0\n$2\n1\n2\n\n"),
    (
        "vt.proftext",
        ":ir\nmain\n100\n2\n9\n1\n2\n0\n1\n1\nfoo:9\n2\n2\n2\n_ZTV4Base:7\n_ZTV7Derived:2\n1\n_ZTV5Other:5\n\nfoo\n1\n1\n1\n",
    ),
    ("vt2.proftext", ":ir\nmain\n100\n2\n9\n1\n2\n0\n1\n1\nfoo:9\n2\n2\n1\n_ZTV4Leaf:3\n1\n** External Symbol **:4\n"),
    (
        "trace.proftext",
        ":ir\n:temporal_prof_traces\n2\n2\n1\nmain,foo,bar,\n3\nmain,bar,qux\nmain\n1\n1\n9\n\nfoo\n1\n1\n8\n\nbar\n1\n1\n7\n\n\
         qux\n1\n1\n6\n",
    ),
    (
        "trace2.proftext",
        ":ir\n:temporal_prof_traces\n1\n5\n1\nqux,main,foo,unknown\nmain\n1\n1\n9\n\nqux\n1\n1\n6\n\nfoo\n1\n1\n1\n",
    ),
    (
        "huge.proftext",
        ":ir\nmain\n100\n2\n18446744073709551613\n5\n1\n1\n1\n1\n8:18446744073709551615\n\nfoo\n1\n1\n18446744073709551614\n",
    ),
    (
        "pseudo.proftext",
        ":ir\nmain\n100\n2\n18446744073709551615\n5\n\nbar\n1\n1\n18446744073709551614\n\nfoo\n1\n1\n3\n",
    ),
    ("twice.proftext", ":ir\nfoo\n1\n1\n1\n1\n1\n1\n2\n8:3\n8:4\n"),
    ("twohashes.proftext", ":ir\nmain\n100\n4\n1\n1\n1\n1\n\nmain\n100\n2\n1\n1\n\nfoo\n200\n2\n3\n3\n"),
    ("external.proftext", ":ir\nfoo\n1\n1\n1\n1\n0\n1\n3\nfar:3\n** External Symbol **:4\nfoo:1\n"),
    ("mangled.proftext", ":ir\n_Z3fooN1AE\n1\n1\n5\n\n_Z3fooN1BE\n1\n1\n6\n\nplain\n1\n1\n3\n"),
    (
        "localnames.proftext",
        ":ir\n:temporal_prof_traces\n1\n1\n1\nfile.c;one,_Z3foov,a;b;c,x:y\nfile.c;one\n1\n1\n1\n\n_Z3foov\n1\n1\n1\n\na;b;c\n1\n1\n1\n\nx:y\n1\n1\n1\n",
    ),
    ("headeronly.proftext", ":ir\n"),
    ("comment.proftext", "# nothing\n\n"),
    ("empty.profraw", ""),
    ("junk.profraw", "junkjunk\n"),
    ("binary.profraw", "\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}"),
    ("cut.proftext", ":ir\nmain\n100\n4\n1\n900\n"),
    ("cut2.proftext", ":ir\nfoo\n1\n1\n5\n\nmain\n100\n4\n1\n900\n"),
    ("badhash.proftext", ":ir\nmain\nx\n1\n1\n"),
    ("badcount.proftext", ":ir\nmain\n1\nx\n1\n"),
    ("zerocount.proftext", ":ir\nmain\n1\n0\n1\n"),
    ("badvalue.proftext", ":ir\nmain\n1\n1\nx\n"),
    ("badkinds.proftext", ":ir\nmain\n1\n1\n1\n9\n"),
    ("badkind.proftext", ":ir\nmain\n1\n1\n1\n1\n7\n1\n"),
    ("badsite.proftext", ":ir\nmain\n1\n1\n1\n1\n0\n1\n1\nnocount\n"),
    ("badbits.proftext", ":ir\nmain\n1\n1\n1\n$x\n"),
    ("badbit.proftext", ":ir\nmain\n1\n1\n1\n$1\n0x333\n"),
    ("badhead.proftext", ":xx\nmain\n1\n1\n1\n"),
    ("badtrace.proftext", ":ir\n:temporal_prof_traces\n1\n"),
    ("sample.txt", "main:1:2\n 1: 2\n"),
    ("list", "# inputs\nir.proftext\n\n3,ir2.proftext\n  directory \n"),
    ("onelist", "# inputs\nir.proftext\n\n3,ir2.proftext\n  directory/inner \n"),
    ("badlist", "ir.proftext\nmissing\n"),
    ("badweight", "x,ir.proftext\n"),
    ("emptylist", ""),
    (
        "heap.yaml",
        "---\nHeapProfileRecords:\n  - GUID: 0x1\n    AllocSites:\n      - Callstack:\n          \
         - { Function: 0x1, LineOffset: 1, Column: 2, IsInlineFrame: false }\n        MemInfoBlock:\n          AllocCount: 3\n          \
         TotalSize: 40\n          TotalLifetime: 5\n          TotalLifetimeAccessDensity: 6\n    CallSites: []\n...\n",
    ),
    ("remap", "# other names\n_Z3fooN1AE _Z3fooN1BE\nplain simple\n"),
    ("badremap", "a b\none\n"),
    ("rsp", "-text 'ir.proftext'\n-o \"out\""),
    ("directory/one.proftext", ":ir\nmain\n100\n4\n1\n1\n1\n1\n"),
    ("directory/inner/two.proftext", ":ir\nfoo\n200\n2\n1\n1\n"),
];

/// Text profiles of which there is an indexed form too.
const INDEXED: &[&str] = &[
    "fe",
    "fe2",
    "ir",
    "ir2",
    "cs",
    "cs2",
    "entry",
    "loops",
    "cover",
    "bits",
    "vt",
    "trace",
    "huge",
    "pseudo",
    "headeronly",
    "external",
];

const PROGRAM: &str = "
#include <stdlib.h>
#include <string.h>
static int one(int x) { return x + 1; }
static int two(int x) { return x * 2; }
static int (*calls[])(int) = {one, two};
int never(int x) { return x > 3 && x < 7; }
int main(int argc, char **argv) {
  char from[64] = {0}, to[64];
  int n = argc > 1 ? atoi(argv[1]) : 3, sum = 0;
  for (int i = 0; i < n; i++) {
    sum += calls[i % 3 == 0](i);
    memcpy(to, from, i % 9 + n % 5);
    if (i > 3 && i < 9) sum += to[i];
  }
  return sum == -1;
}
";

/// Flags of a program for each kind of instrumentation.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("rawir", &["-fprofile-generate", "-Wl,--build-id=0x0123456789abcdef"]),
    ("rawfe", &["-fprofile-instr-generate", "-fcoverage-mapping"]),
    ("rawplain", &["-fprofile-instr-generate", "-Wl,--build-id=none", "-mllvm", "-enable-name-compression=false"]),
    ("rawbits", &["-fprofile-instr-generate", "-fcoverage-mapping", "-fcoverage-mcdc"]),
    ("rawtrace", &["-fprofile-generate", "-mllvm", "-pgo-temporal-instrumentation"]),
    ("rawcover", &["-fprofile-generate", "-mllvm", "-pgo-function-entry-coverage"]),
    ("rawbin", &["-fprofile-instr-generate", "-mllvm", "-profile-correlate=binary", "-Wl,--build-id=0xbeef01"]),
    (
        "rawdebug",
        &["-g", "-fprofile-generate", "-mllvm", "-profile-correlate=debug-info", "-mllvm", "-disable-vp=true"],
    ),
];

/// Makes all inputs in a directory.
pub fn make(directory: &Path, tool: &Path) {
    for (name, text) in TEXTS {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::write(directory.join("many.proftext"), many(1)).unwrap();
    fs::write(directory.join("many2.proftext"), many(2)).unwrap();
    fs::write(directory.join("manynames.proftext"), many_names()).unwrap();
    fs::write(directory.join("manyequal.proftext"), many_equal(3)).unwrap();
    fs::write(directory.join("manyequal2.proftext"), many_equal(4)).unwrap();
    fs::write(directory.join("traces.proftext"), traces()).unwrap();
    fs::write(directory.join("manytraces.proftext"), shuffled_traces(30, 300)).unwrap();
    fs::write(directory.join("fewtraces.proftext"), shuffled_traces(5, 9)).unwrap();
    for name in INDEXED.iter().copied().chain(["many"]) {
        let text = format!("{name}.proftext");
        run(
            Command::new(tool).args(["merge", "-keep-vtable-symbols", "-o", &format!("{name}.profdata"), &text]),
            directory,
        );
    }
    run(Command::new(tool).args(["merge", "-write-prev-version", "-o", "prev.profdata", "ir.proftext"]), directory);
    run(Command::new(tool).args(["merge", "-o", "heap.profdata", "heap.yaml"]), directory);
    run(Command::new(tool).args(["merge", "-o", "heapir.profdata", "heap.yaml", "ir.proftext"]), directory);
    let indexed = fs::read(directory.join("ir.profdata")).unwrap();
    for (name, len) in [("magic", 8), ("word", 20), ("summary", 200), ("table", 600), ("end", indexed.len() - 3)] {
        fs::write(directory.join(format!("cut-{name}.profdata")), &indexed[..len]).unwrap();
    }
    for (name, place) in [("version", 8), ("hashtype", 24)] {
        let mut changed = indexed.clone();
        changed[place] = 99;
        fs::write(directory.join(format!("bad-{name}.profdata")), changed).unwrap();
    }
    raw(directory);
    damage(directory);
}

/// Returns functions with all that an indexed profile's table and summary depend on: many names, hashes and counts.
fn many(seed: u64) -> String {
    let mut random = random(seed);
    let mut text = ":ir\n".to_string();
    for function in 0..300 {
        for hash in 0..1 + random(4) / 3 {
            writeln!(text, "function{function}\n{}\n{}", hash * 64 + function, 1 + function % 7).unwrap();
            for _ in 0..1 + function % 7 {
                let power = random(20);
                writeln!(text, "{}", random(1 << power)).unwrap();
            }
            if function % 5 == 0 {
                let values = random(6);
                writeln!(text, "2\n0\n1\n{values}").unwrap();
                for value in 0..values {
                    writeln!(text, "function{}:{}", value * 7, random(100)).unwrap();
                }
                writeln!(text, "1\n1\n3\n8:{}\n{}:{}\n4096:1", random(50), 9 + random(100), random(50)).unwrap();
            }
        }
    }
    text
}

/// Returns a function with vtables whose names compress.
fn many_names() -> String {
    let mut text = ":ir\nmain\n1\n1\n1\n1\n2\n1\n40\n".to_string();
    for number in 0..40 {
        writeln!(text, "_ZTVN7company7product5Class{}E{number}:{}", number * 7919 % 1000, number % 9).unwrap();
    }
    text
}

/// Returns a site with equal targets: which of them are compared with each other depends on a sort that is not stable.
fn many_equal(seed: u64) -> String {
    let mut random = random(seed);
    let mut text = ":ir\nmain\n1\n1\n1\n2\n0\n1\n60\n".to_string();
    for _ in 0..60 {
        writeln!(text, "function{}:{}", random(5), random(1000)).unwrap();
    }
    text + "1\n1\n1\n8:0\n"
}

/// Returns long traces of some functions in a random order.
fn shuffled_traces(traces: u64, functions: u64) -> String {
    let mut random = random(functions);
    let mut text = format!(":ir\n:temporal_prof_traces\n{traces}\n{traces}\n");
    for _ in 0..traces {
        let mut all: Vec<_> = (0..functions).collect();
        let mut names = String::new();
        for _ in 0..1 + random(functions - 1) {
            let function = all.swap_remove(random(all.len() as u64) as usize);
            write!(names, "function{function},").unwrap();
        }
        writeln!(text, "1\n{names}").unwrap();
    }
    for function in 0..functions {
        writeln!(text, "function{function}\n1\n1\n{function}").unwrap();
    }
    text
}

/// Returns a source of numbers below another.
fn random(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    }
}

/// Returns more traces than the tool keeps by default.
fn traces() -> String {
    let mut text = ":ir\n:temporal_prof_traces\n120\n120\n".to_string();
    for trace in 0..120u64 {
        writeln!(text, "1").unwrap();
        for step in 0..1 + trace % 9 {
            write!(text, "function{},", (trace * 5 + step * step) % 40).unwrap();
        }
        text.push('\n');
    }
    for function in 0..40 {
        writeln!(text, "function{function}\n1\n1\n{function}").unwrap();
    }
    text
}

/// Makes raw profiles of programs.
fn raw(directory: &Path) {
    fs::write(directory.join("program.c"), PROGRAM).unwrap();
    for (name, flags) in PROGRAMS {
        run(Command::new("clang-22").args(["-O1", "program.c", "-o", name]).args(*flags), directory);
        for (profile, argument) in [("", "20"), ("2", "7")] {
            let file = format!("{name}{profile}.profraw");
            let program = directory.join(name);
            run(Command::new(program).arg(argument).env("LLVM_PROFILE_FILE", file), directory);
        }
    }
    let flags =
        ["-O2", "-g", "-fprofile-generate", "-mllvm", "-profile-correlate=debug-info", "-mllvm", "-disable-preinline"];
    fs::write(directory.join("inlined.c"), inlined()).unwrap();
    run(Command::new("clang-22").args(["inlined.c", "-o", "inlined"]).args(flags), directory);
    run(Command::new(directory.join("inlined")).env("LLVM_PROFILE_FILE", "inlined.profraw"), directory);
    let ids = directory.join("ids/.build-id/be");
    fs::create_dir_all(&ids).unwrap();
    for (name, id) in [("rawbin", "ef01"), ("rawdebug", "ef02")] {
        fs::copy(directory.join(name), ids.join(format!("{id}.debug"))).unwrap();
    }
}

/// Returns the source of a program whose functions are inlined, so that debug info has no address of them.
fn inlined() -> String {
    let functions: String =
        (0..7).map(|number| format!("static int f{number}(int x) {{ return x > {number} ? 1 : 2; }}\n")).collect();
    let calls: String = (0..7).map(|number| format!(" + f{number}(n)")).collect();
    format!("volatile int sink;\n{functions}int main(int n, char **v) {{ (void)v; sink = 0{calls}; return 0; }}\n")
}

/// Numbers of a record that LLVM names when they are wrong.
const FIELDS: &[(&str, usize, &[i64])] = &[
    ("counters", 48, &[0, 1000, -1]),
    ("counter-offset", 16, &[-8000, -1000, 80_000, 4]),
    ("bitmap-bytes", 60, &[2, 1000]),
    ("bitmap-offset", 24, &[-8000, 8000, 1]),
];

/// Writes profiles in each of which a record has a wrong number: of those at 48 and 60 the number itself, of offsets the difference.
fn damage_records(directory: &Path) {
    let sound = fs::read(directory.join("rawbits.profraw")).unwrap();
    let word = |at: usize| i64::from_ne_bytes(sound[at..at + 8].try_into().unwrap());
    for record in 0..4 {
        let start = 128 + word(16) as usize + 64 * record;
        for (name, field, numbers) in FIELDS {
            for number in *numbers {
                let mut bytes = sound.clone();
                let at = start + field;
                match field {
                    48 | 60 => bytes[at..at + 4].copy_from_slice(&(*number as i32).to_ne_bytes()),
                    _ => bytes[at..at + 8].copy_from_slice(&(word(at) + number).to_ne_bytes()),
                }
                fs::write(directory.join(format!("{name}{number}-{record}.profraw")), bytes).unwrap();
            }
        }
    }
}

/// Command lines on them.
pub fn record_lines() -> Vec<String> {
    let names =
        FIELDS.iter().flat_map(|(name, _, numbers)| numbers.iter().map(move |number| format!("{name}{number}")));
    names.flat_map(|name| (0..4).map(move |record| format!("show {name}-{record}.profraw"))).collect()
}

fn damage(directory: &Path) {
    damage_records(directory);
    let raw = fs::read(directory.join("rawir.profraw")).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(directory.join(name), bytes).unwrap();
    write("cut-head.profraw", &raw[..40]);
    write("cut-data.profraw", &raw[..200]);
    write("cut-values.profraw", &raw[..raw.len() - 8]);
    write("trailing.profraw", &[&raw[..], b"x"].concat());
    write("trailing2.profraw", &[&raw[..], &[b'x'; 400]].concat());
    write("two.profraw", &[raw.clone(), fs::read(directory.join("rawir2.profraw")).unwrap()].concat());
    let front_end = fs::read(directory.join("rawfe.profraw")).unwrap();
    write("mixed.profraw", &[&front_end[..], &raw].concat());
    let trace = fs::read(directory.join("rawtrace.profraw")).unwrap();
    write("cut-trace.profraw", &trace[..trace.len() - 8]);
    // A header of 16 words, a binary id, and the first record.
    let (ids, record) = (128, 128 + 16);
    let mut changed = raw.clone();
    changed[ids] = 99;
    write("bad-ids.profraw", &changed);
    let mut changed = raw.clone();
    changed[record..record + 8].fill(7);
    write("noname.profraw", &changed);
    let mut version = raw.clone();
    version[8] = 8;
    write("old.profraw", &version);
    version[8] = 99;
    write("new.profraw", &version);
    version[8..16].copy_from_slice(&70_000u64.to_ne_bytes());
    write("newer.profraw", &version);
    version[8..16].fill(0xff);
    write("newest.profraw", &version);
    let mut names = fs::read(directory.join("rawplain.profraw")).unwrap();
    let place = names.windows(5).position(|window| window == b"\x01main").unwrap();
    names[place + 1] = 1;
    write("noname-between.profraw", &names);
}

fn run(command: &mut Command, directory: &Path) {
    let output = command.current_dir(directory).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
