//! What happens when the image is loaded: learn the name, tell later images and children that the run has begun, and
//! arrange for the profile to be written at exit.
//!
//! No file is touched here. The official runtime truncates the old profile at this point, so that a killed process
//! loses it; here the file is only looked at, and who writes first replaces it.

use core::ffi::{CStr, c_char, c_int};
use core::sync::atomic::Ordering;

use super::{continuous, filename, fork, signals, values, write};
use crate::error::Error;
use crate::os::{self, Variables};
use crate::path::hex;
use crate::publish;
use crate::report::set_verbose;
use crate::state::files::{self, ENDINGS_KNOWN, EXIT_REGISTERED, Files};

/// Tells children and later images that a run has begun. The official runtime uses the same name and looks only whether
/// it is set; our value also says which file was there then.
const MARKER: &CStr = c"__LLVM_PROFILE_RT_INIT_ONCE";

/// Learns the name and begins the run, once.
pub fn initialize_file(variables: &Variables) {
    if variables.get(c"LLVM_PROFILE_VERBOSE").is_some() {
        set_verbose();
    }
    let Some(mut files) = files::files() else { return };
    filename::learn(&mut files, variables.get(filename::VARIABLE));
    begin_run(&mut files, variables.get(MARKER));
    continuous::begin(&mut files);
}

/// Everything the constructor does, which is given the program's arguments and its environment, or nothing that has a meaning.
pub fn construct(count: c_int, arguments: *const *const c_char, environment: *const *const c_char) {
    os::learn_threads();
    os::learn_auxv(count, arguments, environment);
    begin();
}

/// The same for a program that calls it.
pub fn initialize() {
    os::learn_threads();
    begin();
}

fn begin() {
    let mut variables = Variables::none();
    let variables = variables.find();
    values::setup(variables);
    initialize_file(variables);
    // Once only: a handler of ours that found itself would never end.
    if !ENDINGS_KNOWN.swap(true, Ordering::Relaxed) {
        fork::setup(variables);
        signals::setup(variables);
    }
    register_exit();
}

/// Has the profile written at exit. Whether that is arranged; twice is once.
pub fn register_exit() -> bool {
    if EXIT_REGISTERED.swap(true, Ordering::Relaxed) {
        return true;
    }
    let done = os::at_exit(at_exit);
    EXIT_REGISTERED.store(done, Ordering::Relaxed);
    done
}

extern "C" fn at_exit() {
    // Where signals write too, one may come to another thread right behind this and has to find our part.
    // Whatever went wrong has been said; the program's exit code is its own.
    let written = write::write_file(os::watching());
    signals::leave(written != Err(Error::BUSY));
}

fn begin_run(files: &mut Files, marker: Option<&CStr>) {
    if let Some(marker) = marker {
        (files.places.old, files.run) = parse(marker.to_bytes()).unwrap_or_default();
        return;
    }
    if files.run == 0 {
        files.run = match os::random() {
            0 => os::now() ^ u64::from(os::process_id()) << 40 | 1,
            number => number,
        };
    }
    // Files that are merged into are never replaced.
    let old = if files.wishes.merge_pool == 0 && filename::resolve(files).is_ok() {
        publish::identity_of(files.name.as_path())
    } else {
        0
    };
    files.places.old = old;
    let mut entry = [b'.'; 28 + 16 + 1 + 16];
    if let Some((name, value)) = entry.split_first_chunk_mut() {
        *name = *b"__LLVM_PROFILE_RT_INIT_ONCE=";
        if let Some((before, behind)) = value.split_first_chunk_mut()
            && let Some(run) = behind.last_chunk_mut()
        {
            (*before, *run) = (hex(old), hex(files.run));
        }
    }
    os::mark_environment(&entry);
}

/// What a marker's value says: the hash of the identity of the file that is to be replaced, and the run. `None` where it does
/// not, as under the official runtime.
fn parse(value: &[u8]) -> Option<(u64, u64)> {
    let dot = value.iter().position(|byte| *byte == b'.')?;
    Some((number(value.get(..dot)?)?, number(value.get(dot.wrapping_add(1)..)?)?))
}

/// A hexadecimal number.
fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 16 {
        return None;
    }
    text.iter().try_fold(0u64, |sum, byte| Some(sum << 4 | u64::from((*byte as char).to_digit(16)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers() {
        assert_eq!(parse(b"ff.10"), Some((255, 16)));
        assert_eq!(parse(b"0.abc"), Some((0, 0xabc)));
        for other in [MARKER.to_bytes(), b"", b"1", b"1.", b".1", b"1.2.3", b"1.11112222333344445", b"1.-2"] {
            assert_eq!(parse(other), None);
        }
    }
}
