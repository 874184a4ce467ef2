//! What a package has, below `/usr`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::archive::gzip;
use super::tree::Tree;
use super::{everyday, read};
use testkit::dist::{self, RAW_VERSIONS};
use testkit::{paths, run};

/// Where the archives are: `cargo xtask install --archive` takes it.
const ARCHIVES: &str = "lib/profrt";

/// Returns the tree: the tool, the archives of all raw versions, linker scripts, man pages, completions, documents and licenses.
pub fn tree(tool: &Path, licenses: &str) -> Result<Tree> {
    let mut tree = Tree::default();
    tree.program("bin/profrt", read(tool)?);
    // A directory of its own, for whoever wants it on the path: `llvm-profdata` itself belongs to Debian's package `llvm`.
    tree.link(Path::new(ARCHIVES).join("bin/llvm-profdata"), "../../../bin/profrt");
    for raw in RAW_VERSIONS {
        archives(&mut tree, raw)?;
    }
    let scripts = paths::root().join("linker-scripts");
    for (from, to) in [
        (scripts.clone(), "share/profrt/linker-scripts"),
        (scripts.join("examples"), "share/profrt/linker-scripts/examples"),
    ] {
        copy(&mut tree, &from, Path::new(to), &["x", "ld", "md"])?;
    }
    pages(&mut tree)?;
    let documents = Path::new("share/doc/profrt");
    for part in ["docs", "docs/tool", "docs/pictures"] {
        copy(&mut tree, &paths::root().join(part), &documents.join(part), &["md", "c", "png"])?;
    }
    for name in ["README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        tree.file(documents.join(name), read(&paths::root().join(name))?);
    }
    tree.file(documents.join("changelog.gz"), gzip(&read(&paths::root().join("CHANGELOG.md"))?)?);
    tree.file(documents.join("copyright"), COPYRIGHT);
    tree.file(documents.join("licenses.txt.gz"), gzip(licenses.as_bytes())?);
    Ok(tree)
}

const COPYRIGHT: &str = include_str!("../../package/copyright");

/// The prefix of one raw version. The archive is there under clang's name too.
fn archives(tree: &mut Tree, raw: u8) -> Result<()> {
    let dist = dist::build(raw)?;
    let top = Path::new(ARCHIVES).join(format!("raw-{raw}"));
    for path in dist::files(&dist)? {
        let below = path.strip_prefix(&dist.prefix)?;
        let place = top.join(below);
        if below.starts_with("lib/linux") {
            let same = if path == dist.archive { &dist.library } else { &dist::beside(&dist.library) };
            tree.link(place, Path::new("..").join(same.file_name().context("an archive has a name")?));
        } else {
            tree.file(place, read(&path)?);
        }
    }
    Ok(())
}

/// Man pages and completions, which an example of the tool writes.
fn pages(tree: &mut Tree) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let program = everyday()?.with_file_name("examples").join("pages");
    run::quiet(Command::new(program).arg(directory.path()))?;
    for path in files(directory.path())? {
        let place = Path::new("share").join(path.strip_prefix(directory.path())?);
        if place.starts_with("share/man") {
            tree.file(PathBuf::from(format!("{}.gz", place.display())), gzip(&read(&path)?)?);
        } else {
            tree.file(place, read(&path)?);
        }
    }
    Ok(())
}

/// Copies the files of a directory, not of those in it, that have one of these endings.
fn copy(tree: &mut Tree, from: &Path, to: &Path, endings: &[&str]) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let path = entry?.path();
        let ending = path.extension().unwrap_or_default();
        if path.is_file() && endings.iter().any(|wanted| *wanted == ending) {
            tree.file(to.join(path.file_name().unwrap_or_default()), read(&path)?);
        }
    }
    Ok(())
}

/// All files below a directory.
fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() { found.extend(files(&path)?) } else { found.push(path) }
    }
    Ok(found)
}
