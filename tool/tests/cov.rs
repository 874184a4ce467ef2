//! `profrt cov`: programs whose truth is known by hand, in their sources (`common::truth`).

use needs_macros::needs;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common;
use crate::common::truth::{check_lines, report};
use crate::common::{all_compilers, compilers, newest, run};
use serde_json::Value;
use testkit::toolchain::Clang;

/// A program: its sources, and for each time that it is built and run the flags of the compiler and the arguments.
struct Truth {
    name: &'static str,
    sources: &'static [(&'static str, &'static str)],
    runs: &'static [(&'static [&'static str], &'static [&'static str])],
    /// Covered, all: functions, regions of code, sides of branches, conditions. Only what differs from `llvm-cov`, or is hard.
    totals: &'static [(&'static str, u64, u64)],
    since: u32,
}

const ONCE: &[(&[&str], &[&str])] = &[(&[], &[])];
const PLAIN: Truth = Truth { name: "", sources: &[], runs: ONCE, totals: &[], since: 14 };
const BYTE: &[&str] = &["-mllvm", "-enable-single-byte-coverage=true"];

/// Of `a && b` b decides in no call, of `c && d` c.
const ARGUMENTS: &str = "#define CHECK(x) if (!(x)) n++
#define INNER(x) if (x) n++
#define OUTER(a, b) { INNER(a); INNER(b); }
static int n;
static int one(int x) { return x; } //= 4
void f(int a, int b, int c, int d) {
  CHECK(one(a && b) == one(c && d)); //= 2
  OUTER(a && b, c && d); //= 2
}
int main(void) { //= 1
  f(1, 1, 1, 1); //= 1
  f(0, 1, 1, 0); //= 1
  return 0; //= 1
} //= 1
";

