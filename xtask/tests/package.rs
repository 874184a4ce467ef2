//! Packages: installed in a fresh root they work, and the same sources give the same bytes.
//!
//! The tool in them is the one of everyday builds, since a static one takes minutes; `cargo xtask test portable` builds that.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common;
use crate::common::run;
use crate::pieces;
use flate2::read::GzDecoder;
use profrt_overlay::archive::archive_in;
use profrt_overlay::compiler::Compiler;
use testkit::toolchain::{Packages, clangs};
use xtask::package::{Options, Static, everyday, pack};

/// The tool of everyday builds, without debug information.
fn tool(directory: &Path) -> PathBuf {
    let tool = directory.join("profrt");
    fs::copy(everyday().unwrap(), &tool).unwrap();
    run(Command::new("strip").arg(&tool));
    tool
}

fn packed(tool: &Path, output: PathBuf) -> Vec<PathBuf> {
    let packages = Packages { install: false };
    let options = Options { output: Some(output), tool: Some(tool.to_path_buf()), libc: Static::Musl, packages };
    pack(&options).unwrap()
}

/// `dpkg` on a root directory of our own.
fn dpkg(root: &Path) -> Command {
    let mut dpkg = Command::new("dpkg");
    dpkg.arg("--root").arg(root).args(["--force-not-root", "--force-bad-path", "--log=/dev/null"]);
    dpkg
}

/// An empty root directory with an empty list of packages.
fn fresh_root(directory: &Path) -> PathBuf {
    let root = directory.join("root");
    for below in ["info", "updates", "triggers"] {
        fs::create_dir_all(root.join("var/lib/dpkg").join(below)).unwrap();
    }
    fs::write(root.join("var/lib/dpkg/status"), "").unwrap();
    root
}

/// Files and links below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

