//! Links on the way to an output: the rules of the kernel, for a file that is replaced and not opened.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Links that a path may lead through, as on Linux.
const LINKS: usize = 40;

/// Where an output goes.
pub enum Place {
    /// A file, whose name is no link.
    File(PathBuf),
    /// A file that this or another process has open, such as `/dev/stdout`. It has no name of its own that could be given to another file.
    Descriptor(PathBuf),
}

/// Follows the links that an output's name leads to. Links in the path of its directory are left to the kernel.
///
/// Errors: a link is another user's, in a directory where everybody may make links (`fs.protected_symlinks` of Linux, which does not apply
/// to programs that resolve links themselves); too many links.
pub fn place(path: &Path) -> io::Result<Place> {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        let directory = directory(&path);
        if directory.canonicalize().is_ok_and(|place| place.starts_with("/proc") && place.ends_with("fd")) {
            return Ok(Place::Descriptor(path));
        }
        let Ok(target) = fs::read_link(&path) else { return Ok(Place::File(path)) };
        check_owner(&path, directory)?;
        path = directory.join(target);
    }
    Err(io::Error::other("too many links"))
}

/// Returns the path of the directory that a file is in.
pub fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(unix)]
fn check_owner(link: &Path, directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    /// The sticky bit, and write permission for others.
    const SHARED: u32 = 0o1002;
    let (link, directory) = (fs::symlink_metadata(link)?, fs::metadata(directory)?);
    let user = rustix::process::geteuid().as_raw();
    let is_own = link.uid() == user || link.uid() == directory.uid();
    if directory.mode() & SHARED != SHARED || is_own {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is a link of another user in a shared directory"))
}

#[cfg(not(unix))]
fn check_owner(_link: &Path, _directory: &Path) -> io::Result<()> {
    Ok(())
}
