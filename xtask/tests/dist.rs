//! The archive as rustc's static library becomes ours, and the recipes by which build systems find it.

use crate::common;
use needs_macros::needs;
use std::fs;
use std::path::Path;
use std::process::Command;

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection};
use testkit::dist::{self, Dist, ar, members};
use testkit::toolchain::{Clang, clangs};

/// A small crate with what is special about ours: C names, hidden symbols by assembly, a weak object, calls between modules, a
/// panic handler, and `memcpy`.
const CRATE: &str = include_str!("data/scratch.rs");

fn staticlib(directory: &Path) -> Vec<u8> {
    let source = common::write(directory, "scratch.rs", CRATE);
    common::run(
        Command::new("rustc")
            .args(["--edition=2024", "--crate-type=staticlib", "--crate-name=profrt", "-Cpanic=abort", "-Copt-level=2"])
            .args(["-Ccodegen-units=256", "-Clto=off", "-Cforce-unwind-tables=yes"])
            .arg(&source)
            .arg("--out-dir")
            .arg(directory),
    );
    fs::read(directory.join("libprofrt.a")).unwrap()
}

#[test]
fn only_our_members_stay_and_their_names_say_what_they_are() {
    let scratch = tempfile::tempdir().unwrap();
    let members = members::own(&staticlib(scratch.path())).unwrap();
    let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    for expected in ["profrt.abi-write_buffer.o", "profrt.abi-runtime.o", "profrt.value-hook.o"] {
        assert!(names.contains(&expected), "{expected} in {names:?}");
    }
    assert!(names.is_sorted());
    assert!(names.iter().all(|name| name.starts_with("profrt.")), "{names:?}");
    let archive = scratch.path().join("ours.a");
    fs::write(&archive, ar::write(&members).unwrap()).unwrap();
    let symbols = common::run(Command::new("nm").arg(&archive));
    assert!(!symbols.contains("rust_begin_unwind"), "{symbols}");
    assert!(!symbols.contains(" T memcpy") && !symbols.contains(" W memcpy"), "{symbols}");
}

#[test]
fn only_modules_that_are_unwound_keep_their_tables() {
    let scratch = tempfile::tempdir().unwrap();
    let members = members::own(&staticlib(scratch.path())).unwrap();
    let sections = |title: &str| -> Vec<String> {
        let member = members.iter().find(|member| member.name == format!("profrt.{title}.o")).unwrap();
        let file = object::File::parse(&*member.bytes).unwrap();
        file.sections().map(|section| section.name().unwrap().to_owned()).collect()
    };
    let tables = |title: &str| sections(title).into_iter().filter(|name| name.contains(".eh_frame")).count();
    // The section, and that of its relocations.
    assert_eq!((tables("value-hook"), tables("state")), (2, 0));
    assert!(sections("state").iter().any(|name| name.starts_with(".text")));
}

#[test]
fn the_same_library_gives_the_same_archive() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let archive = |directory: &Path| ar::write(&members::own(&staticlib(directory)).unwrap()).unwrap();
    assert!(archive(one.path()) == archive(other.path()));
}

#[test]
fn linkers_take_single_members_by_the_symbol_table() {
    let scratch = tempfile::tempdir().unwrap();
    let bytes = ar::write(&members::own(&staticlib(scratch.path())).unwrap()).unwrap();
    let archive = scratch.path().join("libours.a");
    fs::write(&archive, &bytes).unwrap();
    let source = common::write(
        scratch.path(),
        "use.c",
        "int __llvm_profile_write_buffer(char *, unsigned long);
        int main(void) { char bytes[8] = { 1 }; return __llvm_profile_write_buffer(bytes, 8) == 24 && bytes[0] == 3 ? 0 : 1; }",
    );
    let linkers =
        ["bfd", "gold", "lld"].into_iter().filter(|name| testkit::paths::find_program(&format!("ld.{name}")).is_some());
    for linker in linkers {
        let program = scratch.path().join(linker);
        common::run(
            Command::new("cc").arg(format!("-fuse-ld={linker}")).arg(&source).arg(&archive).arg("-o").arg(&program),
        );
        common::run(&mut Command::new(&program));
        let names = common::run(Command::new("nm").arg(&program));
        assert!(
            !names.contains("__llvm_profile_runtime"),
            "a member that nobody asked for was linked by {linker}: {names}"
        );
    }
    // GNU ar and the object crate read the same members back, whole.
    let listed = common::run(Command::new("ar").arg("t").arg(&archive));
    let parsed = ArchiveFile::parse(&*bytes).unwrap();
    let read: Vec<_> =
        parsed.members().map(|member| String::from_utf8(member.unwrap().name().to_vec()).unwrap()).collect();
    assert_eq!(listed.lines().collect::<Vec<_>>(), read);
    assert!(read.iter().any(|name| name.len() > 15) && read.iter().any(|name| name.len() <= 20), "{read:?}");
}

#[test]
fn a_raw_version_without_compilers_is_refused() {
    let error = dist::build(7).unwrap_err().to_string();
    assert!(error.contains("raw version 7") && error.contains("clang 19 to 22"), "{error}");
}