const TRUTHS: [Truth; 21] = [
    Truth {
        name: "instantiations with different bodies",
        sources: &[(
            "a.cpp",
            "template <int N> int f(int x) { //= 3
  if constexpr (N == 1) {
    return x; //= 2
  } else {
    x++; //= 1
    return x; //= 1
  }
}
int main() { //= 1
  return f<1>(0) + f<1>(0) + f<2>(-1); //= 1
} //= 1
",
        )],
        totals: &[("functions", 2, 2)],
        // Earlier ones say that what is left out is a part of the body.
        since: 19,
        ..PLAIN
    },
    Truth {
        name: "builds with and without a macro",
        sources: &[(
            "a.c",
            "int f(int x) { //= 2
#ifdef MORE
  x += 2; //= 1
#else
  x += 1; //= 1
#endif
  return x; //= 2
} //= 2
int main(void) { //= 2
  return f(0) == 0; //= 2
} //= 2
",
        )],
        // Both have the same hash, so that the profile has their sum; their build ids tell them apart.
        runs: &[(&[], &[]), (&["-DMORE"], &[])],
        totals: &[("functions", 2, 2)],
        ..PLAIN
    },
    Truth {
        name: "builds with other hashes",
        sources: &[(
            "a.c",
            "int f(int x) { //= 3
#ifdef MORE
  while (x > 0) x--; //= 1
#endif
  return x; //= 3
} //= 3
#ifdef MORE
int main(void) { return f(0); } //= 1
#else
int main(void) { return f(0) + f(0) ? 1 : 0; } //= 1
#endif
",
        )],
        runs: &[(&[], &[]), (&["-DMORE"], &[])],
        ..PLAIN
    },
    Truth {
        name: "an early return in if constexpr",
        sources: &[(
            "a.cpp",
            "template <bool B> int f(int x) { //= 1
  if constexpr (B)
    return x; //= 1
  x *= 2;
  return x;
}
int main() { return f<true>(0); } //= 1
",
        )],
        totals: &[("functions", 2, 2)],
        ..PLAIN
    },
    Truth {
        name: "gaps",
        sources: &[(
            "a.c",
            "int f(int x) { //= 1
  if (x) //= 1

    return 1; //= 0
  else

    x = 7; //= 1

  while (x > 5) { //= 3

    x--; //= 2

  } //= 2
  return 0; //= 1
} //= 1
int main(void) { return f(0); } //= 1
",
        )],
        ..PLAIN
    },
    Truth {
        name: "an inline function that one unit uses",
        sources: &[
            ("a.h", "static inline int f(int x) { //= 1\n  return x; //= 1\n} //= 1\nint g(void); //= -\n"),
            ("a.c", "#include \"a.h\"\nint main(void) { return f(0) + g(); } //= 1\n"),
            ("b.c", "#include \"a.h\"\nint g(void) { return 0; } //= 1\n"),
        ],
        totals: &[("functions", 3, 3)],
        ..PLAIN
    },
    Truth {
        name: "macros in macros",
        sources: &[(
            "a.c",
            "#define INNER(x) ((x) > 1 ? 1 : 0)
#define OUTER(x) (INNER(x) + 1)
int main(int argc, char **argv) { //= 1
  int a = OUTER(argc); //= 1
  int b = OUTER(argc + 1); //= 1
  return a + b == 9; //= 1
} //= 1
",
        )],
        // Each expansion has the two sides of the branch in it.
        totals: &[("branches", 2, 4)],
        ..PLAIN
    },
    Truth {
        name: "branches in macros",
        sources: &[(
            "a.c",
            "#define CHECK(x) do { if (!(x)) bad = 1; } while (0)
int bad;
int main(void) { //= 1
  for (int i = 0; i < 3; i++) { //= 4
    CHECK(i < 2); //= 3
  } //= 3
  return bad != 1; //= 1
} //= 1
",
        )],
        ..PLAIN
    },
    Truth {
        name: "byte coverage of two runs",
        sources: &[(
            "a.c",
            "int main(int argc, char **argv) { //= 1
  if (argc > 1) { //= 1
    argc = 0; //= 1
  } //= 1
  if (argc > 5) { //= 1
    argc = 1; //= 0
  } //= 0
  return 0; //= 1
} //= 1
",
        )],
        runs: &[(BYTE, &[]), (BYTE, &["x"])],
        since: 19,
        ..PLAIN
    },
    Truth {
        name: "decisions in a decision's call",
        sources: &[(
            "a.c",
            "int f(int a, int b) { return a && b; } //= 3
int main(void) {
  int n = 0; //= 1
  for (int i = 0; i < 3; i++)
    if (f(i > 0, i > 1) || i == 1)
      n++; //= 2
  return n != 2; //= 1
}
",
        )],
        runs: &[(&["-fcoverage-mcdc"], &[])],
        totals: &[("mcdc", 4, 4)],
        since: 19,
    },
    Truth {
        name: "conditions in arguments of macros",
        sources: &[("a.c", ARGUMENTS)],
        totals: &[("branches", 13, 18)],
        ..PLAIN
    },
    Truth {
        name: "decisions in arguments of macros",
        sources: &[("a.c", ARGUMENTS)],
        runs: &[(&["-fcoverage-mcdc"], &[])],
        totals: &[("branches", 13, 18), ("mcdc", 4, 8)],
        since: 19,
    },
    Truth {
        name: "a decision in a macro of the system",
        sources: &[(
            "a.cpp",
            "#include <cassert>
#define MY_ASSERT(x) assert(x)
int main() { //= 1
  int n = 1; //= 1
  MY_ASSERT(n && \"never\"); //= 1
  if (n > 5) //= 1
    return 1; //= 0
  return 0; //= 1
} //= 1
",
        )],
        runs: &[(&["-fcoverage-mcdc"], &[])],
        totals: &[("mcdc", 0, 1)],
        since: 19,
    },
    Truth {
        name: "comments and what the preprocessor leaves out",
        sources: &[(
            "a.c",
            "int main(int argc, char **argv) { //= 1
  int x = argc; //= 1
  if (x) //= 1
    x++; //= 1
  /* a comment //= -
     of two lines */ //= -
  x++; //= 1
  // a comment //= -
  // and another //= -

  // after an empty line //= -
  if (x > 5) { //= 1
    // why not //= -
    // indeed //= -
    x = 0; //= 0
  } //= 0
#ifdef NEVER //= -
  x++; //= -
#else //= -
  x += 2; //= 1
#endif //= -
#if defined(NEVER) //= -
  x++; //= -
#elif 1 //= -
  x += 2;
  x += 2; //= 1
#endif //= -
  x++; //= 1
  /* before code //= -
   */ x++; //= 1
  return 0; //= 1
} //= 1
",
        )],
        ..PLAIN
    },
    Truth {
        name: "a header in two units",
        sources: &[
            ("a.h", "inline int f(int x) { //= 3\n  if (x) //= 3\n    return 1; //= 1\n  return 0; //= 2\n} //= 3\n"),
            ("a.cpp", "#include \"a.h\"\nint g();\nint main() { return f(0) + g(); } //= 1\n"),
            ("b.cpp", "#include \"a.h\"\nint g() { return f(0) + f(1) - 1; } //= 1\n"),
        ],
        totals: &[("functions", 3, 3), ("branches", 2, 2)],
        ..PLAIN
    },
    Truth {
        name: "an instantiation that ran hides none that did not",
        sources: &[(
            "a.cpp",
            "template <typename T> int f(T x) { //= 2
  if (x > 0) //= 2
    return 1; //= 1
  return 0; //= 1
} //= 2
int main() { return f(1) + f(-1.0) - 1; } //= 1
",
        )],
        totals: &[("branches", 2, 2), ("regions", 5, 5), ("functions", 2, 2)],
        ..PLAIN
    },
    Truth {
        name: "instantiations of a constructor",
        sources: &[(
            "a.cpp",
            "#include <string>
#include <utility>
template <class T> struct Box {
  T value;
  Box(T x) : value(std::move(x)) {} //= 1
};
int main(int argc, char **) { //= 1
  if (argc > 5) //= 1
    return (int)Box<std::string>(\"a\").value.size(); //= 0
  return Box<int>(1).value - 1; //= 1
} //= 1
",
        )],
        totals: &[("functions", 2, 2)],
        ..PLAIN
    },
    Truth {
        name: "functions in functions",
        sources: &[(
            "a.cpp",
            "static int call(int (*f)(int), int x) { return f(x); } //= 3
int main(int argc, char **) { //= 1
  struct Local {
    int m(int x) { //= 0
      return x + 1; //= 0
    } //= 0
  };
  auto never = [](int x) { //= 1
    return x * 2; //= 0
  }; //= 1
  auto outer = [](int x) { //= 3
    auto inner = [](int y) { //= 3
      return y; //= 3
    }; //= 3
    return call(inner, x); //= 3
  }; //= 3
  if (argc > 5) //= 1
    return call(never, 1) + Local().m(1); //= 0
  return outer(0) + outer(0) + outer(0); //= 1
} //= 1
",
        )],
        totals: &[("functions", 4, 6)],
        ..PLAIN
    },
    Truth {
        name: "what did not run",
        sources: &[(
            "a.c",
            "static int unused(int x) { return x; } //= 0
int f(int x) { //= 0
  return x; //= 0
} //= 0
int main(int argc, char **argv) { return argc > 5 ? f(1) : 0; } //= 1
",
        )],
        totals: &[("functions", 1, 3), ("branches", 1, 2)],
        ..PLAIN
    },
    // The function is entered once, and its condition is true three times.
    Truth {
        name: "a counter below 0",
        sources: &[(
            "a.c",
            "#include <setjmp.h>
static jmp_buf again;
static int turns(void) { //= 1
  int turn = setjmp(again); //= 1
  if (turn < 3) { //= ?
    if (turn == 2) //= 3
      return 0; //= 1
    longjmp(again, turn + 1); //= 2
  }
  return 1; //= 0
}
int main(void) { return turns(); } //= 1
",
        )],
        totals: &[("branches", 3, 4)],
        ..PLAIN
    },
    Truth {
        name: "markers",
        sources: &[(
            "a.c",
            "int main(int argc, char **argv) { //= 1
  if (argc > 5) // LCOV_EXCL_BR_LINE //= 1
    return 1; // GCOVR_EXCL_LINE //= -
  // LCOV_EXCL_START
  argc++; //= -
  // LCOV_EXCL_STOP
  return 0; //= 1
} //= 1
",
        )],
        totals: &[("lines", 4, 4), ("branches", 0, 0)],
        ..PLAIN
    },
];

