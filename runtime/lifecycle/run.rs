//! Which file is from an earlier run, and how later images of the process and its children learn that.
//!
//! The official runtime truncates the file at the start of the first process of a run, and tells the others by a variable in the
//! environment, of which only the presence counts. Here no file is touched before a profile is written, so what stands there at the start
//! is noted, and replaced by the image that writes first. What others need for that depends on the name:
//!
//! | name | they need | variable |
//! | --- | --- | --- |
//! | with `%m` | nothing: files that are merged into are never replaced | none |
//! | with `%p` | nothing: a file with our number is ours if it was changed since this process began | none |
//! | others, and there is nothing to replace | that there was nothing | [`OFFICIAL`] |
//! | others, and there is | which file was there | [`RUN`] |
//! | with `%c`, but not `%m` | the number of the run, which the file has too | [`RUN`] (the official runtime truncates in any case) |
//!
//! [`OFFICIAL`] is set only where it is true for images with the official runtime too: nothing has to be truncated, and the directories
//! are there. The environment is changed through the C library, in the constructor and in calls that name a file, never in a write.

use core::ffi::CStr;
use core::sync::atomic::Ordering;

use super::filename;
use crate::filename::Wishes;
use crate::os::{self, Variables};
use crate::path::{Text, hex};
use crate::publish;
use crate::sections::variables;
use crate::state::files::Files;

/// The official runtime's name: no file has to be truncated, no directory to be made.
const OFFICIAL: &CStr = c"__LLVM_PROFILE_RT_INIT_ONCE";
/// Our name: the hash of the identity of the file to be replaced (0: none), a dot, and the number of the run.
const RUN: &CStr = c"PROFRT_RUN";

/// Learns which file is from an earlier run, once, and tells others.
pub fn begin(files: &mut Files, environment: &Variables) {
    if files.begun {
        return;
    }
    files.begun = true;
    files.run = match os::random() {
        0 => os::now() ^ u64::from(os::process_id()) << 40 | 1,
        number => number,
    };
    let Wishes { merge_pool, continuous, process, .. } = files.wishes;
    if merge_pool > 0 || os::secure() {
        return;
    }
    let named = filename::resolve(files).is_ok();
    if process && !continuous {
        files.places.old = if named { publish::identity_of(files.name.as_path(), os::started) } else { 0 };
        return;
    }
    if let Some(run) = environment.get(RUN).and_then(|value| parse(value.to_bytes())) {
        (files.places.old, files.run) = run;
        return;
    }
    if environment.get(OFFICIAL).is_some() {
        // Not known: what there is in continuous mode is taken to be of this run.
        if continuous {
            files.run = 0;
        }
        return;
    }
    files.places.old = if named { publish::identity_of(files.name.as_path(), || None) } else { 0 };
    if named && files.places.old == 0 && !continuous && has_directory(files) {
        tell_official();
    } else {
        tell(files);
    }
}

/// The file of continuous mode has its name, and this run's profile in it. Where a call has named it, others do not know the run yet.
pub fn mapped(files: &Files) {
    if files.wishes.merge_pool == 0 && os::env(RUN).is_none() {
        tell(files);
    }
}

/// In a forked child: a file with its own number is from an earlier process.
pub fn in_child(files: &mut Files) {
    let Wishes { merge_pool, continuous, process, .. } = files.wishes;
    if process && merge_pool == 0 && !continuous && filename::resolve(files).is_ok() {
        files.places.old = publish::identity_of(files.name.as_path(), || None);
    }
}

/// Makes the directories on the way to the file where they are missing, as the official runtime does at this point. Whether they are there.
fn has_directory(files: &mut Files) -> bool {
    let mode = variables::directory_mode().load(Ordering::Relaxed);
    files.places.has_directory(files.name.as_bytes(), mode)
}

/// Tells images with this runtime.
fn tell(files: &Files) {
    let mut value = Text::<40>::new();
    let whole =
        value.push(&hex(files.places.old)).and_then(|()| value.push(b".")).and_then(|()| value.push(&hex(files.run)));
    if whole.is_ok() {
        os::set_env(RUN, value.as_c_str());
    }
}

/// Tells images with the official runtime, and with this one, with the value that the official runtime gives it, so that programs see the same environment.
fn tell_official() {
    os::set_env(OFFICIAL, OFFICIAL);
}

/// What the value of [`RUN`] says: the hash of the identity of the file that is to be replaced, and the run.
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
        for other in [OFFICIAL.to_bytes(), b"", b"1", b"1.", b".1", b"1.2.3", b"1.11112222333344445", b"1.-2"] {
            assert_eq!(parse(other), None);
        }
    }
}
