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

/// Man pages and completions, which the tool writes.
fn pages(tree: &mut Tree) -> Result<()> {
    let (program, directory) = (everyday()?, tempfile::tempdir()?);
    run::quiet(Command::new(&program).arg("man").arg(directory.path()))?;
    for entry in fs::read_dir(directory.path())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        tree.file(PathBuf::from(format!("share/man/man1/{name}.gz")), gzip(&read(&path)?)?);
    }
    let places = [
        "bash-completion/completions/profrt",
        "zsh/vendor-completions/_profrt",
        "fish/vendor_completions.d/profrt.fish",
    ];
    for (shell, place) in ["bash", "zsh", "fish"].iter().zip(places) {
        let text = run::stdout(Command::new(&program).args(["completions", shell]))?;
        tree.file(Path::new("share").join(place), text.into_bytes());
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
