//! Programs with coverage mappings, compiled by each installed clang.

use std::path::{Path, PathBuf};
use std::process::Command;

use needs::{TESTED, is_all};

/// A program and how it is compiled.
pub struct Program {
    pub name: &'static str,
    /// Sources: those of this file by their names, or paths below `c-tests/`.
    pub sources: &'static [&'static str],
    pub flags: &'static [&'static str],
    pub arguments: &'static [&'static str],
    /// The first release whose clang has it.
    pub since: u32,
}

const BYTE: &[&str] = &["-mllvm", "-enable-single-byte-coverage=true"];
const BYTE_CPP: &[&str] = &["-mllvm", "-enable-single-byte-coverage=true", "-std=c++17"];
const MCDC: &[&str] = &["-fcoverage-mcdc"];
const SYSTEM: &[&str] = &["-std=c++17", "-w", "-mllvm", "-system-headers-coverage", "-fcoverage-mcdc"];
const ABI: &[&str] = &["-std=c++17", "-w"];
const ABI_MCDC: &[&str] = &["-std=c++17", "-w", "-fcoverage-mcdc"];

pub const fn program(name: &'static str, sources: &'static [&'static str], flags: &'static [&'static str]) -> Program {
    Program { name, sources, flags, arguments: &[], since: 13 }
}

pub const PROGRAMS: [Program; 23] = [
    program("arguments", &["arguments.c"], &[]),
    program("macros", &["macros.c"], &[]),
    Program { arguments: &["1", "2", "3"], ..program("macros-run", &["macros.c"], &[]) },
    program("units", &["one.cpp", "two.cpp"], ABI),
    program("mocks", &["mocks.cpp", "mocked.cpp"], ABI),
    Program { since: 19, ..program("mocks-decisions", &["mocks.cpp", "mocked.cpp"], ABI_MCDC) },
    program("units-optimized", &["one.cpp", "two.cpp"], &["-O2", "-std=c++17"]),
    program("decisions-plain", &["decisions.c"], &[]),
    Program { since: 19, ..program("decisions", &["decisions.c"], MCDC) },
    Program { since: 19, arguments: &["1", "2"], ..program("decisions-run", &["decisions.c"], MCDC) },
    Program { since: 19, ..program("bytes", &["macros.c"], BYTE) },
    Program { since: 19, ..program("bytes-units", &["one.cpp", "two.cpp"], BYTE_CPP) },
    Program { since: 19, ..program("mcdc", &["abi/mcdc.c"], MCDC) },
    program("control_flow", &["abi/control_flow.c"], &["-w"]),
    Program { since: 19, ..program("system", &["abi/cpp_lambdas.cpp"], SYSTEM) },
    program("templates", &["abi/cpp_lambdas.cpp"], ABI),
    program("exceptions", &["abi/cpp_exceptions.cpp"], ABI),
    program("lifetimes", &["abi/cpp_lifetimes.cpp"], ABI),
    program("modern", &["abi/cpp_modern.cpp"], ABI),
    program("virtual", &["abi/cpp_virtual.cpp"], ABI),
    Program { since: 19, ..program("decisions-in-macros", &["expanded.c"], MCDC) },
    Program { since: 19, arguments: &["1"], ..program("decisions-in-macros-run", &["expanded.c"], MCDC) },
    program("relative", &["macros.c"], &["-fcoverage-compilation-dir=."]),
];

/// Macros in macros, code that is left out, all statements.
const MACROS: &str = r#"
#define BOTH(x, y) ((x) > 0 && (y) > 0)
#define EITHER(x, y) (BOTH(x, y) || BOTH(-(x), y))
#define ALIAS EITHER
#define BODY(x) do { if (EITHER(x, 1)) total += x; } while (0)
#define CALL(f, x) f(x)
#define NOTHING
#define FALL __attribute__((fallthrough));
#include <stdarg.h>
#include <stdlib.h>
static int total;
static inline int unused(int x) { return x ? 1 : 2; }
#if 0
static int never(void) { return 1; }
#endif
static void empty(void) {}
static int variable(int n, ...);
static int twice(int x) { return 2 * x; }
static int loops(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    if (i == 2)
      continue;
    if (i == 5)
      break;

    // A comment.
    sum += i;
  }
  while (n-- > 0) sum ^= n;
  do { sum++; NOTHING } while (sum < 3 && n);
  return sum ? sum : -1;
}
static int choose(int n) {
  switch (n) {
  case 0:
    return 1;
  case 1:
    n++;
    /* A comment before code. */ FALL
  case 2:
    if (n ? n > 1 : n < 1) n++;
    if (BOTH(n, 1) != 0 && n) n--;
    n += 2;
    break;
  default:
#ifdef MORE
    return 7;
#else
    goto out;
#endif
  }
  return n;
out:
  return n > 9 || n < 4 ? 3 : 4;
}
int main(int argc, char **argv) {
  BODY(argc);
  BODY(-argc);
  if (ALIAS(argc, 2) || BOTH(total, argc) || 0) total += CALL(twice, argc);
  for (int i = 0; i < argc; i++)
    total += loops(3 * i) + choose(i) + CALL(twice, CALL(twice, i));
  if (!argv) return total;
  empty();
  variable(2, argc, 1);
  if (argc > 3) exit(0);
  return total == 123456789;
}
static int variable(int n, ...) {
  va_list list;
  va_start(list, n);
  while (n-- > 0)
    total += va_arg(list, int);
  va_end(list);
  return total;
}
"#;

/// Conditions of every depth.
const DECISIONS: &str = r#"
#include <stdlib.h>
#define AND(x, y) ((x) && (y))
static int d2(int a, int b) { return a && b; }
static int d3(int a, int b, int c) { return (a || b) && c; }
static int d4(int a, int b, int c, int d) { return (a && b) || (c && d); }
static int d5(int a, int b, int c, int d, int e) { return a && (b || c) && (d || !e); }
static int d6(int a, int b, int c, int d, int e, int f) { return (a || (b && (c || d))) && (e || f); }
static int in_macro(int a, int b, int c) { return AND(a, b) || AND(b, c); }
static int constant(int a, int b) { return (a && 1) || (0 && b); }
static int nested(int a, int b, int c) { if (a && d2(b && c, a || c)) return 1; return 0; }
static int never(int a, int b) { return a || b; }
static int ternary(int a, int b, int c) { return a ? (b && c) : (b || c); }
int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 0; i < 64; i += argc) {
    int a = i & 1, b = i & 2, c = i & 4, d = i & 8, e = i & 16, f = i & 32;
    sum += d2(a, b) + d3(a, b, c) + d4(a, b, c, d);
    if (argc > 1) sum += d5(a, b, c, d, e) + d6(a, b, c, d, e, f);
    sum += in_macro(a, b, c) + constant(a, b) + nested(a, b, c) + ternary(a, b, c);
  }
  while (argc > 100 && (sum || never(argc, sum))) argc--;
  return sum < 0;
}
"#;

