//! Tar files and their compression, the same bytes for the same tree.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use tar::{Builder, EntryType, Header};

use super::tree::{Entry, Tree};

/// The time of all entries, in seconds since 1970.
#[derive(Clone, Copy, Debug)]
pub struct Stamp(pub u64);

/// Returns a tar file of the tree below the directory `top`. `./` at the beginning of `top` stays in the names, as Debian has them.
pub fn tar(tree: &Tree, top: &str, stamp: Stamp) -> Result<Vec<u8>> {
    let mut tar = Builder::new(Vec::new());
    let top = Path::new(top);
    for directory in tree.directories(top) {
        let name = format!("{}/", directory.display());
        tar.append(&header(&name, EntryType::Directory, 0o755, 0, stamp)?, &[][..])?;
    }
    for (path, entry) in tree.entries() {
        let name = top.join(path).display().to_string();
        match entry {
            Entry::File { bytes, is_program } => {
                let mode = if *is_program { 0o755 } else { 0o644 };
                tar.append(&header(&name, EntryType::Regular, mode, bytes.len(), stamp)?, &bytes[..])?;
            }
            Entry::Link(to) => {
                let mut header = header(&name, EntryType::Symlink, 0o777, 0, stamp)?;
                header.set_link_name(to).with_context(|| format!("{} is too long", to.display()))?;
                header.set_cksum();
                tar.append(&header, &[][..])?;
            }
        }
    }
    Ok(tar.into_inner()?)
}

/// A header of an entry that belongs to root.
fn header(name: &str, kind: EntryType, mode: u32, size: usize, stamp: Stamp) -> Result<Header> {
    let mut header = Header::new_gnu();
    // `set_path` would drop `./`.
    let field = header.as_old_mut().name.get_mut(..name.len());
    field.with_context(|| format!("{name} is too long for a tar file"))?.copy_from_slice(name.as_bytes());
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size as u64);
    header.set_mtime(stamp.0);
    header.set_uid(0);
    header.set_gid(0);
    header.set_username("root")?;
    header.set_groupname("root")?;
    header.set_cksum();
    Ok(header)
}

/// Compresses with gzip, without the name and the time of a file.
pub fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut out = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    out.write_all(bytes)?;
    Ok(out.finish()?)
}

/// Compresses with zstd.
pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}
