//! Calls of programs about the profile's name and directories.

use core::ffi::c_char;

use super::content::LaterWrites;
use super::{start, write};
use crate::error::Result;
use crate::name::{DEFAULT, NameSource};
use crate::output::{self, Output};
use crate::path::{PathBuf, directory};
use crate::report::{Grade, fail, print};
use crate::sync::Mutex;

/// Writes the profile of this image to its file, or merges it into that file, now. Counts go on, and the write at exit follows.
///
/// ```no_run
/// # fn main() {
/// profrt::set_filename(Some(b"service-%p.profraw"));
/// if let Err(error) = profrt::write_file() {
///     eprintln!("no profile: {error}");
/// }
/// # }
/// ```
pub fn write_file() -> Result {
    write::write_file(LaterWrites::Possible)
}

/// Sets the pattern of the file's name, as in `LLVM_PROFILE_FILE`; `None` sets the default, `default.profraw`. Starts continuous mode if the
/// pattern requests it.
///
/// ```no_run
/// profrt::set_filename(Some(b"/var/tmp/service-%m.profraw"));
/// ```
pub fn set_filename(pattern: Option<&[u8]>) {
    let Some(output) = &mut output::lock() else {
        return write::report_busy(b"Failed to set the name of the profile");
    };
    if output.continuous.has_begun() && pattern.unwrap_or(DEFAULT) != output.name.pattern.as_bytes() {
        let path = output.continuous.path.as_bytes();
        return print(Grade::Warning, &[b"The name is not changed, because the counters stay in \"", path, b"\"."]);
    }
    let mut before = PathBuf::new();
    let _ = before.set(output.name.pattern.as_bytes());
    match pattern {
        Some(pattern) => output.name.set(pattern, NameSource::Program),
        None => output.name.use_default(NameSource::Program),
    }
    if output.name.pattern.as_bytes() == before.as_bytes() {
        return start::begin_continuous(output);
    }
    output.contribution.forget();
    output.continuous.forget_slot();
    start::begin_continuous(output);
}

/// Calls `take` with the current name, or with an empty one where there is none. Reports failures.
fn with_name(take: impl FnOnce(&[u8])) {
    let Some(output) = &mut output::lock() else {
        write::report_busy(b"The name of the profile is not known now");
        return take(b"");
    };
    output.name.ensure();
    if output.name.pattern.as_bytes().is_empty() {
        return take(b"");
    }
    let Output { name, path, continuous, .. } = &mut **output;
    if let Err(error) = name.resolve(continuous.slot(), path) {
        fail(b"The name of the profile cannot be made from \"", name.pattern.as_bytes(), error);
        return take(b"");
    }
    take(path.as_bytes());
}

/// Copies the current name to `name`, which stays empty where there is none.
pub fn current_filename(name: &mut PathBuf) {
    with_name(|current| {
        let _ = name.set(current);
    });
}

/// The directory that was returned last. Programs keep the pointer, so the text is not part of `Output`, which each write changes.
static DIRECTORY: Mutex<PathBuf> = Mutex::new(PathBuf::new());

/// Returns the current name's directory with the last `/`. The text belongs to the runtime, and is valid until a later call finds
/// another directory.
pub fn current_directory() -> *const c_char {
    let mut found = c"".as_ptr();
    with_name(|current| {
        // Never busy: the caller holds the lock of `Output`.
        let Some(mut text) = DIRECTORY.try_lock() else { return };
        // An unchanged text is not written: another thread may be reading it.
        if text.as_bytes() != directory(current) {
            let _ = text.set(directory(current));
        }
        found = text.as_c_str().as_ptr();
    });
    found
}
