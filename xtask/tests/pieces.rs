//! The pieces for CI in docs/USE.md: the scripts of each `yaml` block, in its order, in a project of C++ and Rust, with a package of ours in place
//! of what they download.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use testkit::{paths, toolchain};

use crate::common::{run, write};
use crate::consoles;

/// A program and a library whose tests reach every line.
const PROJECT: [(&str, &str); 4] = [
    (
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.13)\nproject(app CXX)\nenable_testing()\nadd_executable(app src/app.cpp)\n\
         add_test(NAME app COMMAND app)\n",
    ),
    ("src/app.cpp", "static int twice(int n) {\n  return 2 * n;\n}\nint main() {\n  return twice(0);\n}\n"),
    ("Cargo.toml", "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n"),
    (
        "src/lib.rs",
        "pub fn twice(n: u32) -> u32 {\n    2 * n\n}\n\n#[test]\nfn two() {\n    assert_eq!(twice(1), 2);\n}\n",
    ),
];

/// The scripts of each block: what is indented below a line that ends in `|`.
fn scripts(document: &str) -> Vec<Vec<String>> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let block = |block: &str| {
        let (mut scripts, mut lines) = (Vec::new(), block.lines().peekable());
        while let Some(line) = lines.next() {
            if line.ends_with('|') {
                let mut script = String::new();
                while let Some(more) = lines.next_if(|more| indent(more) > indent(line)) {
                    script += &format!("{}\n", more.trim_start());
                }
                scripts.push(script);
            }
        }
        scripts
    };
    let blocks = document.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.map(block).collect()
}

/// Runs them with `archive` for what `curl` gets.
pub fn work(archive: &Path, scratch: &Path) {
    let bin = scratch.join("bin");
    fs::create_dir(&bin).unwrap();
    consoles::programs(&bin, &toolchain::newest().unwrap());
    // The address ends in the name of the package that was made.
    let name = archive.file_name().unwrap().display();
    let curl = format!("#!/bin/sh\ncase $2 in */{name}) exec cat {};; esac\nexit 22\n", archive.display());
    fs::set_permissions(write(&bin, "curl", &curl), fs::Permissions::from_mode(0o755)).unwrap();
    let document = fs::read_to_string(paths::root().join("docs/USE.md")).unwrap();
    let numbers = scripts(&document).into_iter().enumerate().map(|(at, scripts)| {
        let project = scratch.join(format!("project-{at}"));
        for (name, text) in PROJECT {
            write(&project, name, text);
        }
        let script = scripts.join("PATH=$(paste -sd: \"$GITHUB_PATH\"):$PATH\n");
        let path = std::env::join_paths(
            [bin.clone()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
        );
        let mut bash = Command::new("bash");
        bash.args(["-eo", "pipefail", "-c", &script]).current_dir(&project).env("PATH", path.unwrap());
        bash.env_remove("CARGO_TARGET_DIR").env("GITHUB_PATH", write(&project, "path", ""));
        run(bash.env("GITHUB_STEP_SUMMARY", write(&project, "summary.md", "")));
        let made = ["summary.md", "rust.info", "release/app", "cobertura.xml"];
        made.iter().filter(|name| fs::metadata(project.join(name)).is_ok_and(|file| file.len() > 0)).count()
    });
    assert_eq!(numbers.collect::<Vec<_>>(), [3, 1], "what GitHub's and GitLab's jobs make");
}
