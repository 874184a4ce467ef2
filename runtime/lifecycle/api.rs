//! What programs ask of the file writer besides writing.

use core::ffi::CStr;
use core::sync::atomic::Ordering;

use super::{continuous_start, filename};
use crate::path::{PathBuf, directory};
use crate::publish;
use crate::report::fail;
use crate::sections::variables;
use crate::state::output::{self, NameSource};
use crate::sync::Mutex;

/// Sets the name's pattern; `None` goes back to the default.
pub fn set_filename(pattern: Option<&[u8]>) {
    let Some(mut output) = output::lock() else { return };
    match pattern {
        Some(pattern) => filename::set(&mut output, pattern, NameSource::Program),
        None => filename::set_default(&mut output),
    }
    continuous_start::begin(&mut output);
}

/// Calls `take` with the current name, or with an empty one where there is none; a failure has been reported.
fn with_name(take: impl FnOnce(&[u8])) {
    let Some(mut output) = output::lock() else { return take(b"") };
    filename::ensure(&mut output);
    if output.pattern.as_bytes().is_empty() {
        return take(b"");
    }
    if let Err(error) = filename::resolve(&mut output) {
        fail(b"The name of the profile cannot be made from \"", output.pattern.as_bytes(), error);
        return take(b"");
    }
    take(output.name.as_bytes());
}

/// Copies the current name to `name`, which is left empty where there is none.
pub fn current_filename(name: &mut PathBuf) {
    with_name(|current| {
        let _ = name.set(current);
    });
}

/// The directory that was handed out last. Callers keep the pointer, so it is not part of `Output`, where it would change with every
/// write.
static DIRECTORY: Mutex<PathBuf> = Mutex::new(PathBuf::new());

/// Returns the current name's directory with the last `/`. The text belongs to the runtime, and stays until a later call finds
/// another directory.
pub fn current_directory() -> &'static CStr {
    let mut found = c"";
    with_name(|current| {
        // Never busy: the file state is locked.
        let Some(mut text) = DIRECTORY.try_lock() else { return };
        // The same text is not written again: another thread may be reading it.
        if text.as_bytes() != directory(current) {
            let _ = text.set(directory(current));
        }
        let text: *const CStr = text.as_c_str();
        #[allow(unsafe_code)]
        {
            // SAFETY: in a static. The caller is told that a later call may change it.
            found = unsafe { &*text };
        }
    });
    found
}

/// Makes the directories on the way to a file.
pub fn make_directories(path: &[u8]) {
    let Some(mut output) = output::lock() else { return };
    let mode = variables::directory_mode().load(Ordering::Relaxed);
    // A failure shows when the file is written.
    let _ = publish::make_directories(path, mode, &mut output.name);
}
