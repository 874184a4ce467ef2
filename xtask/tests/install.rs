//! Overlays for every installed clang, and replacement in place on a *copy* of a resource directory, never the compiler's own.

use crate::common;
use needs_macros::needs;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use profrt_overlay::archive::archive_in;
use profrt_overlay::compiler::{Compiler, profile_archives};
use profrt_overlay::in_place;
use profrt_overlay::overlay::{Entries, overlay};
use testkit::dist;
use testkit::toolchain::{Clang, clangs};

fn compilers() -> Vec<(Clang, Compiler)> {
    let all: Vec<_> = clangs().into_iter().map(|clang| (Compiler::ask(&clang.clang).unwrap(), clang)).collect();
    assert!(!all.is_empty(), "no clang is installed");
    all.into_iter().map(|(compiler, clang)| (clang, compiler)).collect()
}

/// The archives that the linker of this compilation is given.
fn linked_archives(command: &mut Command) -> String {
    common::run(command.args(["-###", "-fprofile-instr-generate", "-x", "c", "/dev/null"]))
}

#[needs("clangs")]
fn an_overlay_changes_nothing_but_the_profile_archive() {
    let scratch = tempfile::tempdir().unwrap();
    for (clang, compiler) in compilers() {
        let prefix = scratch.path().join(format!("clang-{}", clang.version));
        let archive = dist::for_compiler(&compiler).unwrap().archive;
        overlay(&compiler, &archive, &prefix, Entries::Link).unwrap();
        let source =
            common::write(&prefix.with_extension("d"), "a.c", &format!("#include <stddef.h>\n{}", common::PROGRAM));
        for linker in ["bfd", "lld"] {
            let program = source.with_file_name(linker);
            let mut compile = Command::new(&clang.clang);
            compile
                .arg("-resource-dir")
                .arg(&prefix)
                .arg("-fprofile-instr-generate")
                .arg(&source)
                .arg("-o")
                .arg(&program);
            match (linker, &clang.lld) {
                ("lld", Some(lld)) => compile.arg(format!("--ld-path={}", lld.display())),
                ("lld", None) => panic!("clang {} has no ld.lld", clang.version),
                _ => compile.arg("-fuse-ld=bfd"),
            };
            common::run(&mut compile);
            common::assert_ours(&program);
            common::assert_profile(&clang, &program);
        }
        // The others are the compiler's: a sanitizer links and runs.
        let program = source.with_file_name("ubsan");
        let mut compile = Command::new(&clang.clang);
        common::run(
            compile.arg("-resource-dir").arg(&prefix).arg("-fsanitize=undefined").arg(&source).arg("-o").arg(&program),
        );
        common::run(&mut Command::new(&program));
        // And its configuration file says the same.
        let said = linked_archives(Command::new(&clang.clang).arg("--config").arg(prefix.join("profrt.cfg")));
        assert!(said.contains(&*prefix.join("lib").to_string_lossy()), "clang {}: {said}", clang.version);
    }
}

#[needs("clangs")]
fn an_overlay_can_be_made_again_and_copied() {
    let scratch = tempfile::tempdir().unwrap();
    let (_, compiler) = compilers().remove(0);
    let prefix = scratch.path().join("a/b");
    let first = common::small_archive(scratch.path(), "first");
    let second = common::small_archive(scratch.path(), "second");
    for (archive, entries) in [(&first, Entries::Link), (&second, Entries::Copy), (&first, Entries::Link)] {
        overlay(&compiler, archive, &prefix, entries).unwrap();
        let place = installed(&prefix, &compiler);
        assert_eq!(fs::read(place).unwrap(), fs::read(archive).unwrap());
        let link = prefix.join("include").symlink_metadata().unwrap().is_symlink();
        assert_eq!(link, entries == Entries::Link);
    }
    let left: Vec<_> = fs::read_dir(scratch.path().join("a")).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing is left beside the overlay: {left:?}");
}

