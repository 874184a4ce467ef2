//! `profrt watch`: each input is in the sum exactly once, whatever happens.

#[path = "watch/archives.rs"]
mod archives;
#[path = "watch/astray.rs"]
mod astray;
#[path = "watch/edges.rs"]
mod edges;
#[path = "watch/kill.rs"]
mod kill;
#[path = "watch/live.rs"]
mod live;
#[path = "watch/once.rs"]
mod once;
#[path = "watch/tracer.rs"]
mod tracer;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::profiles::*;
use crate::common::*;

/// A directory with `in`, where profiles appear.
struct Place {
    dir: tempfile::TempDir,
}

/// The system calls of a watcher at which something happens: every one in `cargo xtask test --all`, else every tenth.
fn system_calls() -> impl Iterator<Item = usize> {
    (0..).step_by(if is_all() { 1 } else { 10 })
}

/// What a watcher said, and its exit status.
struct Said {
    code: i32,
    text: String,
}

impl Place {
    fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("in")).unwrap();
        Place { dir }
    }

    /// A directory in memory, where there is one: thousands of runs sync thousands of files.
    fn in_memory() -> Place {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        fs::create_dir(dir.path().join("in")).unwrap();
        Place { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file in the directory that is watched.
    fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path("in").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Runs `profrt watch in --once --interval 0` with more arguments, and `-o out.profpart` where they have none.
    fn once(&self, arguments: &[&str]) -> Said {
        let mut command = profrt(self.dir.path());
        command.args(["watch", "in", "--once", "--interval", "0"]).args(arguments);
        if !arguments.contains(&"-o") {
            command.args(["-o", OUT]);
        }
        let output = ended(&mut command);
        Said { code: output.status.code().unwrap(), text: String::from_utf8(output.stderr).unwrap() }
    }

    /// The same, and nothing may be wrong.
    fn once_well(&self, arguments: &[&str]) {
        let Said { code, text } = self.once(arguments);
        assert_eq!(code, 0, "{arguments:?}: {text}");
    }

    /// The same, and something is not in the result, as these words say.
    fn once_badly(&self, arguments: &[&str], words: &[&str]) {
        let Said { code, text } = self.once(arguments);
        assert_eq!(code, 1, "{arguments:?}: {text}");
        words.iter().for_each(|word| assert!(text.contains(word), "{word}: {text}"));
    }

    fn output(&self) -> Vec<u8> {
        fs::read(self.path(OUT)).unwrap()
    }

    /// The functions of an output with the sums of their counters.
    fn counts_of(&self, output: &str) -> Vec<(String, u64)> {
        let mut merger = profdata::merge::Merger::default();
        let bytes = fs::read(self.path(output)).unwrap();
        // What is published is whole at any moment.
        assert_eq!(merger.add_partial("output", 1, &bytes), Ok(profdata::finding::Outcome::Whole), "{output}");
        let (profile, _) = merger.finish().unwrap();
        let records = profile.records().map(|record| (record.name.bytes.unwrap(), record.counters.iter().sum()));
        records.map(|(name, sum)| (String::from_utf8(name.to_vec()).unwrap(), sum)).collect()
    }

    /// The count of `main` in an output that has no other function; 0 before the first input.
    fn main_of(&self, output: &str) -> u64 {
        match &self.counts_of(output)[..] {
            [] => 0,
            [(name, count)] if name == "main" => *count,
            other => panic!("{other:?}"),
        }
    }

    fn main(&self) -> u64 {
        self.main_of(OUT)
    }

    /// The names of all files in a directory and those below, sorted.
    fn names(&self, directory: &str) -> BTreeSet<String> {
        let root = self.path(directory);
        let files = walkdir::WalkDir::new(&root).into_iter().map(Result::unwrap);
        let files = files.filter(|entry| !entry.file_type().is_dir());
        files.map(|entry| entry.path().strip_prefix(&root).unwrap().to_str().unwrap().to_owned()).collect()
    }

    /// What `profrt merge` writes for files.
    fn merged(&self, inputs: &[&str]) -> Vec<u8> {
        run(profrt(self.dir.path()).arg("merge").args(inputs).args(["-o", "merged.profdata"]));
        fs::read(self.path("merged.profdata")).unwrap()
    }
}

const OUT: &str = "out.profpart";

/// The beginning of the name of a file that a watcher has taken away.
const CLAIM: &str = ".profrt-watch-";

/// A text profile with this count of `main`.
fn profile_of(count: u64) -> String {
    text(&[("main", count)])
}

/// A text profile of which a half can be used.
fn damaged(count: u64) -> String {
    format!("{}cut\n7\n3\n1\n", profile_of(count))
}

/// A profile that does not merge with those of [`profile_of`].
const FRONT_END: &str = ":fe\nmain\n7\n1\n50000\n";

/// A tar archive with these members.
fn tar_of(members: &[(&str, &str)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, content) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, content.as_bytes()).unwrap();
    }
    tar.into_inner().unwrap()
}

fn set_of<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.map(String::from).into()
}