/// The compilers with the prefix made for each.
fn dists() -> Vec<(Clang, Dist)> {
    clangs()
        .into_iter()
        .map(|clang| (dist::build(clang.raw).unwrap(), clang))
        .map(|(dist, clang)| (clang, dist))
        .collect()
}

#[needs("clangs", "pkg-config")]
fn a_program_found_it_with_pkg_config() {
    let scratch = tempfile::tempdir().unwrap();
    for (clang, dist) in dists() {
        // Moved elsewhere, with a space in the name: nothing in it knows where it was.
        let prefix = scratch.path().join(format!("moved {}", clang.version));
        common::run(Command::new("cp").arg("-r").arg(&dist.prefix).arg(&prefix));
        let ask = |option: &str| {
            let mut pkg_config = Command::new("pkg-config");
            common::run(pkg_config.arg(option).arg("profrt").env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")))
        };
        let raw = ask("--variable=raw_version");
        assert_eq!(raw.trim(), clang.raw.to_string());
        let source = common::write(scratch.path(), "a.c", &format!("#include <profrt.h>\n{}", common::PROGRAM));
        let program = scratch.path().join(format!("pkg-config-{}", clang.version));
        let line = format!(
            "'{}' -fprofile-instr-generate {} '{}' \"$continuous\" {} -o '{}'",
            clang.clang.display(),
            ask("--cflags").trim(),
            source.display(),
            ask("--libs").trim(),
            program.display()
        );
        let continuous = ask("--variable=continuous");
        common::run(Command::new("sh").arg("-c").arg(line).env("continuous", continuous.trim().replace('\\', "")));
        common::assert_ours(&program);
        common::assert_profile(&clang, &program);
        common::assert_continuous(&program);
    }
}

#[needs("clangs", "cmake", "make")]
fn a_program_and_a_shared_library_found_it_with_cmake() {
    for (clang, dist) in dists() {
        let scratch = tempfile::tempdir().unwrap();
        common::write(scratch.path(), "CMakeLists.txt", include_str!("data/CMakeLists.txt"));
        common::write(
            scratch.path(),
            "main.c",
            "#include <profrt.h>\nint some_work(int);\nint main(void) { return some_work(1) + some_work(2) + some_work(3) == 11 ? 0 : 1; }\n",
        );
        common::write(scratch.path(), "work.c", "int some_work(int n) { return n > 1 ? n * 2 : 1; }\n");
        let build = scratch.path().join("build");
        let mut configure = Command::new("cmake");
        configure
            .arg("-S")
            .arg(scratch.path())
            .arg("-B")
            .arg(&build)
            .arg(format!("-DCMAKE_C_COMPILER={}", clang.clang.display()));
        common::run(configure.arg(format!("-DCMAKE_PREFIX_PATH={}", dist.prefix.display())));
        common::run(Command::new("cmake").arg("--build").arg(&build));
        for program in ["program", "whole", "pages"] {
            common::assert_ours(&build.join(program));
            common::assert_profile(&clang, &build.join(program));
        }
        common::assert_continuous(&build.join("pages"));
        common::assert_ours(&build.join("libwork.so"));
    }
}

#[needs("clangs", "cmake", "make")]
fn cmake_refuses_a_compiler_of_another_raw_version() {
    let scratch = tempfile::tempdir().unwrap();
    let (clang, _) = dists().pop().expect("a clang is installed");
    let other = dist::build(if clang.raw == 8 { 10 } else { 8 }).unwrap();
    common::write(
        scratch.path(),
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nfind_package(profrt REQUIRED)\n",
    );
    let mut cmake = Command::new("cmake");
    cmake.arg("-S").arg(scratch.path()).arg("-B").arg(scratch.path().join("build"));
    cmake
        .arg(format!("-DCMAKE_C_COMPILER={}", clang.clang.display()))
        .arg(format!("-Dprofrt_DIR={}", other.cmake.display()));
    let output = cmake.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!output.status.success() && said.contains(&format!("emits version {}", clang.raw)), "{said}");
}

#[needs("clangs")]
fn a_program_found_it_with_a_configuration_file() {
    let scratch = tempfile::tempdir().unwrap();
    let source = common::write(scratch.path(), "a.c", common::PROGRAM);
    for (clang, dist) in dists() {
        let mut configs = vec![dist.config.clone()];
        if clang.version >= 21 {
            configs.push(dist.config.with_file_name("profrt-21.cfg"));
            configs.push(dist.config.with_file_name("profrt-continuous.cfg"));
        }
        for config in configs {
            let program = scratch.path().join(format!("{}-{}", config.file_stem().unwrap().display(), clang.version));
            let object = program.with_extension("o");
            let compiler = || {
                let mut command = Command::new(&clang.clang);
                command.arg("--config").arg(&config).args(["-Wall", "-Werror", "-fprofile-instr-generate"]);
                command
            };
            // In two steps: no complaint about an unused linker option in the first.
            common::run(compiler().arg("-c").arg(&source).arg("-o").arg(&object));
            common::run(compiler().arg(&object).arg("-o").arg(&program));
            common::assert_ours(&program);
            common::assert_profile(&clang, &program);
            if config.ends_with("profrt-continuous.cfg") {
                common::assert_continuous(&program);
            }
        }
    }
}
