//! `profrt doctor` and `profrt install`: compilers, runtimes of programs, and whether profiles fit.

use needs_macros::needs;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common;
use crate::common::run;
use serde_json::{Value, json};
use testkit::dist;
use testkit::toolchain::Clang;

const SOURCE: &str = "int f(int x) { return x > 2 ? x : 3; }\nint main(int c, char **v) { return f(c) - 3; }\n";

fn doctor(dir: &Path, arguments: &[&str]) -> (i32, Value) {
    let output = common::profrt(dir).arg("doctor").arg("--json").args(arguments).output().unwrap();
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code().unwrap(), report)
}

/// Compiles and links; with ours of a raw version, or the compiler's archive.
fn build(clang: &Clang, dir: &Path, flags: &[&str], ours: Option<u8>, name: &str) {
    let (source, object) = (dir.join(format!("{name}.c")), dir.join(format!("{name}.o")));
    if !source.exists() {
        fs::write(&source, SOURCE).unwrap();
    }
    run(Command::new(&clang.clang).args(flags).arg("-c").arg(&source).arg("-o").arg(&object));
    let mut link = Command::new(&clang.clang);
    link.arg(&object).arg("-o").arg(dir.join(name)).arg("-Wl,--build-id");
    match ours {
        Some(raw) => link.arg(dist::build(raw).unwrap().library).arg("-Wl,-u,__llvm_profile_runtime"),
        None => link.args(flags),
    };
    run(&mut link);
}

fn causes(report: &Value) -> Vec<&str> {
    report["problems"].as_array().unwrap().iter().map(|problem| problem["cause"].as_str().unwrap()).collect()
}

#[needs("clangs")]
fn the_runtime_of_a_program_is_told_also_when_it_is_stripped() {
    for clang in common::compilers() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let name = clang.clang.to_string_lossy();
        let only = ["--compiler", &name];
        for flags in [&["-fprofile-instr-generate"][..], &["-fprofile-generate"]] {
            build(&clang, dir, flags, Some(clang.raw), "ours");
            build(&clang, dir, flags, None, "theirs");
            for is_stripped in [false, true] {
                if is_stripped {
                    run(Command::new("strip").arg("ours").arg("theirs").current_dir(dir));
                }
                let (status, report) = doctor(dir, &[&only[..], &["ours", "theirs"]].concat());
                let ours = json!({"profrt": {"version": env!("CARGO_PKG_VERSION"), "raw_version": clang.raw}});
                assert_eq!(report["programs"][0]["runtime"], ours, "clang {} {flags:?}", clang.version);
                assert_eq!(report["programs"][1]["runtime"], "llvm", "clang {} {flags:?}", clang.version);
                assert_eq!(report["programs"][0]["instrumented_functions"], 2);
                assert_eq!((status, causes(&report)), (0, vec![]));
            }
        }
        let compiler = &report_of(dir, &only)["compilers"][0];
        assert_eq!((&compiler["llvm"], &compiler["raw_version"]), (&clang.version.into(), &clang.raw.into()));
        assert_eq!(compiler["runtime"], "llvm");
    }
}

fn report_of(dir: &Path, arguments: &[&str]) -> Value {
    doctor(dir, arguments).1
}

#[needs("clangs")]
fn objects_of_another_raw_version_and_a_missing_runtime_are_problems() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for clang in common::compilers() {
        let other = if clang.raw == 8 { 10 } else { 8 };
        for flags in [&["-fprofile-instr-generate"][..], &["-fprofile-generate"]] {
            build(&clang, dir, flags, Some(other), "mixed");
            let (status, report) = doctor(dir, &["mixed"]);
            let cause = format!("its objects are of raw version {}, and profrt in it is for {other}", clang.raw);
            assert!(
                status == 1 && causes(&report)[0].starts_with(&cause),
                "clang {} {flags:?}: {report:#}",
                clang.version
            );
            assert_eq!(report["programs"][0]["instrumented_functions"], 2, "{report:#}");
        }
        let mut none = Command::new(&clang.clang);
        none.args(["-fprofile-instr-generate", "-c", "mixed.c", "-o", "none.o"]).current_dir(dir);
        run(&mut none);
        run(Command::new(&clang.clang).args(["none.o", "-o", "none"]).current_dir(dir));
        let (status, report) = doctor(dir, &["none"]);
        assert!(status == 1 && causes(&report)[0].contains("no runtime is in it"), "{report:#}");
    }
}