fn gunzipped(path: &Path) -> String {
    let mut text = String::new();
    GzDecoder::new(File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

/// Checks that everything in a tar file is root's, has one time, and comes sorted. Returns names and contents of its files.
fn checked(tar: impl Read) -> BTreeMap<String, Vec<u8>> {
    let (mut times, mut names, mut contents) = (Vec::new(), [Vec::new(), Vec::new()], BTreeMap::new());
    let mut tar = tar::Archive::new(tar);
    for entry in tar.entries().unwrap() {
        let mut entry = entry.unwrap();
        let header = entry.header().clone();
        let name = String::from_utf8(entry.path_bytes().into_owned()).unwrap();
        assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (0, 0), "{name}");
        times.push(header.mtime().unwrap());
        names[usize::from(!header.entry_type().is_dir())].push(PathBuf::from(&name));
        if header.entry_type().is_file() {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            contents.insert(name, bytes);
        }
    }
    times.dedup();
    assert_eq!(times.len(), 1);
    assert!(names.iter().all(|names| names.is_sorted()), "{names:?}");
    contents
}

#[test]
#[ignore = "cargo xtask test --all runs it"]
fn the_package_works_in_a_fresh_root_and_two_are_equal() {
    let scratch = tempfile::tempdir().unwrap();
    let tool = tool(scratch.path());
    let [one, other] = ["one", "other"].map(|name| packed(&tool, scratch.path().join(name)));
    for (one, other) in one.iter().zip(&other) {
        assert!(fs::read(one).unwrap() == fs::read(other).unwrap(), "{}", one.display());
    }
    let [archive, debian, sbom, _] = &one[..] else { panic!("{one:?}") };
    run(Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(scratch.path().join("one")));

    // Both have the same files.
    let zstd = ruzstd::decoding::StreamingDecoder::new(File::open(archive).unwrap()).unwrap();
    let unpacked = checked(zstd);
    let mut deb = ar::Archive::new(File::open(debian).unwrap());
    let mut installed = BTreeMap::new();
    while let Some(member) = deb.next_entry() {
        let member = member.unwrap();
        let name = String::from_utf8(member.header().identifier().to_vec()).unwrap();
        if name.ends_with(".tar.gz") {
            let contents = checked(GzDecoder::new(member));
            if name == "data.tar.gz" {
                installed = contents;
            }
        }
    }
    let below = |top: &str, files: BTreeMap<String, Vec<u8>>| -> BTreeMap<String, Vec<u8>> {
        files.into_iter().map(|(name, bytes)| (name.strip_prefix(top).unwrap().to_owned(), bytes)).collect()
    };
    let top = archive.file_name().unwrap().to_str().unwrap().replace(".tar.zst", "/");
    assert!(below(&top, unpacked) == below("./usr/", installed));

    let sbom = fs::read_to_string(sbom).unwrap();
    // The last one is only in the archives.
    for purl in ["clap@4.", "dlmalloc@", "spin@"] {
        assert!(sbom.contains(&format!("\"pkg:cargo/{purl}")), "{purl}: {sbom}");
    }
    assert!(!sbom.contains("cargo/proptest@") && !sbom.contains("cargo/profdata@"));

    pieces::work(archive, scratch.path());

    let root = fresh_root(scratch.path());
    run(dpkg(&root).arg("-i").arg(debian));
    run(dpkg(&root).args(["--verify", "profrt"]));
    works(&root);
    run(dpkg(&root).args(["--purge", "profrt"]));
    let left = if root.join("usr").exists() { files(&root.join("usr")) } else { Vec::new() };
    assert!(left.is_empty(), "{left:?}");
}

/// The tool runs, programs link the archives, and nothing is where another package has it.
fn works(root: &Path) {
    let tool = root.join("usr/bin/profrt");
    let version = run(Command::new(&tool).arg("--version"));
    assert!(version.starts_with("profrt ") && version.lines().count() == 1, "{version}");
    for path in files(&root.join("usr")) {
        let below = path.strip_prefix(root.join("usr")).unwrap();
        let ours = below == Path::new("bin/profrt") || below.components().any(|part| part.as_os_str() == "profrt");
        let page =
            below.starts_with("share/man/man1") && below.file_name().unwrap().to_str().unwrap().starts_with("profrt");
        let completion = below.starts_with("share/zsh") || below.starts_with("share/fish");
        assert!(ours || page || completion, "{}", path.display());
    }
    // A backtrace is taken with each error.
    for arguments in [&["show", "absent"][..], &["merge", "-o", "/absent/out", "absent"], &["check"], &["diff", "/"]] {
        let output = Command::new(&tool).args(arguments).env("RUST_BACKTRACE", "1").output().unwrap();
        assert!(output.status.code().is_some() && !output.stderr.is_empty(), "{arguments:?}: {output:?}");
    }
    let help = run(Command::new(&tool).arg("--help"));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.contains(&"merge"), "{help}");
    for command in commands.into_iter().filter(|command| *command != "help") {
        let page = gunzipped(&root.join(format!("usr/share/man/man1/profrt-{command}.1.gz")));
        assert!(page.contains(&format!(".TH profrt-{command} ")) && page.contains("Example"), "{page}");
        let completions = [
            "bash-completion/completions/profrt",
            "zsh/vendor-completions/_profrt",
            "fish/vendor_completions.d/profrt.fish",
        ];
        for completion in completions {
            assert!(
                fs::read_to_string(root.join("usr/share").join(completion)).unwrap().contains(command),
                "{completion}"
            );
        }
    }
    let page = gunzipped(&root.join("usr/share/man/man1/profrt-merge.1.gz"));
    assert!(page.contains("[\\-\\-for <COMPILER>]") && page.contains(" \\-\\-output <FILE>"), "{page}");
    let documents = root.join("usr/share/doc/profrt");
    let licenses = gunzipped(&documents.join("licenses.txt.gz"));
    for crate_ in ["clap ", "object ", "gimli ", "spin "] {
        assert!(licenses.contains(&format!("\n{crate_}")), "{crate_}");
    }
    assert!(!licenses.contains("\nproptest ") && licenses.contains("Permission is hereby granted"));
    assert!(documents.join("copyright").is_file() && documents.join("docs/tool/merge.md").is_file());

    let drop_in = root.join("usr/lib/profrt/bin/llvm-profdata");
    assert!(run(Command::new(&drop_in).arg("--help")).contains("llvm-profdata [subcommand] [options]"));
    let archives = root.join("usr/lib/profrt");
    for clang in clangs() {
        let compiler = Compiler::ask(&clang.clang).unwrap();
        let archive = archive_in(&archives, &compiler).unwrap();
        let directory = root.join(format!("clang-{}", clang.version));
        let source = common::write(&directory, "a.c", &format!("#include <profrt.h>\n{}", common::PROGRAM));
        let program = directory.join("a");
        let include = archives.join(format!("raw-{}/include", clang.raw));
        let mut compile = Command::new(&clang.clang);
        compile
            .arg("-fprofile-instr-generate")
            .arg("-I")
            .arg(include)
            .arg(&source)
            .arg(&archive)
            .arg("-o")
            .arg(&program);
        run(&mut compile);
        common::assert_ours(&program);
        common::assert_profile(&clang, &program);
        let merged =
            run(Command::new(&tool).arg("show").arg(program.with_extension("profraw")).args(["-f", "some_work"]));
        assert!(merged.contains("some_work"), "{merged}");
    }
}
