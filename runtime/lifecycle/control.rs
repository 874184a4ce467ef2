//! What programs ask of the file writer besides writing.

use core::ffi::CStr;
use core::sync::atomic::Ordering;

use super::{continuous, filename};
use crate::path::{PathBuf, directory};
use crate::publish;
use crate::report::fail;
use crate::sections::variables;
use crate::state::files::{self, NameSource};
use crate::sync::Mutex;

/// Sets the name's pattern; `None` goes back to the default.
pub fn set_filename(pattern: Option<&[u8]>) {
    let Some(mut files) = files::files() else { return };
    match pattern {
        Some(pattern) => filename::set(&mut files, pattern, NameSource::Program),
        None => filename::set_default(&mut files),
    }
    continuous::begin(&mut files);
}

/// Names that were handed out. A caller keeps the pointer, so they are not part of `Files`, where they would change with
/// every write.
static HANDED_OUT: Mutex<[PathBuf; 2]> = Mutex::new([PathBuf::new(), PathBuf::new()]);

/// Copies what `part` takes of the current name to the slot, and gives its address.
fn hand_out(slot: usize, part: fn(&[u8]) -> &[u8]) -> &'static CStr {
    let Some(mut files) = files::files() else { return c"" };
    filename::ensure(&mut files);
    let resolved = if files.pattern.as_bytes().is_empty() { Ok(()) } else { filename::resolve(&mut files) };
    let name = if files.pattern.as_bytes().is_empty() { b"" } else { files.name.as_bytes() };
    if let Err(error) = resolved {
        fail(b"The name of the profile cannot be made from \"", files.pattern.as_bytes(), error);
        return c"";
    }
    let Some(mut handed_out) = HANDED_OUT.try_lock() else { return c"" };
    let Some(text) = handed_out.get_mut(slot) else { return c"" };
    let _ = text.set(part(name));
    let text: *const CStr = text.as_c_str();
    // SAFETY: in a static. The caller is told that the next call changes it.
    #[allow(unsafe_code)]
    unsafe {
        &*text
    }
}

/// The name as of now, until the next call.
pub fn current_filename() -> &'static CStr {
    hand_out(0, |name| name)
}

/// The name's directory with the last `/`, until the next call.
pub fn current_directory() -> &'static CStr {
    hand_out(1, directory)
}

/// Makes the directories on the way to a file.
pub fn make_directories(path: &[u8]) {
    let Some(mut files) = files::files() else { return };
    let mode = variables::directory_mode().load(Ordering::Relaxed);
    // A failure shows when the file is written.
    let _ = publish::make_directories(path, mode, &mut files.name);
}
