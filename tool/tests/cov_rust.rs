//! `profrt cov`: Rust, of which one crate is in several programs in different builds, alone and in one program with C.

use needs_macros::needs;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common;
use crate::common::truth::{check_lines, report};
use crate::common::{all_compilers, archive, run};

/// A workspace: `shapes` is compiled as a library, with its own tests, as a program, and for the tests of another crate.
const WORKSPACE: [(&str, &str); 7] = [
    ("Cargo.toml", "[workspace]\nmembers = [\"shapes\", \"user\"]\nresolver = \"2\"\n"),
    ("shapes/Cargo.toml", "[package]\nname = \"shapes\"\nedition = \"2021\"\n"),
    (
        "shapes/src/lib.rs",
        "#[derive(Clone, Debug, PartialEq)] //= -
pub struct Square {
    side: u32,
}

impl Square {
    pub fn new(side: u32) -> Square { //= 5
        Square { side } //= 5
    } //= 5

    #[inline(always)]
    pub fn area(&self) -> u32 { //= 3
        self.side * self.side //= 3
    } //= 3
}

pub fn largest<T: PartialOrd>(one: T, other: T) -> T { //= 4
    if one > other { //= 4
        one //= 1
    } else {
        other //= 3
    }
} //= 4

#[cfg(test)]
pub fn only_in_tests(x: u32) -> u32 { //= 1
    x + 1 //= 1
} //= 1

#[cfg(not(test))]
pub fn never_in_tests(x: u32) -> u32 { //= 1
    x + 2 //= 1
} //= 1

pub fn only_unit(x: u32) -> u32 { //= 1
    x //= 1
} //= 1

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit() { //= 1
        let square = Square::new(only_in_tests(2)); //= 1
        assert_eq!(square.clone().area(), 9); //= 1
        assert_eq!(largest(\"a\", \"b\"), \"b\"); //= 1
        assert_eq!(only_unit(1), 1); //= 1
    } //= 1
}
",
    ),
    (
        "shapes/src/main.rs",
        "fn main() { //= 1
    let area = shapes::Square::new(2).area(); //= 1
    println!(\"{}\", shapes::largest(area, 5)); //= 1
} //= 1
",
    ),
    (
        "shapes/tests/it.rs",
        "use shapes::{Square, largest, never_in_tests};

#[test]
fn integration() { //= 1
    assert_eq!(largest(never_in_tests(1), 1), 3); //= 1
    assert_eq!(Square::new(3), Square::new(3)); //= 1
    let output = std::process::Command::new(env!(\"CARGO_BIN_EXE_shapes\")).output().unwrap(); //= 1
    assert_eq!(output.stdout, b\"5\\n\"); //= 1
} //= 1
",
    ),
    (
        "user/Cargo.toml",
        "[package]\nname = \"user\"\nedition = \"2021\"\n[dependencies]\nshapes = { path = \"../shapes\" }\n",
    ),
    (
        "user/src/lib.rs",
        "pub fn use_them(x: f64) -> f64 { //= 1
    shapes::largest(x, 1.5) + f64::from(shapes::Square::new(1).area()) //= 1
} //= 1

pub fn unused<T: PartialOrd>(x: T) -> bool { //= 0
    shapes::largest(&x, &x) == &x //= 0
} //= 0

#[test]
fn uses() { //= 1
    assert_eq!(use_them(0.5), 2.5); //= 1
} //= 1
",
    ),
];

/// Writes files below a directory.
fn write(dir: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Runs Cargo with the flags of coverage, in a directory of its own; profiles are in `prof`.
fn cargo(dir: &Path, arguments: &[&str]) {
    let mut cargo = Command::new("cargo");
    cargo.args(arguments).args(["--offline", "--quiet", "--target-dir", "built"]).current_dir(dir);
    cargo.env("LLVM_PROFILE_FILE", dir.join("prof/%p-%m.profraw"));
    // Those of the outer Cargo.
    for name in ["CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"] {
        cargo.env_remove(name);
    }
    run(cargo.env("RUSTFLAGS", "-Cinstrument-coverage"));
}

/// Returns the paths in a directory, sorted.
fn entries(dir: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

#[needs("clang-22")]
fn a_crate_that_is_compiled_several_times() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(dir, &WORKSPACE);
    cargo(dir, &["test"]);

    let mut wrong = Vec::new();
    let arguments = ["prof", "--object", "built/debug/deps"].map(str::to_owned);
    let output = common::profrt(dir).arg("cov").args(&arguments).args(["--only", "src/*"]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.code() == Some(2) && error.contains("no file is left") && error.contains("shapes/"),
        "{error}"
    );
    let report = report(dir, &arguments);
    check_lines("workspace", &report, &WORKSPACE, &mut wrong);
    for file in report["files"].as_array().unwrap() {
        let is_whole = ["functions", "lines", "regions"].iter().all(|part| {
            let total = &file["totals"][part];
            total["count"] == total["covered"]
        });
        if is_whole == file["path"].as_str().unwrap().ends_with("user/src/lib.rs") {
            wrong.push(format!("{}: {}", file["path"], file["totals"]));
        }
    }
    assert_eq!(report["totals"]["functions"], serde_json::json!({"count": 12, "covered": 11}));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Instantiations have the name of the function, not that of one of them.
    let functions = report["files"].as_array().unwrap().iter().flat_map(|file| file["functions"].as_array().unwrap());
    let names: Vec<&str> = functions.map(|function| function["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"shapes::largest") && names.contains(&"shapes::Square::new"), "{names:?}");

    // The tests are left out.
    let arguments = ["prof", "--elf", "built/debug/deps", "--rust"].map(str::to_owned);
    let without = self::report(dir, &arguments);
    let lines = |name: &str| {
        let file =
            without["files"].as_array().unwrap().iter().find(|file| file["path"].as_str().unwrap().ends_with(name));
        file.unwrap()["totals"]["lines"]["count"].as_u64().unwrap()
    };
    assert_eq!(["shapes/src/lib.rs", "shapes/tests/it.rs", "user/src/lib.rs"].map(lines), [17, 0, 6]);

    {
        let mut merge = Command::new("llvm-profdata-22");
        run(merge.arg("merge").args(entries(&dir.join("prof"))).arg("-o").arg(dir.join("all.profdata")));
        let mut programs = entries(&dir.join("built/debug/deps"));
        programs.retain(|path| path.extension().is_none());
        for (output, arguments) in
            [("--json", &["export"][..]), ("--lcov", &["export", "-format=lcov"]), ("--summary", &["report"])]
        {
            let mut theirs = Command::new("llvm-cov-22");
            theirs.args(arguments).arg("-instr-profile").arg(dir.join("all.profdata")).arg(&programs[0]);
            programs[1..].iter().for_each(|program| _ = theirs.arg("-object").arg(program));
            let mut ours = common::profrt(dir);
            ours.args(["cov", "prof", "--compat=llvm-22", output, "-"]);
            programs.iter().for_each(|program| _ = ours.arg("--object").arg(program));
            let [ours, theirs] = [ours, theirs].map(|mut tool| String::from_utf8(run(&mut tool)).unwrap());
            assert!(ours == theirs, "{output}:\n{ours}\n{theirs}");
        }
    }
}

/// `cargo llvm-cov --no-report` builds and runs, and leaves programs and profiles for `profrt cov`.
#[test]
#[ignore = "cargo xtask test --all runs it"]
fn after_cargo_llvm_cov() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(dir, &WORKSPACE);
    let mut cargo = Command::new("cargo");
    cargo.args(["llvm-cov", "--no-report", "--offline", "--workspace"]).current_dir(dir);
    ["CARGO_TARGET_DIR", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"]
        .into_iter()
        .for_each(|name| _ = cargo.env_remove(name));
    // It only asks whether they are there.
    run(cargo.env("LLVM_COV", "llvm-cov-22").env("LLVM_PROFDATA", "llvm-profdata-22"));
    let arguments = ["target/llvm-cov-target", "--object", "target/llvm-cov-target/debug/deps"].map(str::to_owned);
    let mut wrong = Vec::new();
    check_lines("cargo-llvm-cov", &report(dir, &arguments), &WORKSPACE, &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What each compiler makes a function of; `N` is the number of compilers.
const UNIT: [(&str, &str); 2] = [
    (
        "shared.h",
        "static inline int shared(int x) { //= N
  if (x > 0 && x < 10) //= N
    return 1; //= N
  return 0; //= 0
} //= N
",
    ),
    ("unit.c", "#include \"shared.h\"\nint NAME(int x) { //= N\n  return shared(x); //= N\n} //= N\n"),
];

const RUST: &str = "#[no_mangle] //= -
pub extern \"C\" fn of_rust(x: i32) -> i32 { //= 1
    match x { //= 1
        1 => 1, //= 1
        _ => 0, //= 0
    }
} //= 1
";

/// One compiler's record format is another's only where both write the same raw version.
#[needs("clangs")]
fn compilers_in_one_program() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let clangs = all_compilers();
    write(dir, &UNIT);
    write(dir, &[("rust.rs", RUST)]);
    let check = |what: &str, number: usize, arguments: &[String], wrong: &mut Vec<String>| {
        let texts = UNIT.map(|(name, text)| (name, text.replace("= N", &format!("= {number}"))));
        let mut sources: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let report = report(dir, arguments);
        if what != "raw 8" {
            sources.push(("rust.rs", RUST));
        }
        check_lines(what, &report, &sources, wrong);
        // Of the two conditions none was ever false.
        let mcdc = u64::from(what != "raw 8" && clangs.iter().any(|clang| clang.version >= 19)) * 2;
        assert_eq!(report["totals"]["mcdc"], serde_json::json!({"count": mcdc, "covered": 0}), "{what}");
    };
    let (mut all, mut wrong) = (Vec::new(), Vec::new());
    for same in clangs.chunk_by(|one, other| one.raw == other.raw) {
        let mut main = String::new();
        let (program, raw) = (format!("app-{}", same[0].raw), format!("{}.profraw", same[0].raw));
        let mut link = Command::new(&same[same.len() - 1].clang);
        for clang in same {
            let (name, object) = (format!("of_{}", clang.version), format!("{}.o", clang.version));
            let mut compile = Command::new(&clang.clang);
            compile.args(["-fprofile-instr-generate", "-fcoverage-mapping", "-c", "unit.c", "-o", &object]);
            compile.args((clang.version >= 19).then_some("-fcoverage-mcdc")).arg(format!("-DNAME={name}"));
            run(compile.current_dir(dir));
            main += &format!("int {name}(int); if ({name}(1) != 1) return 1;\n");
            link.arg(object);
        }
        let is_rust = same.iter().any(|clang| clang.version == 22);
        if is_rust {
            main += "int of_rust(int); if (of_rust(1) != 1) return 1;\n";
        }
        fs::write(dir.join("main.c"), format!("int main(void) {{ {main} return 0; }}\n")).unwrap();
        // Before the library of Rust, which brings LLVM's runtime.
        link.args(["-fprofile-instr-generate", "main.c"]).arg(archive(&same[0]));
        if is_rust {
            let mut rustc = Command::new("rustc");
            rustc.args(["--crate-type=staticlib", "-Cinstrument-coverage", "-Cpanic=abort", "rust.rs", "-o", "rust.a"]);
            run(rustc.current_dir(dir));
            link.args(["rust.a", "-lpthread", "-ldl", "-lm", "-lgcc_s"]);
        }
        run(link.args(["-o", &program]).current_dir(dir));
        run(Command::new(dir.join(&program)).current_dir(dir).env("LLVM_PROFILE_FILE", &raw));
        let arguments = [raw, "--object".into(), program];
        check(&format!("raw {}", same[0].raw), same.len(), &arguments, &mut wrong);
        all.extend(arguments);
    }
    check("all", clangs.len(), &all, &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