/// Decisions across macros.
const EXPANDED: &str = r#"
#include <assert.h>
#define SURE(x) assert(x)
#define SAME(x) if (!(x)) r++
#define BOTH(x, y) { SAME(x); SAME(y); }
#define AND(x, y) ((x) && (y))
#define OR(x, y) ((x) || (y))
#define ID(x) (x)
static int in_macro(int a, int b, int c) { return AND(a, b) || AND(b, c); }
static int m2(int a, int b, int c) { return AND(a, OR(b, c)); }
static int m3(int a, int b, int c) { return ID(a && b) && ID(c); }
static int m4(int a, int b, int c) { return AND(a > 1, b > 2) && c; }
static int m5(int a, int b, int c) { return a && AND(b && c, a); }
static int m6(int a, int b) { int r = AND(a > 1, b) || b; while (r < 0 || b > 50) r--; return r; }
static int m7(int a, int b) { int r = 0; SAME(ID(a && b) == m6(a || b, r)); BOTH(a && b, AND(a, b) || r); SURE(a && "a"); return r < 0; }
int main(int argc, char **argv) { return m7(argc, 1) + m6(argc, 1) + in_macro(argc,argc-1,argc) + m2(argc,argc,0) + m3(1,argc,argc-1) + m4(argc,argc,argc) + m5(1,1,argc) < 0; }
"#;