#[needs("clangs")]
fn an_overlay_does_not_overwrite_a_directory_of_others() {
    let scratch = tempfile::tempdir().unwrap();
    let (_, compiler) = compilers().remove(0);
    let mine = common::write(scratch.path(), "home/letter", "dear");
    let archive = common::small_archive(scratch.path(), "first");
    let error = overlay(&compiler, &archive, mine.parent().unwrap(), Entries::Link).unwrap_err();
    assert!(error.to_string().contains("no overlay of ours"), "{error:#}");
    assert!(mine.is_file());
}

#[needs("clangs")]
fn an_overlay_follows_the_layout_with_a_directory_for_each_target() {
    let scratch = tempfile::tempdir().unwrap();
    let (_, mut compiler) = compilers().remove(0);
    let official = format!("lib/{}/libclang_rt.profile.a", compiler.triple);
    common::write(scratch.path(), &format!("own/{official}"), "theirs");
    common::write(scratch.path(), "own/include/stddef.h", "");
    compiler.resource_dir = scratch.path().join("own");
    let archive = common::small_archive(scratch.path(), "first");
    let prefix = scratch.path().join("overlay");
    overlay(&compiler, &archive, &prefix, Entries::Link).unwrap();
    assert_eq!(fs::read(prefix.join(official)).unwrap(), fs::read(&archive).unwrap());
    assert!(!prefix.join("lib/linux").exists());
}

#[needs("clangs")]
fn an_overlay_is_laid_from_an_archive_without_sources() {
    let scratch = tempfile::tempdir().unwrap();
    let (clang, compiler) = compilers().pop().unwrap();
    let dist = dist::for_compiler(&compiler).unwrap();
    // An unpacked package, and several of them in one directory; the command stands alone, and finds no cargo.
    let package = scratch.path().join("all").join(format!("raw-{}", clang.raw));
    fs::create_dir(scratch.path().join("all")).unwrap();
    common::run(Command::new("cp").arg("-r").arg(&dist.prefix).arg(&package));
    let command = scratch.path().join("profrt-install");
    // By another process: a child that another thread starts would have the file open for writing, and then nobody can run it.
    common::run(Command::new("cp").arg(env!("CARGO_BIN_EXE_xtask")).arg(&command));
    let clang_program = testkit::paths::find_program(&clang.clang.to_string_lossy()).unwrap_or(clang.clang.clone());
    for directory in [&package, &scratch.path().join("all")] {
        let prefix = scratch.path().join("overlay");
        let mut install = Command::new(&command);
        install.arg("install").arg("--clang").arg(&clang_program).arg("--archive").arg(directory);
        let said = common::run(install.arg("--prefix").arg(&prefix).env("PATH", "/nowhere").current_dir("/"));
        assert!(said.contains("for the command that links"), "{said}");
        assert_eq!(fs::read(installed(&prefix, &compiler)).unwrap(), fs::read(&dist.archive).unwrap());
        // In two steps, of which the second has the overlay.
        let source = common::write(scratch.path(), "a.c", common::PROGRAM);
        let (object, program) = (scratch.path().join("a.o"), scratch.path().join("a"));
        common::run(
            Command::new(&clang.clang).args(["-fprofile-instr-generate", "-c"]).arg(&source).arg("-o").arg(&object),
        );
        let mut link = Command::new(&clang.clang);
        link.arg("-resource-dir").arg(&prefix).arg("-fprofile-instr-generate").arg(&object).arg("-o").arg(&program);
        common::run(&mut link);
        common::assert_ours(&program);
        common::assert_profile(&clang, &program);
    }
}

#[needs("clangs")]
fn an_archive_that_does_not_fit_is_not_installed() {
    let scratch = tempfile::tempdir().unwrap();
    let (clang, compiler) = compilers().pop().unwrap();
    let other = dist::build(if clang.raw == 8 { 10 } else { 8 }).unwrap();
    let error = format!("{:#}", archive_in(&other.prefix, &compiler).unwrap_err());
    let emitted = format!("which emits raw version {}", clang.raw);
    assert!(error.contains(&format!("for raw version {}", other.raw)) && error.contains(&emitted), "{error}");
    let error = format!("{:#}", archive_in(scratch.path(), &compiler).unwrap_err());
    assert!(error.contains("has no archive for") && error.contains("lib/linux/libclang_rt.profile-"), "{error}");
    // LLVM's own archive, in the layout that Debian's packages have.
    if clang.official.starts_with(clang.resource_dir.join("lib/linux")) {
        let error = format!("{:#}", archive_in(&clang.resource_dir, &compiler).unwrap_err());
        assert!(error.contains("is no archive of profrt"), "{error}");
    }
}

