//! Debian packages: an archive of `ar` with the version of the format, the tar file of the control files, and that of the tree.

use std::fmt::Write as _;

use anyhow::Result;

use super::archive::{Stamp, gzip, tar};
use super::tree::{Entry, Tree};
use testkit::target::clang_arch;

/// Debian's name of the CPU of a rustc target.
pub fn architecture(triple: &str) -> &str {
    match clang_arch(triple) {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "powerpc64le" => "ppc64el",
        other => other,
    }
}

/// Returns the package. Its tar files are compressed with gzip, which every release of dpkg reads.
pub fn write(tree: &Tree, version: &str, triple: &str, stamp: Stamp) -> Result<Vec<u8>> {
    let mut control = Tree::default();
    control.file("control", control_file(tree, version, triple));
    control.file("md5sums", md5sums(tree));
    let mut package = ar::Builder::new(Vec::new());
    for (name, bytes) in [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", gzip(&tar(&control, ".", stamp)?)?),
        ("data.tar.gz", gzip(&tar(tree, "./usr", stamp)?)?),
    ] {
        let mut header = ar::Header::new(name.as_bytes().to_vec(), bytes.len() as u64);
        header.set_mode(0o100_644);
        header.set_mtime(stamp.0);
        package.append(&header, &bytes[..])?;
    }
    Ok(package.into_inner()?)
}

fn control_file(tree: &Tree, version: &str, triple: &str) -> String {
    let size = |entry: &Entry| if let Entry::File { bytes, .. } = entry { bytes.len().div_ceil(1024) } else { 0 };
    let kilobytes: usize = tree.entries().map(|(_, entry)| size(entry)).sum();
    format!(
        "Package: profrt\n\
         Version: {version}\n\
         Architecture: {}\n\
         Maintainer: The profrt authors\n\
         Installed-Size: {kilobytes}\n\
         Suggests: clang, llvm\n\
         Section: devel\n\
         Priority: optional\n\
         Description: profiling runtime for programs of clang and rustc, and its tool\n \
         profrt merges, shows, compares and converts profiles of any release of LLVM.\n \
         libprofrt.a replaces libclang_rt.profile, one for each raw version (clang 14\n \
         to 23). No file of the packages clang and llvm is changed or replaced.\n",
        architecture(triple)
    )
}

fn md5sums(tree: &Tree) -> String {
    let mut sums = String::new();
    for (path, entry) in tree.entries() {
        if let Entry::File { bytes, .. } = entry {
            let _ = writeln!(sums, "{:x}  usr/{}", md5::compute(bytes), path.display());
        }
    }
    sums
}
