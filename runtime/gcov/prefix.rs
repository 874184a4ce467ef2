//! The name of a `.gcda` file: the name that the compiler has chosen, moved by `GCOV_PREFIX` and `GCOV_PREFIX_STRIP`.

use crate::error::Result;
use crate::os;
use crate::path::{CAPACITY, PathBuf, leading_decimal, without_directories};

/// Where the files of a program go instead of the places that the compiler has chosen. A copy of what the environment was at the start of the
/// program or of a pass, whichever was later; dumps in our signal handlers read no environment.
pub struct Prefix {
    /// The directory; empty: none, and nothing is stripped.
    pub directory: PathBuf,
    /// How many directories at the start of a name are left out.
    pub strip: u32,
}

impl Prefix {
    /// No prefix.
    pub const NONE: Prefix = Prefix { directory: PathBuf::new(), strip: 0 };

    /// Reads the environment. Of a directory that is longer than any path, so much that no name fits.
    pub fn read(&mut self) {
        let directory = os::env(c"GCOV_PREFIX").map_or(&b""[..], |directory| directory.to_bytes());
        self.strip = os::env(c"GCOV_PREFIX_STRIP").map_or(0, |number| leading_decimal(number.to_bytes()));
        let _ = self.directory.set(directory.get(..CAPACITY - 1).unwrap_or(directory));
    }

    /// Sets `path` to the name of a file.
    pub fn apply(&self, name: &[u8], path: &mut PathBuf) -> Result {
        let directory = self.directory.as_bytes();
        path.set(directory)?;
        if directory.is_empty() {
            return path.push(name);
        }
        if !directory.ends_with(b"/") {
            path.push(b"/")?;
        }
        let rest = without_directories(name, self.strip);
        path.push(rest.strip_prefix(b"/").unwrap_or(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(directory: &str, strip: u32, name: &str) -> std::string::String {
        let mut path = PathBuf::new();
        let mut prefix = Prefix { strip, ..Prefix::NONE };
        prefix.directory.set(directory.as_bytes()).unwrap();
        prefix.apply(name.as_bytes(), &mut path).unwrap();
        std::string::String::from_utf8(path.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn names() {
        assert_eq!(name("", 2, "/a/b/c.gcda"), "/a/b/c.gcda");
        assert_eq!(name("/p", 0, "/a/b/c.gcda"), "/p/a/b/c.gcda");
        assert_eq!(name("/p/", 0, "/a/b/c.gcda"), "/p/a/b/c.gcda");
        assert_eq!(name("p", 0, "a/c.gcda"), "p/a/c.gcda");
        assert_eq!(name("p", 1, "/a/b/c.gcda"), "p/b/c.gcda");
        assert_eq!(name("p", 1, "a/c.gcda"), "p/c.gcda");
        assert_eq!(name("p", 9, "/a/b/c.gcda"), "p/c.gcda");
    }
}
