//! Arguments and lists to sources.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use profdata::merge::{NOTED, has_note};
use profdata::read::detect::{Detected, detect};
use walkdir::WalkDir;

use super::{Duplicate, Source, Sources, display};
use crate::report::output::{identity, is_temporary};

/// Endings of files that count as profiles in a directory or an archive, whatever they have in them.
const ENDINGS: [&str; 4] = [".profraw", ".profdata", ".proftext", ".profpart"];

/// Endings of compressed files and archives, which count too, and alone or after one of [`ENDINGS`]. Those of forms that are not read, too: their
/// profiles must not be lost in silence.
const PACKED: [&str; 10] = [".tar", ".tgz", ".zip", ".gz", ".zst", ".tzst", ".xz", ".txz", ".bz2", ".7z"];

/// The largest list of files.
const LARGEST_LIST: u64 = 1 << 30;

/// Returns whether a file with this name counts as a profile without a look at its first bytes.
pub fn is_profile_name(name: &[u8]) -> bool {
    ENDINGS.iter().chain(&PACKED).any(|ending| ends_with(name, ending))
}

/// Returns whether this is the name of an input that stands for any number of others; compressed alone, a profile is one.
pub fn is_container(name: &str) -> bool {
    let plain = [".gz", ".zst", ".xz", ".bz2"].iter().find(|ending| ends_with(name.as_bytes(), ending));
    let name = &name.as_bytes()[..name.len() - plain.map_or(0, |ending| ending.len())];
    [".profpart", ".tar", ".tgz", ".tzst", ".txz", ".zip", ".7z"].iter().any(|ending| ends_with(name, ending))
}

fn ends_with(name: &[u8], ending: &str) -> bool {
    let end = name.get(name.len().saturating_sub(ending.len())..).unwrap_or(name);
    end.eq_ignore_ascii_case(ending.as_bytes())
}

/// Returns the paths that lists have, one a line, in order. Empty lines and those that begin with `#` are left out. A list with a zero byte
/// has its paths separated by these, as `find -print0` writes them. `-` is standard input.
///
/// Errors: a list cannot be read.
pub fn lists(lists: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for list in lists {
        let mut bytes = Vec::new();
        let read = if list == Path::new("-") {
            io::stdin().lock().take(LARGEST_LIST).read_to_end(&mut bytes)
        } else {
            File::open(list).and_then(|file| file.take(LARGEST_LIST).read_to_end(&mut bytes))
        };
        read.with_context(|| format!("the list {} cannot be read; is the path right?", display(list)))?;
        if bytes.len() as u64 == LARGEST_LIST {
            bail!("the list {} has more than {LARGEST_LIST} bytes; give several shorter ones", display(list));
        }
        let separator = if bytes.contains(&0) { 0 } else { b'\n' };
        for line in bytes.split(|byte| *byte == separator) {
            let line = if separator == b'\n' { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
            if !line.is_empty() && (separator == 0 || !line.starts_with(b"#")) {
                paths.push(path_of(line));
            }
        }
    }
    Ok(paths)
}

/// Returns the path with these bytes.
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        std::ffi::OsStr::from_bytes(bytes).into()
    }
    #[cfg(not(unix))]
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// Returns the sources that arguments stand for. Directories are walked; of their files those count that have the name of a profile or of an
/// archive ([`is_profile_name`]), or begin like a raw, indexed or partial profile. Links in a directory are followed to files only. `-` is
/// standard input.
///
/// `output` counts only where it is an argument itself: a second merge of a directory would add its own result. The same is true of the
/// output of a `profrt watch`. What a merge or a program leaves that was killed while it wrote, and files that were put aside (`NAME.corrupt-PID`), do not count
/// either.
pub fn expand(arguments: &[PathBuf], output: Option<&Path>) -> Sources {
    let output = output.and_then(|path| identity(path, &fs::metadata(path).ok()?));
    Expansion { output, ..Expansion::default() }.all(arguments)
}

/// Returns the sources as `llvm-profdata` takes them: a file as often as it is given, and every file of a directory, profile or not.
pub fn expand_all(arguments: &[PathBuf]) -> Sources {
    Expansion { takes_all: true, ..Expansion::default() }.all(arguments)
}

#[derive(Default)]
struct Expansion {
    sources: Sources,
    /// Each file counts, each time.
    takes_all: bool,
    /// The file that is to be written.
    output: Option<(u64, u64)>,
    /// The first path of each file.
    files: HashMap<(u64, u64), String>,
}

