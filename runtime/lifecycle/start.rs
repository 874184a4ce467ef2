//! What happens when the image is loaded: learn the name, tell later images and children that the run has begun, and
//! arrange for the profile to be written at exit.
//!
//! No file is touched here. The official runtime truncates the old profile at this point, so that a killed process
//! loses it; here the file is only looked at, and who writes first replaces it.

use core::ffi::CStr;
use core::sync::atomic::Ordering;

use super::{continuous, filename, fork, signals, values, write};
use crate::error::Error;
use crate::os;
use crate::path::Text;
use crate::publish::Identity;
use crate::report::set_verbose;
use crate::state::files::{self, ENDINGS_KNOWN, EXIT_REGISTERED, Files};

/// Tells children and later images that a run has begun. The official runtime uses the same name and looks only whether
/// it is set; our value also says which file was there then.
const MARKER: &CStr = c"__LLVM_PROFILE_RT_INIT_ONCE";

/// Fields of an identity in the marker's value.
const FIELDS: usize = 5;

/// Learns the name and begins the run, once.
pub fn initialize_file() {
    if os::env(c"LLVM_PROFILE_VERBOSE").is_some() {
        set_verbose();
    }
    let Some(mut files) = files::files() else { return };
    filename::learn(&mut files);
    begin_run(&mut files);
    continuous::begin(&mut files);
}

/// Everything the constructor does.
pub fn initialize() {
    os::learn_threads();
    values::setup();
    initialize_file();
    // Once only: a handler of ours that found itself would never end.
    if !ENDINGS_KNOWN.swap(true, Ordering::Relaxed) {
        fork::setup();
        signals::setup();
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
    signals::leave(written != Err(Error::Busy));
}

fn begin_run(files: &mut Files) {
    if let Some(marker) = os::env(MARKER) {
        files.places.old = parse(marker.to_bytes());
        files.run = run_of(marker.to_bytes());
        return;
    }
    if files.run == 0 {
        files.run = os::now() ^ u64::from(os::process_id()) << 40 | 1;
    }
    // Files that are merged into are never replaced.
    let plain = filename::wished(files).merge_pool == 0;
    let old = (plain && filename::resolve(files).is_ok())
        .then(|| os::file::status(files.name.as_c_str()).ok())
        .flatten()
        .filter(|status| status.regular)
        .map(Identity::from);
    files.places.old = old;
    let mut entry = Text::<160>::new();
    let written = entry.push(MARKER.to_bytes()).and_then(|()| entry.push(b"=")).and_then(|()| {
        for field in old.map_or([0; FIELDS], |old| old.fields) {
            entry.push_number(field, 16)?;
            entry.push(b".")?;
        }
        entry.push_number(files.run, 16)
    });
    if written.is_ok() {
        os::mark_environment(entry.as_bytes());
    }
}

/// The identity in a marker's value; `None` when the run began without a file, or under the official runtime.
fn parse(value: &[u8]) -> Option<Identity> {
    let mut fields = [0u64; FIELDS];
    let mut parts = value.split(|byte| *byte == b'.');
    for field in &mut fields {
        *field = number(parts.next()?)?;
    }
    (fields != [0; FIELDS]).then_some(Identity { fields })
}

/// The run in a marker's value, 0 when it does not say: what stands behind the identity.
fn run_of(value: &[u8]) -> u64 {
    value.split(|byte| *byte == b'.').nth(FIELDS).and_then(number).unwrap_or(0)
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
        assert_eq!(parse(b"1.2.ff.0.10."), Some(Identity { fields: [1, 2, 255, 0, 16] }));
        assert_eq!(parse(b"0.0.0.0.0."), None);
        assert_eq!(parse(MARKER.to_bytes()), None);
        assert_eq!(parse(b""), None);
        assert_eq!(parse(b"1.2.3.4"), None);
        assert_eq!(parse(b"1.2.3.4.11112222333344445."), None);
        assert_eq!(parse(b"1.2.ff.0.10.abc"), Some(Identity { fields: [1, 2, 255, 0, 16] }));
        assert_eq!((run_of(b"0.0.0.0.0.abc"), run_of(b"0.0.0.0.0."), run_of(MARKER.to_bytes())), (0xabc, 0, 0));
    }
}