const SHARED: &str = r#"
#pragma once
inline int shared(int x) { return x > 2 ? x : 2; }
inline int unused_in_both(int x) { return x; }
inline int used_in_two(int x) { if (x) return 1; else return 3; }
template <typename T> struct Box {
  T value;
  bool large() const { return value > T(10) && value < T(100); }
  template <int N> int times() { if constexpr (N > 2) { return N * int(value); } return 0; }
};
template <typename T> T least(T a, T b) { return a < b ? a : b; }
"#;

const ONE: &str = r#"
#include <initializer_list>
#include "shared.h"
int two(int);
namespace { struct Local { int x; ~Local() { if (x) x = 0; } }; int hidden() { Local l{1}; return l.x; } }
int main(int argc, char **argv) {
  auto add = [argc](int x) { return x > 1 && argc ? x + argc : x; };
  int sum = add(1) + shared(argc) + least(1, 2) + least(2.0, 1.0) + hidden();
  for (char *at : {argv[0], argv[1]}) sum += at != nullptr;
  try { if (argc > 4) throw 1; } catch (int) { sum++; } catch (...) { return 5; }
  Box<int> box{argc + 10};
  sum += box.large() + box.times<1>() + box.times<3>();
  return sum + two(argc) < 0;
}
"#;

const TWO: &str = r#"
#include "shared.h"
static int local(int x) { return x; }
int two(int x) { return shared(x) + used_in_two(x) + least(x, 3) + Box<long>{x}.large() + local(x); }
"#;

/// Has a function of which the programs of the other sources have dummies only.
const OWN: &str = r#"
#include "shared.h"
int main() { return unused_in_both(0); }
"#;

/// Macros in arguments of macros, to some of which no expansion leads.
const ARGUMENTS_H: &str = r#"
extern const unsigned char table[257];
#define MASK(B) (1 << (B))
#define testprop(c, mask) (table[(c) + 1] & (mask))
#define isdig(c) testprop((c) > 0 ? (c) : 0, MASK(1))
"#;

const ARGUMENTS: &str = r#"
#include "arguments.h"
const unsigned char table[257] = {0, 2};
#define hexa(c) (isdig(c) ? (c) - 48 : 10)
#define cast(c) ((unsigned char)(c))
#define STR(x) (x)
int g(int x) { return x; }
static int f(const char *s) {
  int a = 0;
  for (; isdig(cast(*s)); s++) a += 1;
  a += STR(g(isdig(*s)));
  if (hexa(*s) > g(isdig(a))) a++;
  return a;
}
int main(void) { return f("12") > 99; }
"#;

/// The sources of this file, by name.
const SOURCES: [(&str, &str); 12] = [
    ("arguments.h", ARGUMENTS_H),
    ("arguments.c", ARGUMENTS),
    ("macros.c", MACROS),
    ("decisions.c", DECISIONS),
    ("expanded.c", EXPANDED),
    ("shared.h", SHARED),
    ("one.cpp", ONE),
    ("two.cpp", TWO),
    ("own.cpp", OWN),
    ("mocks.h", include_str!("mocks/mocks.h")),
    ("mocks.cpp", include_str!("mocks/mocks.cpp")),
    ("mocked.cpp", include_str!("mocks/mocked.cpp")),
];

pub fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Writes the sources of this file into a directory.
pub fn write_sources(dir: &Path) {
    for (name, text) in SOURCES {
        std::fs::write(dir.join(name), text).unwrap();
    }
}

/// Returns where a source is.
fn source(dir: &Path, name: &str) -> PathBuf {
    if name.contains('/') {
        return Path::new(env!("CARGO_MANIFEST_DIR")).join("../c-tests").join(name).canonicalize().unwrap();
    }
    dir.join(name)
}

