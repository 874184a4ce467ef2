//! What documents show on a console is what happens: the ```` ```console ```` blocks of each document are run in its order, in one shell and one
//! fresh directory that stands for a clone of the project.
//!
//! `$ ` begins a command, `> ` continues it; then comes what it prints, where `[..]` stands for any text in a line. All commands
//! must succeed.

use crate::common;
use needs_macros::needs;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use snapbox::Assert;
use testkit::{paths, toolchain};

const DOCUMENTS: [&str; 2] = ["README.md", "docs/USE.md"];

/// What the shell prints before a command's exit status.
const MARK: &str = "profrt-console-status";

#[derive(Debug, PartialEq, Eq)]
struct Step {
    command: String,
    expected: String,
}

/// Returns the commands of all console blocks of a document.
fn steps(document: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in document.lines() {
        if line.starts_with("```") {
            inside = !inside && line == "```console";
        } else if inside && let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { command: command.to_owned(), expected: String::new() });
        } else if inside {
            let step = steps.last_mut().expect("a console block begins with a command");
            match line.strip_prefix("> ") {
                Some(more) if step.expected.is_empty() => step.command += &format!("\n{more}"),
                _ => step.expected += &format!("{line}\n"),
            }
        }
    }
    steps
}

/// Runs the steps with a shell that is ready for them, and compares what each prints.
fn play(steps: &[Step], shell: &mut Command, name: &str) -> Result<(), String> {
    let mut script = "exec 2>&1\n".to_owned();
    for step in steps {
        script += &format!("{{ {}\n}} </dev/null; printf '\\n{MARK} %d\\n' $?\n", step.command);
    }
    let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let output = String::from_utf8_lossy(&output.stdout);
    let mut rest = &*output;
    for Step { command, expected } in steps {
        let end = rest.split_once(&format!("\n{MARK} ")).and_then(|(said, rest)| Some((said, rest.split_once('\n')?)));
        let Some((said, (status, behind))) = end else {
            return Err(format!("{name}: the shell ended in `{command}`:\n{rest}"));
        };
        if status != "0" {
            return Err(format!("{name}: `{command}` failed with {status}:\n{said}"));
        }
        // A line feed more or less at the end is not seen on a console.
        let text = |text: &str| format!("{}\n", text.trim_end_matches('\n'));
        let compared =
            Assert::new().normalize_paths(false).try_eq(Some(&command), text(said).into(), text(expected).into());
        compared.map_err(|error| format!("{name}: `{command}`\n{error}"))?;
        rest = behind;
    }
    Ok(())
}

/// Makes a directory that looks like a fresh clone, with an empty `target/` but for what `cargo xtask build` writes.
fn clone(directory: &Path) {
    for entry in fs::read_dir(paths::root()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name() != "target" {
            symlink(entry.path(), directory.join(entry.file_name())).unwrap();
        }
    }
    fs::create_dir(directory.join("target")).unwrap();
    symlink(paths::target().join("dist"), directory.join("target/dist")).unwrap();
}

/// Fills a directory for `PATH`: a clang's tools with and without its version, and a cargo that has built `cargo xtask` already.
pub fn programs(directory: &Path, clang: &toolchain::Clang) {
    let mut tools = vec![("clang", &clang.clang), ("clang++", &clang.clangxx)];
    tools.extend([("llvm-profdata", &clang.profdata), ("llvm-cov", &clang.cov)]);
    tools.extend(clang.lld.as_ref().map(|lld| ("ld.lld", lld)));
    for (name, tool) in tools {
        symlink(tool, directory.join(name)).unwrap();
        symlink(tool, directory.join(format!("{name}-{}", clang.version))).unwrap();
    }
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = xtask ]; then shift; exec '{}' \"$@\"; fi\nexec '{cargo}' \"$@\"\n",
        env!("CARGO_BIN_EXE_xtask")
    );
    let cargo = common::write(directory, "cargo", &script);
    fs::set_permissions(cargo, fs::Permissions::from_mode(0o755)).unwrap();
}

#[needs("clang-22")]
fn documents_show_what_happens() {
    let clang = toolchain::newest().unwrap();
    for document in DOCUMENTS {
        let Ok(text) = fs::read_to_string(paths::root().join(document)) else { continue };
        let steps = steps(&text);
        if steps.is_empty() {
            assert_ne!(document, "README.md", "it shows nothing that could be tried");
            continue;
        }
        let [directory, bin] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        clone(directory.path());
        programs(bin.path(), &clang);
        let before = std::env::var_os("PATH").unwrap_or_default();
        let all = [bin.path().to_owned()].into_iter().chain(std::env::split_paths(&before));
        let path = std::env::join_paths(all).unwrap();
        let mut shell = Command::new("sh");
        shell
            .current_dir(directory.path())
            .env("PATH", &path)
            .env_remove("LLVM_PROFILE_FILE")
            .env("RUST_BACKTRACE", "0");
        play(&steps, &mut shell, document).unwrap_or_else(|error| panic!("{error}"));
    }
}

const DOCUMENT: &str = "Text\n\n    $ no command\n\n```sh\n$ neither\n```\n\n```console\n$ P=one\n$ echo $P &&\n> echo /some/path two\none\n\
    [..]path two\n```\n\n```console\n$ printf 'three\\n\\n'; echo four >&2\nthree\n\nfour\n\n$ true\n```\n";

fn played(document: &str) -> Result<(), String> {
    play(&steps(document), &mut Command::new("sh"), "test.md")
}

#[test]
fn only_console_blocks_have_commands() {
    let step = |command: &str, expected: &str| Step { command: command.to_owned(), expected: expected.to_owned() };
    let expected = [
        step("P=one", ""),
        step("echo $P &&\necho /some/path two", "one\n[..]path two\n"),
        step("printf 'three\\n\\n'; echo four >&2", "three\n\nfour\n\n"),
        step("true", ""),
    ];
    assert_eq!(steps(DOCUMENT), expected);
}

#[test]
fn differences_and_failures_are_found() {
    played(DOCUMENT).unwrap();
    for (what, other, words) in [
        ("path two\n```", "path 2\n```", "echo $P"),
        ("four\n\n$", "five\n\n$", "four"),
        ("$ true", "$ false", "`false` failed with 1"),
        ("$ true", "$ exit", "ended in `exit`"),
        ("$ true", "$ echo more", "more"),
    ] {
        let error = played(&DOCUMENT.replace(what, other)).unwrap_err();
        assert!(error.contains("test.md") && error.contains(words), "{what}: {error}");
    }
}