impl Expansion {
    /// Takes arguments.
    fn all(mut self, arguments: &[PathBuf]) -> Sources {
        for argument in arguments {
            if argument == Path::new("-") {
                if !self.takes_all && self.sources.sources.contains(&Source::Stdin) {
                    self.duplicate(argument, "-".into());
                } else {
                    self.sources.sources.push(Source::Stdin);
                }
                continue;
            }
            match fs::metadata(argument) {
                Ok(metadata) if metadata.is_dir() => self.directory(argument),
                Ok(metadata) => self.file(argument, &metadata),
                Err(error) => self.unreadable(argument, &error),
            }
        }
        self.sources
    }

    fn directory(&mut self, directory: &Path) {
        for entry in WalkDir::new(directory).sort_by_file_name() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().unwrap_or(directory).to_path_buf();
                    self.unreadable(&path, &error.into());
                    continue;
                }
            };
            let path = entry.path();
            if entry.file_type().is_dir() {
                continue;
            }
            match fs::metadata(path) {
                Ok(metadata) if metadata.is_file() && self.is_output(path, &metadata) => {
                    self.ignore(path, Some("the output itself"));
                    self.sources.has_output = true;
                }
                Ok(metadata) if metadata.is_file() && !self.takes_all => match why_not(path) {
                    None => self.file(path, &metadata),
                    Some(reason) => self.ignore(path, reason),
                },
                Ok(metadata) if metadata.is_file() => self.file(path, &metadata),
                // One that leads nowhere is no file that could be read.
                Err(error) if error.kind() == io::ErrorKind::NotFound && entry.path_is_symlink() => {
                    self.ignore(path, Some("a link to nothing"));
                }
                Err(error) if is_profile_name(path.as_os_str().as_encoded_bytes()) => self.unreadable(path, &error),
                Ok(metadata) if metadata.is_dir() => self.ignore(path, Some("a link to a directory")),
                _ => self.ignore(path, None),
            }
        }
    }

    fn ignore(&mut self, path: &Path, reason: Option<&str>) {
        let reason = reason.map_or(String::new(), |reason| format!(" ({reason})"));
        self.sources.ignored.push(display(path) + &reason);
    }

    fn is_output(&self, path: &Path, metadata: &Metadata) -> bool {
        self.output.is_some() && identity(path, metadata) == self.output
    }

    fn file(&mut self, path: &Path, metadata: &Metadata) {
        if let Some(id) = identity(path, metadata) {
            if let Some(first) = self.files.get(&id).filter(|_| !self.takes_all) {
                let first = first.clone();
                return self.duplicate(path, first);
            }
            self.files.insert(id, display(path));
        }
        let size = if metadata.is_file() { metadata.len() } else { 0 };
        self.sources.sources.push(Source::File { path: path.to_path_buf(), size });
    }

    fn duplicate(&mut self, path: &Path, same_as: String) {
        self.sources.duplicates.push(Duplicate { input: display(path), same_as });
    }

    fn unreadable(&mut self, path: &Path, error: &io::Error) {
        self.sources.sources.push(Source::Unreadable { path: path.to_path_buf(), error: error.to_string() });
    }
}

/// Returns whether this is the name of a file that was put aside: `NAME.corrupt-PID`, or `NAME.corrupt-PID-N`.
pub(crate) fn is_put_aside(name: &str) -> bool {
    let is_number = |text: &str| text.parse::<u64>().is_ok();
    name.rsplit_once(".corrupt-").is_some_and(|(_, end)| {
        is_number(end) || end.split_once('-').is_some_and(|(a, b)| is_number(a) && is_number(b))
    })
}

/// Returns whether this is the name that the runtime gives a new file before it takes its name: `.NAME.profrt`, or `.NAME.profrt-PID`.
fn is_second_name(name: &str) -> bool {
    let end = name.rsplit_once(".profrt").map(|(_, end)| end);
    name.starts_with('.') && end.is_some_and(|end| end.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()))
}

/// Returns why a file in a directory does not count as a profile: `Some(None)` for one that neither is called like one nor begins like one.
fn why_not(path: &Path) -> Option<Option<&'static str>> {
    let name = path.file_name().map_or(Default::default(), |name| name.to_string_lossy());
    if is_put_aside(&name) {
        return Some(Some("put aside"));
    }
    if is_temporary(&name) {
        return Some(Some("left by a merge that was killed"));
    }
    if is_second_name(&name) {
        return Some(Some("left by a program that was killed while it wrote"));
    }
    let mut first = Vec::new();
    let read = File::open(path).and_then(|file| file.take(NOTED as u64).read_to_end(&mut first));
    // It has the counts of files that are, or were, in its directory.
    if has_note(&first) {
        return Some(Some("the output of a profrt watch"));
    }
    // A file that cannot be opened may be a profile.
    let counts = is_profile_name(path.as_os_str().as_encoded_bytes())
        || read.is_err()
        || matches!(detect(&first), Some(Detected::Raw(_) | Detected::Indexed | Detected::Partial));
    if counts { None } else { Some(None) }
}