/// Returns the command that compiles a program in a directory that has the sources.
pub fn clang(dir: &Path, release: u32, program: &Program) -> Command {
    let mut clang = Command::new(format!("clang-{release}"));
    clang.args(["-fprofile-instr-generate", "-fcoverage-mapping", "-Wno-unused-command-line-argument"]);
    clang.args(program.flags).current_dir(dir);
    clang.args(program.sources.iter().map(|name| source(dir, name)));
    clang
}

/// Returns a C program with random decisions.
pub fn random_decisions(numbers: &mut fastrand::Rng) -> String {
    fn expression(numbers: &mut fastrand::Rng, conditions: u32) -> String {
        if conditions == 1 {
            let not = ["", "!"][numbers.usize(..2)];
            return format!("{not}(x >> {} & 1)", numbers.u32(..10));
        }
        let left = numbers.u32(1..conditions);
        let [one, other] = [left, conditions - left].map(|conditions| expression(numbers, conditions));
        format!("({one} {} {other})", ["&&", "||"][numbers.usize(..2)])
    }
    let mut text = String::new();
    let count = 40;
    for number in 0..count {
        let conditions = numbers.u32(2..10);
        text += &format!("static int f{number}(int x) {{ return {}; }}\n", expression(numbers, conditions));
    }
    text += "int main(void) { int s = 0;\n";
    for number in 0..count {
        text += &format!("for (int i = 0; i < {}; i++) s += f{number}(i * 37 + i);\n", numbers.u32(..60));
    }
    text + "return s < 0; }\n"
}

/// A program that ran, and its profiles.
pub struct Ran {
    pub program: PathBuf,
    pub raw: PathBuf,
    /// As `llvm-profdata` made it of `raw`.
    pub indexed: PathBuf,
}

/// Compiles and runs a program.
pub fn ran(dir: &Path, release: u32, program: &Program) -> Ran {
    let path = dir.join(format!("{}-{release}", program.name));
    let mut clang = clang(dir, release, program);
    if program.sources.iter().any(|name| name.ends_with(".cpp")) {
        clang.arg("-lstdc++");
    }
    run(clang.arg("-o").arg(&path));
    profiled(path, release, program.arguments)
}

/// Runs a program.
pub fn profiled(program: PathBuf, release: u32, arguments: &[&str]) -> Ran {
    let raw = program.with_extension("profraw");
    run(Command::new(&program).args(arguments).env("LLVM_PROFILE_FILE", &raw));
    let indexed = program.with_extension("profdata");
    run(Command::new(format!("llvm-profdata-{release}")).arg("merge").arg(&raw).arg("-o").arg(&indexed));
    Ran { program, raw, indexed }
}

/// The newest release.
pub const NEWEST: u32 = TESTED[TESTED.len() - 1];

/// Returns programs and releases: all of the newest, and those of this file of the first release that has them, or in
/// `cargo xtask test --all` of every one.
pub fn programs() -> impl Iterator<Item = (u32, &'static Program)> {
    let is_wanted = |release: u32, program: &Program| {
        let own = !program.sources[0].contains('/');
        let first = TESTED.into_iter().find(|release| program.since <= *release);
        release == NEWEST || own && (first == Some(release) || is_all() && program.since <= release)
    };
    let all = TESTED.into_iter().flat_map(|release| PROGRAMS.iter().map(move |program| (release, program)));
    all.filter(move |(release, program)| is_wanted(*release, program))
}

/// Calls `each` for every program of the newest release, or in `cargo xtask test --all` of every release.
pub fn for_each(mut each: impl FnMut(&Path, u32, &Program)) {
    let dir = tempfile::tempdir().unwrap();
    write_sources(dir.path());
    for release in TESTED.into_iter().filter(|release| *release == NEWEST || is_all()) {
        PROGRAMS
            .iter()
            .filter(|program| program.since <= release)
            .for_each(|program| each(dir.path(), release, program));
    }
}
