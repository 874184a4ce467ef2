//! `profrt check`: a file of each kind that profrt's runtime writes is whole.

use needs_macros::needs;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::*;
use profrt_format::RawVersion;
use profrt_tool::check::{State, inspect};

/// A program that has values, and writes into a buffer too.
const SOURCE: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *);
int one(int x) { return x + 1; }
int two(int x) { return x < 5 ? x * 2 : x; }
int (*volatile table[2])(int) = {one, two};
volatile size_t size = 5;
char a[64], b[64];
int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 0; i < 20; i++) { sum += table[i & 1](i); memcpy(a, b, size + i % 4); }
  if (argc > 1) {
    char *bytes = calloc(1, __llvm_profile_get_size_for_buffer());
    FILE *file = fopen("buffer.profraw", "wb");
    fwrite(bytes, 1, __llvm_profile_write_buffer(bytes) ? 0 : __llvm_profile_get_size_for_buffer(), file);
    fclose(file);
  }
  return sum == 0;
}
"#;

#[test]
fn a_profile_that_was_not_completed_is_padding() {
    for version in RawVersion::ALL {
        for encoding in encodings() {
            let mut bytes = profiles::named(version, encoding).write().unwrap();
            bytes.extend_from_within(..16);
            let padding = |index| if index == 6 { 64 } else { 0 };
            bytes.extend((2..version.header_words()).flat_map(|index| encoding.u64_bytes(padding(index))));
            bytes.extend([0xab; 64]);
            let verdict = inspect("input".into(), &bytes);
            assert!(verdict.state == State::Ok, "{version:?} {encoding:?}: {verdict}");
            assert_eq!(verdict.notes, ["64 bytes of a profile whose program was killed while it wrote"]);
            assert_eq!(verdict.numbers.functions, 3);
        }
    }
}

/// What `profrt check` says of the only profile that a run has left.
fn check_run(program: &Path, runs: usize, pattern: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    for _ in 0..runs {
        run(Command::new(program).current_dir(directory.path()).env("LLVM_PROFILE_FILE", pattern));
    }
    let output = ended(profrt(directory.path()).args(["check", "."]));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{program:?} {pattern}: {text}");
    text
}

#[needs("clangs")]
fn all_files_of_the_runtime_are_whole() {
    for clang in compilers() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        fs::write(path.join("p.c"), SOURCE).unwrap();
        let archive = archive(&clang);
        let pages = archive.with_file_name("profrt-continuous.o");
        for flags in ["-fprofile-generate", "-fprofile-instr-generate"] {
            for (name, object) in [("plain", None), ("pages", Some(&pages))] {
                let mut command = Command::new(&clang.clang);
                command.current_dir(path).args(["-O1", flags, "-c", "p.c", "-o", "p.o"]);
                run(&mut command);
                let mut command = Command::new(&clang.clang);
                run(command
                    .current_dir(path)
                    .args(["-u__llvm_profile_runtime", "p.o"])
                    .args(object)
                    .arg(&archive)
                    .args(["-o", name]));
            }
            let context = format!("{} {flags}", clang.version);
            for program in ["plain", "pages"].map(|name| path.join(name)) {
                for (pattern, runs) in [
                    ("a.profraw", 1),
                    ("a%p.profraw", 2),
                    ("a%m.profraw", 2),
                    ("a%2m.profraw", 2),
                    ("%ca.profraw", 2),
                    ("a%c%m.profraw", 2),
                ] {
                    let text = check_run(&program, runs, pattern);
                    assert!(!text.contains("note:"), "{context} {pattern}: {text}");
                }
            }
            run(Command::new(path.join("plain")).current_dir(path).arg("buffer").env("LLVM_PROFILE_FILE", "x.profraw"));
            let buffer = inspect("buffer".into(), &fs::read(path.join("buffer.profraw")).unwrap());
            assert!(buffer.state == State::Ok, "{context}: {buffer}");
        }
    }
}
