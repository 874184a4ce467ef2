//! `profrt cov` of the objects of each platform: the report is that of the ELF object of the same source.

use needs_macros::needs;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{self, profrt, run};

const TARGETS: [&str; 8] = [
    "x86_64-linux-gnu",
    "arm64-apple-macos11",
    "x86_64-apple-macos11",
    "x86_64-pc-windows-msvc",
    "i686-pc-windows-msvc",
    "aarch64-pc-windows-msvc",
    "x86_64-w64-mingw32",
    "wasm32-wasip1",
];

/// A header, a macro, decisions, a function that is never compiled, and one that never runs.
const SOURCES: [(&str, &str); 3] = [
    ("a.h", "#define TWICE(x) ((x) > 3 ? 2 * (x) : 0)\nstatic inline int dummy(int x) { return x ? 1 : 2; }\n"),
    (
        "a.c",
        "#include \"a.h\"\nstatic int helper(int x) { return x > 2 && x != 5 ? x : -x; }\n\
         int unused(int x) { return x || helper(x); }\n\
         int run(int n) {\n  int sum = 0;\n  for (int i = 0; i < n; i++) {\n    if (i % 3 == 0)\n      sum += helper(i);\n  }\n  return TWICE(sum);\n}\n",
    ),
    // What the flags ask for, and the byte that the runtime of Windows puts before the names.
    (
        "runtime.c",
        "int __llvm_profile_runtime;\n#ifdef _WIN32\n__attribute__((section(\".lprfn$A\"), used)) static const char begin = 0;\n#endif\n",
    ),
];

/// Compiles a source for a target.
fn object(dir: &Path, target: &str, source: &str, flags: &[&str]) -> PathBuf {
    let path = dir.join(format!("{source}-{target}{}.o", flags.concat().replace(|c: char| !c.is_alphanumeric(), "")));
    let mut clang = Command::new("clang-22");
    clang.args(["-target", target, "-ffreestanding", "-c", source, "-o"]).arg(&path).args(flags).current_dir(dir);
    if source != "runtime.c" {
        clang.args(["-fprofile-instr-generate", "-fcoverage-mapping", "-fcoverage-mcdc"]);
    }
    run(&mut clang);
    path
}

/// Links objects as far as that goes without anything of the system.
fn linked(dir: &Path, target: &str, name: &str, objects: &[&Path], flags: &[&str]) -> PathBuf {
    let path = dir.join(name);
    let (linker, arguments): (&str, &[&str]) = match target.split_once('-').unwrap() {
        ("wasm32", _) => ("wasm-ld-22", &["--no-entry"]),
        (_, "linux-gnu") => ("ld.lld-22", &["-shared"]),
        (_, "w64-mingw32") => ("ld.lld-22", &["-m", "i386pep", "--shared", "--entry="]),
        (_, "pc-windows-msvc") => ("lld-link-22", &["/nodefaultlib", "/noentry", "/dll", "/noimplib"]),
        (arch, _) => {
            let apple =
                ["-dylib", "-undefined", "dynamic_lookup", "-platform_version", "macos", "11", "11", "-arch", arch];
            run(Command::new("ld64.lld-22").args(apple).args(objects).args(flags).arg("-o").arg(&path));
            return path;
        }
    };
    let mut output = if linker == "lld-link-22" { "/out:".into() } else { std::ffi::OsString::from("-o") };
    output.push(&path);
    run(Command::new(linker).args(arguments).args(objects).args(flags).arg(output));
    path
}

/// Writes the sources, and a profile of what an ELF program ran. Returns the profile, and what `llvm-profdata` makes of it.
fn profile(dir: &Path) -> [PathBuf; 2] {
    SOURCES.iter().for_each(|(name, text)| fs::write(dir.join(name), text).unwrap());
    fs::write(dir.join("main.c"), "int run(int); int main(void) { return run(5) == 99; }\n").unwrap();
    let flags = ["-fprofile-instr-generate", "-fcoverage-mapping", "-fcoverage-mcdc", "-o", "main"];
    run(Command::new("clang-22").args(["a.c", "main.c"]).args(flags).current_dir(dir));
    let [raw, indexed] = ["main.profraw", "main.profdata"].map(|name| dir.join(name));
    run(Command::new(dir.join("main")).env("LLVM_PROFILE_FILE", &raw));
    run(Command::new("llvm-profdata-22").arg("merge").arg(&raw).arg("-o").arg(&indexed));
    [raw, indexed]
}

/// Returns what a command says of an object.
fn cov(dir: &Path, profile: &Path, object: &Path, more: &[&str]) -> Vec<u8> {
    run(profrt(dir).arg("cov").arg(profile).arg("--object").arg(object).args(more).args(["--json", "-"]))
}

/// Returns the packed forms of objects of one kind: archives, universal files, and what has many sections.
fn packed(dir: &Path, objects: &[PathBuf]) -> Vec<PathBuf> {
    let mut packed = Vec::new();
    for (format, number) in [("gnu", 0), ("darwin", 1), ("bsd", 2), ("coff", 3), ("gnu", 6), ("gnu", 7)] {
        let path = dir.join(format!("{format}-{number}.a"));
        run(Command::new("llvm-ar-22").args(["rcs", &format!("--format={format}")]).args([&path, &objects[number]]));
        packed.push(path);
    }
    let lipo = |name: &str, parts: [&PathBuf; 2]| {
        let path = dir.join(name);
        run(Command::new("llvm-lipo-22").arg("-create").args(parts).arg("-output").arg(&path));
        path
    };
    packed.push(lipo("universal.o", [&objects[1], &objects[2]]));
    packed.push(lipo("universal.a", [&packed[1], &packed[2]]));
    // More sections than COFF had numbers for at first.
    let text = fs::read_to_string(dir.join("a.c")).unwrap();
    let sections: String = (0..65_300).map(|number| format!(".section .t{number},\\\"xr\\\"\\nnop\\n")).collect();
    fs::create_dir(dir.join("big")).unwrap();
    fs::write(dir.join("big/a.c"), format!("{text}__asm__(\"{sections}.text\");\n")).unwrap();
    fs::copy(dir.join("a.h"), dir.join("big/a.h")).unwrap();
    let map = format!("-fcoverage-compilation-dir={}", dir.display());
    packed.push(object(&dir.join("big"), TARGETS[3], "a.c", &[&map]));
    assert!(fs::read(packed.last().unwrap()).unwrap().starts_with(b"\0\0\xff\xff"), "a large object");
    packed
}