#[needs("clangs")]
fn a_raw_version_that_is_not_supported_is_named() {
    let scratch = tempfile::tempdir().unwrap();
    let (_, mut compiler) = compilers().remove(0);
    common::write(scratch.path(), "include/profile/InstrProfData.inc", "#define INSTR_PROF_RAW_VERSION 7\n");
    compiler.resource_dir = scratch.path().to_path_buf();
    let error = dist::for_compiler(&compiler).unwrap_err().to_string();
    assert!(error.contains("emits raw profiles of version 7") && error.contains("10 (clang 19 to 22, "), "{error}");
}

#[test]
fn in_place_keeps_the_compilers_archive_and_puts_it_back() {
    let scratch = tempfile::tempdir().unwrap();
    let place = common::write(scratch.path(), "lib/linux/libclang_rt.profile-x86_64.a", "theirs");
    let places = [scratch.path().join("lib/other/libclang_rt.profile.a"), place.clone()];
    let backup = in_place::backup(&place);
    let (first, second) =
        (common::small_archive(scratch.path(), "first"), common::small_archive(scratch.path(), "second"));

    // Twice: the second does not take the first for the compiler's.
    for archive in [&first, &second] {
        assert_eq!(in_place::install(&places, archive).unwrap(), std::slice::from_ref(&place));
        assert_eq!(fs::read(&place).unwrap(), fs::read(archive).unwrap());
        assert_eq!(fs::read(&backup).unwrap(), b"theirs");
    }
    // An update of the compiler's package, then ours again: the newer one is kept.
    fs::write(&place, "theirs, newer").unwrap();
    in_place::install(&places, &first).unwrap();
    assert_eq!(fs::read(&backup).unwrap(), b"theirs, newer");

    assert_eq!(in_place::restore(&places).unwrap(), std::slice::from_ref(&place));
    assert_eq!(fs::read(&place).unwrap(), b"theirs, newer");
    assert!(!backup.exists());
    assert!(in_place::restore(&places).unwrap().is_empty(), "nothing is left to restore");
    assert_eq!(fs::read(&place).unwrap(), b"theirs, newer");
}

#[test]
fn in_place_says_what_is_missing() {
    let scratch = tempfile::tempdir().unwrap();
    let archive = common::small_archive(scratch.path(), "first");
    let places = [scratch.path().join("libclang_rt.profile-x86_64.a")];
    let error = in_place::install(&places, &archive).unwrap_err().to_string();
    assert!(error.contains("no archive to replace") && error.contains("libclang_rt.profile-x86_64.a"), "{error}");
    fs::copy(&archive, &places[0]).unwrap();
    let error = in_place::restore(&places).unwrap_err().to_string();
    assert!(error.contains("orig-llvm is missing"), "{error}");
}

#[needs("clangs")]
fn the_command_refuses_to_replace_without_being_told_twice_or_to_guess_an_archive() {
    // What is built here is for this machine.
    let other = &["--target", "wasm32-wasi", "--prefix", "overlay"];
    for (arguments, missing) in [(&["--in-place"][..], "--prefix"), (&[], "--prefix"), (other, "--archive")] {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(["install", "--clang"])
            .arg(&compilers()[0].0.clang)
            .args(arguments)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        assert!(said.contains(missing), "{said}");
    }
}

fn installed(prefix: &Path, compiler: &Compiler) -> PathBuf {
    profile_archives(prefix, &compiler.triple).into_iter().find(|file| file.is_file()).expect("an archive")
}
