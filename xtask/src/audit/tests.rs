//! Small archives for the tests of the checks, from assembly.

use std::fs;
use std::process::Command;

use super::archive::Archive;
use testkit::dist::ar::{self, Member};

/// What a well-behaved object has at its end.
pub const STACK_NOTE: &str = "\n.section .note.GNU-stack,\"\",@progbits\n";

/// Assembles the source to an object file.
pub fn assemble(source: &str) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = (directory.path().join("in.s"), directory.path().join("out.o"));
    fs::write(&input, format!("{source}\n")).unwrap();
    assert!(Command::new("cc").arg("-c").arg(&input).arg("-o").arg(&output).status().unwrap().success());
    fs::read(&output).unwrap()
}

/// Assembles each `(member, source)` and puts them in an archive, which is also written to the returned directory as `lib.a`.
pub fn archive(raw: u8, members: &[(&str, &str)]) -> (Archive, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let assembled = members.iter().map(|(name, source)| Member { name: (*name).to_owned(), bytes: assemble(source) });
    let bytes = ar::write(&assembled.collect::<Vec<_>>()).unwrap();
    fs::write(directory.path().join("lib.a"), &bytes).unwrap();
    (Archive::parse(raw, &bytes).unwrap(), directory)
}

/// Asserts that some finding contains all the words.
pub fn barks(findings: &[String], words: &[&str]) {
    let hit = |finding: &&String| words.iter().all(|word| finding.contains(word));
    assert!(findings.iter().any(|finding| hit(&finding)), "no finding with {words:?} in {findings:#?}");
}