#[needs("clang-22")]
fn every_platform_has_the_report_of_elf() {
    let dir = tempfile::tempdir().unwrap();
    let dir = &dir.path().canonicalize().unwrap();
    let [raw, indexed] = profile(dir);
    let objects = TARGETS.map(|target| object(dir, target, "a.c", &[]));
    let mut all = objects.to_vec();
    for (target, own) in TARGETS.iter().zip(&objects) {
        let runtime = object(dir, target, "runtime.c", &[]);
        all.push(linked(dir, target, &format!("linked-{target}"), &[own, &runtime], &[]));
    }
    let wasm = [&*objects[7], &dir.join("runtime.c-wasm32-wasip1.o")];
    all.push(linked(dir, TARGETS[7], "small.wasm", &wasm, &["--gc-sections", "--export=run"]));
    all.extend(packed(dir, &objects));
    let expected = cov(dir, &raw, &objects[0], &[]);
    let text = String::from_utf8_lossy(&expected);
    assert!(text.contains("\"symbol\":\"helper\"") && text.contains("a.h"), "{text}");
    for object in &all {
        let name = object.display();
        assert!(cov(dir, &raw, object, &[]) == expected, "{name}");
        let arch = name.to_string().contains("universal").then_some("--arch=x86_64");
        let mut theirs = Command::new("llvm-cov-22");
        let theirs = theirs.args(["export", "-instr-profile"]).args([&indexed, object]).args(arch).output().unwrap();
        // It takes no objects of wasm.
        let is_taken = ![&objects[7], &dir.join("gnu-7.a")].contains(&object);
        assert_eq!(theirs.status.success(), is_taken, "{name}");
        if is_taken {
            assert!(cov(dir, &raw, object, &["--compat", "llvm-22"]) == theirs.stdout, "{name} and llvm-cov");
        }
    }
    // The linked ones, all at once.
    let all = String::from_utf8(cov(dir, &raw, dir, &["--ignore", "main.c"])).unwrap();
    let files = |json: &str| json.split("\"account\"").next().unwrap().to_owned();
    assert_eq!(files(&all), files(&text), "a directory");
}

#[needs("clang-22")]
fn what_is_lost_is_said_in_a_line() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let [raw, _] = profile(dir);
    let objects = ["a.c", "runtime.c"].map(|source| object(dir, TARGETS[7], source, &[]));
    let objects = objects.each_ref().map(PathBuf::as_path);
    let stripped = linked(dir, TARGETS[7], "stripped.wasm", &objects, &["--strip-all", "--export-all"]);
    let said = |command: &str, object: &Path| {
        let mut tool = profrt(dir);
        tool.arg(command).arg(&raw).arg("--elf").arg(object);
        match command {
            "cov" => _ = tool.args(["--json", "a.json"]),
            "report" => _ = tool.args(["--html", "a.html"]),
            "rebuild" => {}
            "convert" => _ = tool.args(["--to", "pprof", "-o", "a.pb.gz"]),
            "live" => _ = tool.arg("--json"),
            "quality" => {}
            _ => _ = tool.args(["-o", "a.out"]),
        }
        let output = common::ended(&mut tool);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, error) = said("cov", &stripped);
    assert!(status == Some(0) && error.lines().count() == 1 && error.contains("a stripped module"), "{error}");
    for command in ["cov", "who", "live", "merge", "convert", "quality", "report", "rebuild"] {
        let (status, error) = said(command, &dir.join("a.c"));
        let is_clear = error.lines().count() == 1 && error.contains("is no") && error.contains("object file");
        assert!(status == Some(2) && is_clear && !error.contains("not a profile"), "{command}: {error}");
        if matches!(command, "quality" | "report" | "rebuild") {
            assert!(said(command, &stripped).1.contains("it is no ELF object file"), "{command}");
        }
    }
    let doctor = common::ended(profrt(dir).arg("doctor").arg(&stripped).args(["--compiler", "clang-22"]));
    assert!(String::from_utf8_lossy(&doctor.stderr).contains("it is no ELF object file"), "{doctor:?}");
}

#[needs("clang-22")]
fn paths_of_windows() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let [raw, indexed] = profile(dir);
    let flags = ["-fcoverage-compilation-dir=C:\\made", "-fcoverage-prefix-map=a.c=src\\..\\src\\a.c"];
    let object = object(dir, TARGETS[3], "a.c", &flags);
    let json = |more: &[&str]| String::from_utf8(cov(dir, &raw, &object, more)).unwrap();
    assert!(json(&[]).contains("\"path\":\"C:/made/src/a.c\"") && json(&["--only", "*/src/*"]).contains("C:/made/src"));
    assert!(json(&["--path-map", "C:/made=/here"]).contains("\"path\":\"/here/src/a.c\""));
    let theirs = run(Command::new("llvm-cov-22").args(["export", "-instr-profile"]).args([&indexed, &object]));
    assert_eq!(json(&["--compat", "llvm-22"]).into_bytes(), theirs);
}