#[needs("clangs")]
fn a_profile_fits_programs_and_compilers_or_not() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let [_, old, _, new] = common::all_compilers();
    build(&new, dir, &["-fprofile-instr-generate"], Some(new.raw), "app");
    run(Command::new(dir.join("app")).env("LLVM_PROFILE_FILE", dir.join("app.profraw")));
    fs::write(dir.join("changed.c"), SOURCE.replace("x > 2 ? x : 3", "3")).unwrap();
    build(&new, dir, &["-fprofile-instr-generate"], Some(new.raw), "changed");
    fs::write(dir.join("other.c"), "int main() { return 0; }").unwrap();
    build(&new, dir, &["-fprofile-instr-generate"], Some(new.raw), "other");
    let (new, old) = (new.clang.to_string_lossy(), old.clang.to_string_lossy());

    let (status, report) = doctor(dir, &["app", "app.profraw", "--compiler", &new]);
    assert_eq!((status, causes(&report)), (0, vec![]));
    let profile = &report["profiles"][0];
    assert_eq!((&profile["of_programs"]["with_profile"], &profile["is_of_another_build"]), (&2.into(), &false.into()));
    assert_eq!(profile["read_by"], json!([new]));

    let (status, report) = doctor(dir, &["changed", "app.profraw", "--compiler", &new]);
    assert!(status == 1 && causes(&report)[0].starts_with("1 function of the programs has another hash"), "{report:#}");
    assert_eq!(report["profiles"][0]["is_of_another_build"], true);

    let (status, report) = doctor(dir, &["app.profraw", "--compiler", &old]);
    assert!(status == 1 && causes(&report)[0].contains("no compiler here"), "{report:#}");
    // The remedy works.
    let remedy = report["problems"][0]["remedy"].as_str().unwrap();
    run(common::profrt(dir).args(remedy.split_whitespace().skip(1)));
    assert_eq!(doctor(dir, &["app", "app.profdata", "--compiler", &old]).0, 0);

    // What is not readable, and what is damaged.
    assert_eq!(common::profrt(dir).args(["doctor", "missing"]).status().unwrap().code(), Some(2));
    let bytes = fs::read(dir.join("app.profraw")).unwrap();
    fs::write(dir.join("torn.profraw"), &bytes[..bytes.len() - 9]).unwrap();
    assert_eq!(doctor(dir, &["torn.profraw", "--compiler", &new]).0, 1);
}

/// The layout of a package: the program finds its archives by itself.
#[needs("clangs")]
fn a_package_installs_an_overlay() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let archives = dir.join("usr/lib/profrt");
    fs::create_dir_all(dir.join("usr/bin")).unwrap();
    fs::create_dir_all(&archives).unwrap();
    let program = dir.join("usr/bin/profrt");
    // Not by this process, of which another thread may start children that have the file open.
    run(Command::new("cp").arg(env!("CARGO_BIN_EXE_profrt")).arg(&program));
    for clang in common::compilers() {
        let made: PathBuf = dist::build(clang.raw).unwrap().prefix;
        run(Command::new("cp").arg("-r").arg(made).arg(archives.join(format!("raw-{}", clang.raw))));
        let overlay = dir.join(format!("overlay-{}", clang.version));
        let mut install = Command::new(&program);
        install.arg("install").arg("--clang").arg(&clang.clang).arg("--prefix").arg(&overlay);
        let output = install.output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(said.contains(&format!("-resource-dir {}", overlay.display())), "{said}");
        fs::write(dir.join("a.c"), SOURCE).unwrap();
        let mut compile = Command::new(&clang.clang);
        compile
            .arg("-resource-dir")
            .arg(&overlay)
            .args(["-fprofile-instr-generate", "a.c", "-o", "a"])
            .current_dir(dir);
        run(&mut compile);
        let output = Command::new(&program).args(["doctor", "--json", "a"]).current_dir(dir).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(report["programs"][0]["runtime"]["profrt"].is_object(), "{report:#}");
        assert!(report["package"]["raw_versions"].as_array().unwrap().contains(&clang.raw.into()), "{report:#}");
    }
    // In no package, it says what to do.
    let output = common::profrt(dir).args(["install", "--clang", "clang", "--prefix", "x"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