/// Builds and runs a program, and returns the arguments of `profrt cov`.
fn made(clang: &Clang, dir: &Path, truth: &Truth) -> Vec<String> {
    truth.sources.iter().for_each(|(name, text)| fs::write(dir.join(name), text).unwrap());
    let units = || truth.sources.iter().map(|(name, _)| *name).filter(|name| !name.ends_with(".h"));
    let compiler = if units().any(|name| name.ends_with(".cpp")) { &clang.clangxx } else { &clang.clang };
    let mut arguments = Vec::new();
    for (number, (flags, own)) in truth.runs.iter().enumerate() {
        let (program, raw) = (format!("app-{number}"), format!("{number}.profraw"));
        let mut command = Command::new(compiler);
        command.args(["-fprofile-instr-generate", "-fcoverage-mapping", "-w"]).args(*flags);
        if compiler == &clang.clangxx {
            command.arg("-std=c++17");
        }
        run(command.args(units()).args(["-o", &program]).current_dir(dir));
        run(Command::new(dir.join(&program)).args(*own).current_dir(dir).env("LLVM_PROFILE_FILE", &raw));
        arguments.extend([raw, "--object".into(), program]);
    }
    arguments
}

#[needs("clangs")]
fn truths() {
    let mut wrong = Vec::new();
    for clang in compilers() {
        for truth in TRUTHS.iter().filter(|truth| truth.since <= clang.version) {
            let dir = tempfile::tempdir().unwrap();
            let what = format!("clang {}, {}", clang.version, truth.name);
            let arguments = made(&clang, dir.path(), truth);
            let report = report(dir.path(), &arguments);
            check_lines(&what, &report, truth.sources, &mut wrong);
            for (part, covered, all) in truth.totals {
                let total = &report["totals"][part];
                if (&total["covered"], &total["count"]) != (&(*covered).into(), &(*all).into()) {
                    wrong.push(format!("{what}: {part}: {total} instead of {covered} of {all}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const PROGRAM: &str = "static int f(int x) {
  if (x > 1)
    return 1;
  return 0;
}
int main(void) { return f(0); }
";

const LCOV: &str = "FN:1,f
FN:6,main
FNDA:1,f
FNDA:1,main
FNF:2
FNH:2
BRDA:2,0,0,0
BRDA:2,0,1,1
BRF:2
BRH:1
DA:1,1
DA:2,1
DA:3,0
DA:4,1
DA:5,1
DA:6,1
LF:6
LH:5
end_of_record
";

/// Builds and runs a program of one source as `app`.
fn one(clang: &Clang, dir: &Path, name: &str, source: &str, flags: &[&str]) {
    fs::write(dir.join("a.c"), source).unwrap();
    let mut command = Command::new(&clang.clang);
    command.args(["-fprofile-instr-generate", "-fcoverage-mapping", "-w", "a.c", "-o", name]).args(flags);
    run(command.current_dir(dir));
    run(Command::new(dir.join(name)).current_dir(dir).env("LLVM_PROFILE_FILE", format!("{name}.profraw")));
}

/// Runs `profrt cov`. Returns its exit status, and what it says on both streams.
fn cov(dir: &Path, arguments: &[&str]) -> (i32, String) {
    let output = common::profrt(dir).arg("cov").args(arguments).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(said).unwrap())
}

#[needs("clang")]
fn inputs_stay_and_pipes_are_no_sources() {
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    one(&clang, dir, "app", PROGRAM, &[]);
    for directory in ["profiles", "programs"] {
        fs::create_dir(dir.join(directory)).unwrap();
    }
    fs::rename(dir.join("app.profraw"), dir.join("profiles/app.profraw")).unwrap();
    fs::rename(dir.join("app"), dir.join("programs/app")).unwrap();
    for input in ["profiles/app.profraw", "programs/app"] {
        let (status, said) = cov(dir, &["profiles", "--object", "programs", "--json", input]);
        assert!(status == 2 && said.contains("would replace"), "{input}: {said}");
    }
    // Nobody writes to it.
    fs::remove_file(dir.join("a.c")).unwrap();
    run(Command::new("mkfifo").arg(dir.join("a.c")));
    let output =
        common::ended(common::profrt(dir).args(["cov", "profiles", "--object", "programs", "--html", "a.html"]));
    assert_eq!(output.status.code(), Some(0));
}

#[needs("clang")]
fn all_outputs_say_the_same() {
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    one(&clang, dir, "app", PROGRAM, &[]);
    let outputs = ["lcov", "cobertura", "codecov", "markdown", "summary", "json"];
    let named: Vec<String> = outputs.iter().flat_map(|name| [format!("--{name}"), format!("o.{name}")]).collect();
    let arguments: Vec<&str> =
        ["app.profraw", "--object", "app"].into_iter().chain(named.iter().map(String::as_str)).collect();
    assert_eq!(cov(dir, &arguments), (0, String::new()));
    let [lcov, cobertura, codecov, markdown, summary, json] =
        outputs.map(|name| fs::read_to_string(dir.join(format!("o.{name}"))).unwrap());
    let path = "a.c";
    assert_eq!(lcov, format!("SF:{path}\n{LCOV}"));
    let codecov: Value = serde_json::from_str(&codecov).unwrap();
    assert_eq!(codecov["coverage"][path], serde_json::json!({"1": 1, "2": "1/2", "3": 0, "4": 1, "5": 1, "6": 1}));
    for part in [
        "lines-covered=\"5\" lines-valid=\"6\" branches-covered=\"1\" branches-valid=\"2\"",
        "<method name=\"f\" signature=\"\" line-rate=\"0.8000\" branch-rate=\"0.5000\"",
        "<line number=\"2\" hits=\"1\" branch=\"true\" condition-coverage=\"50% (1/2)\"/>",
    ] {
        assert!(cobertura.contains(part), "{part} in {cobertura}");
    }
    assert!(
        markdown.ends_with("| **all files** | 100 % (2/2) | 83.33 % (5/6) | 80.00 % (4/5) | 50.00 % (1/2) |\n"),
        "{markdown}"
    );
    assert!(summary.contains("5/6   83.33 %") && !summary.contains('\u{1b}'), "{summary}");
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["account"], serde_json::json!([{"class": "used", "functions": 2, "records": 2}]));
    assert_eq!(json["files"][0]["branches"][0]["counts"], serde_json::json!([0, 1]));
    for threads in ["1", "4"] {
        assert_eq!(cov(dir, &[&arguments[..3], &["-j", threads, "--lcov", "-"]].concat()), (0, lcov.clone()));
    }
}

#[needs("clang")]
fn a_directory_is_one_with_files_before_and_after_those_below_it() {
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::create_dir(dir.join("m")).unwrap();
    for (name, function) in [("a.h", "a"), ("m/m.h", "m"), ("z.h", "z")] {
        fs::write(dir.join(name), format!("static inline int {function}(void) {{ return 1; }}\n")).unwrap();
    }
    let source = "#include \"a.h\"\n#include \"m/m.h\"\n#include \"z.h\"\nint main(void) { return a() - m(); }\n";
    one(&clang, dir, "main", source, &[]);
    let named = ["main.profraw", "--object", "main", "--summary", "-", "--cobertura", "o.xml"];
    let (status, summary) = cov(dir, &named);
    assert_eq!(status, 0);
    for directory in [".", "m"] {
        assert_eq!(summary.lines().filter(|line| *line == directory).count(), 1, "{summary}");
        let cobertura = fs::read_to_string(dir.join("o.xml")).unwrap();
        assert_eq!(cobertura.matches(&format!("<package name=\"{directory}\" ")).count(), 1, "{cobertura}");
    }
    // Its own three files: `z` did not run.
    let whole = summary.lines().find(|line| line.starts_with("  total")).unwrap();
    assert!(whole.contains(" 2/3 "), "{summary}");
}

#[needs("clang")]
fn limits_decide_the_exit_status() {
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    one(&clang, dir, "app", PROGRAM, &[]);
    let with = |more: &[&str]| cov(dir, &[&["app.profraw", "--object", "app", "--lcov", "o"], more].concat());
    assert_eq!(with(&["--fail-under", "lines=83.3,branches=50", "--fail-under-file", "functions=100"]).0, 0);
    let (status, said) = with(&["--fail-under", "lines=83.4"]);
    assert!(status == 1 && said.contains("all files: 5 of 6 lines ran, 83.33 %; 83.4 % are required"), "{said}");
    let (status, said) = with(&["--fail-under-file", "branches=51"]);
    assert!(status == 1 && said.contains("a.c: 1 of 2 branches ran"), "{said}");
    assert_eq!(with(&["--fail-under", "words=1"]).0, 2);
    assert_eq!(cov(dir, &["app.profraw", "--object", "a.c"]).0, 2, "no ELF file");
    assert_eq!(
        cov(dir, &["app.profraw", "--object", "app", "--lcov", "-", "--json", "-"]).0,
        2,
        "two outputs in one place"
    );
    assert_eq!(cov(dir, &["app.profraw", "--object", "app", "--lcov", "app.profraw"]).0, 2, "an input");
    fs::write(dir.join("a.c"), "// LCOV_EXCL_START\n").unwrap();
    run(Command::new("touch").args(["-d", "2001-01-01"]).arg(dir.join("a.c")));
    let (status, said) = with(&[]);
    assert!(status == 2 && said.contains("a.c:1: LCOV_EXCL_START never ends"), "{said}");
}

#[needs("clang")]
fn records_of_another_build_are_told() {
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    one(&clang, dir, "old", PROGRAM, &["-Wl,--build-id"]);
    let changed = PROGRAM.replace("return 0;", "while (x > 2) x--;\n  return 0;");
    one(&clang, dir, "app", &format!("{changed}int never(void) {{ return 1; }}\n"), &["-Wl,--build-id"]);
    let arguments = ["old.profraw", "--object", "app", "--lcov", "o", "--explain"];
    let (status, said) = cov(dir, &[&arguments[..], &["--fail-on", "mismatched"]].concat());
    assert!(status == 1 && said.contains("other build: 1 functions of programs, 1 records of profiles"), "{said}");
    assert!(said.contains("give the programs that wrote the profiles to --object"), "{said}");
    // With a profile of its own build, too.
    let (status, said) = cov(dir, &[&arguments[..], &["app.profraw", "--fail-on", "mismatched,unknown"]].concat());
    assert!(status == 1 && said.contains("stale: 0 functions of programs, 1 records of profiles"), "{said}");
    assert_eq!(cov(dir, &[&arguments[..], &["--fail-on", "damaged,unknown"]].concat()).0, 0);
}

#[needs("clangs")]
fn builds_in_several_places_by_several_compilers_are_one_file() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    let mut arguments: Vec<String> = vec!["--path-map".into(), format!("{}=/src", dir.display())];
    let clangs = all_compilers();
    for clang in &clangs {
        let own = dir.join(clang.version.to_string());
        fs::create_dir(&own).unwrap();
        one(clang, &own, "app", PROGRAM, &[]);
        let map = format!("{}=/src", own.display());
        let program = own.join("app");
        let [raw, program] = [program.with_extension("profraw"), program].map(|path| path.display().to_string());
        arguments.extend(["--path-map".into(), map, "--object".into(), program, raw]);
    }
    let report = report(&dir, &arguments);
    assert_eq!(report["files"].as_array().unwrap().len(), 1, "{report:#}");
    let times = clangs.len() as u64;
    assert_eq!(report["files"][0]["lines"][5], serde_json::json!([6, times]), "{report:#}");
    assert_eq!(report["totals"]["lines"], serde_json::json!({"count": 6, "covered": 5}));
}

#[needs("clang")]
fn only_changed_lines() {
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=b"]).args(arguments).current_dir(dir);
        run(&mut git);
    };
    fs::write(dir.join("a.c"), PROGRAM).unwrap();
    git(&["init", "-q"]);
    git(&["add", "a.c"]);
    git(&["commit", "-q", "-m", "a"]);
    // What others have changed since is not of this branch.
    git(&["checkout", "-q", "-b", "ahead"]);
    fs::write(dir.join("a.c"), PROGRAM.replacen("int ", "int  ", 1)).unwrap();
    git(&["commit", "-q", "-a", "-m", "b"]);
    git(&["checkout", "-q", "-"]);
    let changed = PROGRAM.replace("    return 1;\n", "    x++;\n").replace("f(0); }", "f(0) +\n    f(1); }");
    one(&clang, dir, "app", &changed, &[]);
    let with = |more: &[&str]| cov(dir, &[&["app.profraw", "--object", "app"], more].concat());
    for revision in ["HEAD", "ahead"] {
        let (status, said) = with(&["--since", revision, "--fail-under", "new-lines=70"]);
        let failure = "the change: 2 of 3 new lines ran, 66.66 %";
        assert!(status == 1 && said.contains("not run: 3") && said.contains(failure), "{said}");
    }
    let diff = Command::new("git").args(["diff"]).current_dir(dir).output().unwrap().stdout;
    fs::write(dir.join("a.diff"), diff).unwrap();
    let arguments = ["--lcov", "-", "--diff", "a.diff"];
    let (status, said) = with(&arguments);
    let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("DA:")).collect();
    assert_eq!((status, lines), (0, vec!["DA:3,0", "DA:6,1", "DA:7,1"]));
    assert_eq!(with(&["--fail-under", "new-lines=70"]).0, 2, "without a change");
    // What a change does not have need not be there; of all files it does.
    assert_eq!(with(&["--since", "HEAD", "--fail-under", "mcdc=100"]).0, 0);
    let (status, said) = with(&["--fail-under", "mcdc=100"]);
    assert!(status == 1 && said.contains("no mcdc at all; 100 % are required; compile with -fcoverage-mcdc"), "{said}");
    assert_eq!(with(&["--fail-under-file", "mcdc=100"]).0, 0);
    // Compiled through a link to the repository.
    let link = tempfile::tempdir().unwrap();
    let link = link.path().join("link");
    std::os::unix::fs::symlink(dir, &link).unwrap();
    one(&clang, &link, "linked", &changed, &[&format!("-fcoverage-compilation-dir={}", link.display())]);
    let linked = ["linked.profraw", "--object", "linked", "--since", "HEAD", "--fail-under", "new-lines=70"];
    let (status, said) = cov(&link, &linked);
    assert!(status == 1 && said.contains("2 of 3 new lines ran"), "{said}");
    // Files that .gitattributes calls binary.
    fs::write(dir.join(".gitattributes"), "*.c -diff\n").unwrap();
    let (status, said) = with(&["--since", "HEAD", "--fail-under", "new-lines=70"]);
    assert!(status == 1 && said.contains("2 of 3 new lines ran"), "{said}");
    // In another repository a change of the same names is none, and one of other files is fine.
    let other = tempfile::tempdir().unwrap();
    let there = |arguments: &[&str]| {
        let mut git = Command::new("git");
        run(git.args(["-c", "user.name=a", "-c", "user.email=b"]).args(arguments).current_dir(other.path()));
    };
    for name in ["a.c", "README"] {
        fs::write(other.path().join(name), "a\n").unwrap();
    }
    there(&["init", "-q"]);
    there(&["add", "."]);
    there(&["commit", "-q", "-m", "a"]);
    let [raw, app] = ["app.profraw", "app"].map(|name| dir.join(name).display().to_string());
    let arguments = [&raw[..], "--object", &app, "--since", "HEAD", "--fail-under", "new-lines=70"];
    fs::write(other.path().join("README"), "b\n").unwrap();
    assert_eq!(cov(other.path(), &arguments).0, 0);
    fs::write(other.path().join("a.c"), "b\n").unwrap();
    let (status, said) = cov(other.path(), &arguments);
    assert!(status == 1 && said.contains("note: no file of the change is a source, but a.c has the name of"), "{said}");
    assert!(said.contains("new-lines: no file of the change is a source"), "{said}");
    assert_eq!(cov(other.path(), &arguments[..5]).0, 0, "no limit");
    fs::write(dir.join("a.diff"), "fatal: bad revision\n").unwrap();
    assert_eq!(with(&["--diff", "a.diff"]).0, 2, "no diff");
    assert_eq!(with(&["--since", "nothing"]).0, 2);
}

/// Each of lcov's twelve categories, of lines.
#[needs("clang")]
fn categories_of_a_baseline() {
    const BEFORE: &str = "int dropped(int x) { return x; }
int dead(int x) { return x; }
int both(int x) { return x; }
int lost(int x) { return x; }
int gained(int x) { return x; }
int never(int x) { return x; }
int out(int x) { return x; }
int unseen(int x) { return x; }
int later(int x);
int main(int argc, char **argv) { return both(0) + lost(0) + dropped(0) + out(0); }
";
    const AFTER: &str = "int both(int x) { return x; }
int lost(int x) { return x; }
int gained(int x) { return x; }
int never(int x) { return x; }
int out(int x) { return x; }
int unseen(int x) { return x; }
int later(int x);
int added(int x) { return x; }
int unused(int x) { return x; }
int main(int argc, char **argv) { return both(0) + gained(0) + added(0); }
";
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    one(&clang, dir, "old", BEFORE, &[]);
    assert_eq!(cov(dir, &["old.profraw", "--object", "old", "--json", "old.json"]).0, 0);
    fs::rename(dir.join("a.c"), dir.join("before.c")).unwrap();
    one(&clang, dir, "app", AFTER, &[]);
    let mut diff = Command::new("diff");
    diff.args(["-U2", "--label", "a/a.c", "--label", "b/a.c", "before.c", "a.c"]).current_dir(dir);
    let diff = diff.output().unwrap().stdout;
    fs::write(dir.join("a.diff"), diff).unwrap();
    let common = ["app.profraw", "--object", "app", "--baseline", "old.json", "--exclude-functions", "^(out|unseen)$"];
    let with = |more: &[&str]| cov(dir, &[&common[..], more].concat());
    let (status, said) = with(&["--diff", "a.diff", "--json", "-"]);
    let report: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}"));
    let expected = serde_json::json!({
        "UNC": 1, "LBC": 1, "UBC": 1, "GBC": 1, "GNC": 2, "CBC": 1, "EUB": 1, "ECB": 1, "DUB": 1, "DCB": 2,
    });
    assert_eq!((status, &report["baseline"]["lines"]), (0, &expected), "{said}");
    assert_eq!(report["baseline"]["functions"], expected);
    let (status, said) = with(&["--diff", "a.diff", "--fail-if", "lost"]);
    assert!(status == 1 && said.contains("a.c: ran before and not now: 2"), "{said}");
    // Limits of new lines are of these only.
    let (status, said) =
        with(&["--diff", "a.diff", "--fail-under", "new-lines=67", "--fail-under-file", "new-lines=67"]);
    assert!(status == 1 && said.contains("all files: 2 of 3 new lines ran"), "{said}");
    assert!(said.contains("a.c: 2 of 3 new lines ran"), "{said}");
    assert_eq!(with(&["--diff", "a.diff", "--fail-under", "new-lines=66"]).0, 0);
    // Lines that the baseline does not have and the change does not name are included.
    let (_, said) = with(&["--json", "-"]);
    let report: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(report["baseline"]["lines"]["UIC"], 1, "{said}");
    // Other profiles of the same program.
    run(Command::new(dir.join("app")).current_dir(dir).env("LLVM_PROFILE_FILE", "again.profraw"));
    let (status, said) =
        cov(dir, &["app.profraw", "--object", "app", "--baseline", "again.profraw", "--fail-if", "lost"]);
    assert!(status == 0 && said.contains("lines       UBC 5, CBC 4"), "{said}");
    // Their lines have the numbers of now.
    let (status, said) =
        cov(dir, &["app.profraw", "--object", "app", "--baseline", "again.profraw", "--diff", "a.diff"]);
    assert!(status == 2 && said.contains("remedy: leave out --since and --diff"), "{said}");
    // The file has another name now: nothing is lost. (Other tools write JSON without spaces.)
    fs::write(dir.join("renamed.diff"), "diff --git a/b.c b/a.c\nrename from b.c\nrename to a.c\n").unwrap();
    let json: Value = serde_json::from_str(&fs::read_to_string(dir.join("old.json")).unwrap()).unwrap();
    fs::write(dir.join("old.json"), json.to_string().replace("a.c", "b.c")).unwrap();
    one(&clang, dir, "app", BEFORE, &[]);
    let (status, said) = cov(dir, &[&common[..5], &["--diff", "renamed.diff", "--fail-if", "lost"]].concat());
    assert!(status == 0 && said.contains("UIC 4, GIC 5, DUB 4, DCB 5"), "{said}");
}

/// What is no longer in the report is lost, unless it is excluded.
#[needs("clang")]
fn stale_functions_lose_their_lines() {
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    one(&clang, dir, "app", PROGRAM, &[]);
    assert_eq!(cov(dir, &["app.profraw", "--object", "app", "--json", "all.json"]).0, 0);
    one(&clang, dir, "old", &PROGRAM.replace("if (x > 1)", "while (x > 1)\n    if (x > 2)"), &[]);
    let stale = ["old.profraw", "--object", "app", "--baseline", "all.json", "--fail-if", "lost"];
    let with = |more: &[&str]| cov(dir, &[&stale[..], more].concat());
    let (status, said) = with(&[]);
    assert!(status == 1 && said.contains("lines       LBC 4, UBC 1, CBC 1"), "{said}");
    assert!(said.contains("a.c: ran before and not now: 1-2, 4-5"), "{said}");
    // The baseline is of another file.
    let all = fs::read_to_string(dir.join("all.json")).unwrap();
    let other = |more: &str| fs::write(dir.join("all.json"), all.replace("a.c", &format!("/elsewhere/{more}a.c")));
    other("").unwrap();
    let (status, said) = with(&[]);
    assert!(status == 2 && said.contains("the baseline has no file of the report: it has /elsewhere/a.c"), "{said}");
    assert_eq!(with(&["--path-map", &format!("{}=/elsewhere", dir.canonicalize().unwrap().display())]).0, 1);
    // A file that the program does not have any more is lost, unless it is left out.
    let mut both: Value = serde_json::from_str(&all).unwrap();
    let mut gone = both["files"][0].clone();
    gone["path"] = "/elsewhere/gone.c".into();
    both["files"].as_array_mut().unwrap().push(gone);
    let both = format!("{{\"schema\": \"profrt-cov-1\", \"files\": {}}}", both["files"]);
    fs::write(dir.join("all.json"), both).unwrap();
    let (_, said) = with(&[]);
    assert!(said.contains("gone.c: ran before and not now: 1-2, 4-6"), "{said}");
    let (_, said) = with(&["--ignore", "gone"]);
    assert!(!said.contains("gone.c") && said.contains("ECB 5"), "{said}");
}
