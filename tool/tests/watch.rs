//! `profrt watch`: the bytes of `profrt merge` whatever happens, and no count lost or added twice.

#![cfg(target_os = "linux")]

mod common;

#[path = "watch/edges.rs"]
mod edges;
#[path = "watch/kill.rs"]
mod kill;
#[path = "watch/live.rs"]
mod live;
#[path = "watch/once.rs"]
mod once;
#[path = "watch/refused.rs"]
mod refused;
#[path = "watch/tracer.rs"]
mod tracer;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use common::profiles::*;
use common::*;

/// A directory with `in`, where profiles appear.
struct Place {
    dir: tempfile::TempDir,
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

    /// Runs `profrt watch in -o out.profdata --once` with more arguments.
    fn once(&self, arguments: &[&str]) -> Said {
        let usual = ["watch", "in", "-o", "out.profdata", "--once", "--settle", "0"];
        let output = run_in(self.dir.path(), &[&usual[..], arguments].concat());
        Said { code: output.status.code().unwrap(), text: String::from_utf8(output.stderr).unwrap() }
    }

    /// The same, and nothing may be wrong.
    fn once_well(&self, arguments: &[&str]) {
        let Said { code, text } = self.once(arguments);
        assert_eq!(code, 0, "{arguments:?}: {text}");
    }

    fn output(&self) -> Vec<u8> {
        fs::read(self.path("out.profdata")).unwrap()
    }

    /// The functions of the output with the sums of their counters.
    fn counts(&self) -> Vec<(String, u64)> {
        let counters = counters(&self.path("out.profdata"));
        counters.into_iter().map(|(name, counters)| (name, counters.iter().sum())).collect()
    }

    /// The count of `main`, the only function.
    fn main(&self) -> u64 {
        match &self.counts()[..] {
            [(name, count)] if name == "main" => *count,
            other => panic!("{other:?}"),
        }
    }

    /// The names of all files in a directory and those below, sorted.
    fn names(&self, directory: &str) -> BTreeSet<String> {
        let root = self.path(directory);
        let files = walkdir::WalkDir::new(&root).into_iter().map(Result::unwrap);
        let files = files.filter(|entry| !entry.file_type().is_dir());
        files.map(|entry| entry.path().strip_prefix(&root).unwrap().to_str().unwrap().to_owned()).collect()
    }
}

/// A text profile with this count of `main`.
fn profile_of(count: u64) -> String {
    text(&[("main", count)])
}

/// A text profile of which a half can be used: `main` has the count.
fn damaged(count: u64) -> String {
    format!("{}cut\n7\n3\n1\n", profile_of(count))
}

/// What `profrt merge` writes for files.
fn merged(directory: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = ended(profrt(directory).arg("merge").args(arguments).args(["-o", "merged.profdata"]));
    assert!(output.status.code() < Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read(directory.join("merged.profdata")).unwrap()
}
