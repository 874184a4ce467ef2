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
//! A child may write under another name than its parent, a shared object under another name than the program, and a relative name is
//! another file in another directory. Of such a file only its time tells: it is from an earlier run if it was changed last before this run
//! began, and [`RUN`] says when that was.
//!
//! [`OFFICIAL`] is set only where it is true for images with the official runtime too: nothing has to be truncated, and the directories
//! are there. The environment is changed through the C library, in the constructor and in calls that name a file, never in a write.

use core::ffi::CStr;
use core::sync::atomic::Ordering;

use super::filename;
use crate::filename::PatternFlags;
use crate::os::{self, Variables, file};
use crate::path::{Text, hex};
use crate::publish;
use crate::publish::hash::{hash_of, mix};
use crate::sections::variables;
use crate::state::output::Output;

/// The official runtime's name: no file has to be truncated, no directory to be made.
const OFFICIAL: &CStr = c"__LLVM_PROFILE_RT_INIT_ONCE";
/// The variable of this runtime: the fields of [`Run`], as hexadecimal numbers with dots between.
const RUN: &CStr = c"PROFRT_RUN";

/// What the environment says about a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    /// [`key`] of the name of the process that has begun it.
    key: u64,
    /// The hash of the identity of the file to be replaced, which has that name; 0: none.
    old: u64,
    /// The number of the run.
    number: u64,
    /// When it began, in nanoseconds of the system's clock.
    began: u64,
}

/// Learns which file is from an earlier run, once, and tells others.
pub fn begin(output: &mut Output, environment: &Variables) {
    if output.old_file_known {
        return;
    }
    output.old_file_known = true;
    output.run = match os::random() {
        0 => os::now() ^ u64::from(os::process_id()) << 40 | 1,
        number => number,
    };
    let PatternFlags { merge_pool, continuous, process, .. } = output.flags;
    if merge_pool > 0 || os::secure() {
        return;
    }
    let named = filename::resolve(output).is_ok();
    if process && !continuous {
        output.publisher.old = if named { publish::identity_of(output.name.as_path(), os::started) } else { 0 };
        output.began = os::now();
        return;
    }
    if let Some(run) = environment.get(RUN).and_then(|value| Run::parse(value.to_bytes())) {
        output.run = run.number;
        output.publisher.old = if run.key == key(output) {
            run.old
        } else if named {
            publish::identity_of(output.name.as_path(), || Some(run.began))
        } else {
            0
        };
        return;
    }
    if environment.get(OFFICIAL).is_some() {
        // Not known: what there is in continuous mode is taken to be of this run.
        if continuous {
            output.run = 0;
        }
        return;
    }
    output.publisher.old = if named { publish::identity_of(output.name.as_path(), || None) } else { 0 };
    if named && output.publisher.old == 0 && !continuous && has_directory(output) {
        tell_official();
    } else {
        tell(output);
    }
}

/// The file of continuous mode has its name, and this run's profile in it. Where a call has named it, others do not know the run yet.
pub fn mapped(output: &Output) {
    if output.flags.merge_pool == 0 && os::env(RUN).is_none() {
        tell(output);
    }
}

/// In a forked child: a file with its own number is from an earlier run, unless it was changed since the first of these processes began:
/// then an earlier child had the number.
pub fn in_child(output: &mut Output) {
    let PatternFlags { merge_pool, continuous, process, .. } = output.flags;
    if process && merge_pool == 0 && !continuous && filename::resolve(output).is_ok() {
        let began = output.began;
        output.publisher.old = publish::identity_of(output.name.as_path(), || (began != 0).then_some(began));
    }
}

/// Makes the directories on the way to the file where they are missing, as the official runtime does at this point. Whether they are there.
fn has_directory(output: &mut Output) -> bool {
    let mode = variables::directory_mode().load(Ordering::Relaxed);
    output.publisher.has_directory(output.name.as_bytes(), mode)
}

/// Tells images with this runtime.
fn tell(output: &Output) {
    let mut value = Text::<80>::new();
    let mut whole = Ok(());
    for (number, end) in [(key(output), &b"."[..]), (output.publisher.old, b"."), (output.run, b"."), (os::now(), b"")]
    {
        whole = whole.and_then(|()| value.push(&hex(number))).and_then(|()| value.push(end));
    }
    if whole.is_ok() {
        os::set_env(RUN, value.as_c_str());
    }
}

/// Returns a hash of the name in force: of the pattern, for with `%p` the name is another one in each process, and of what it is relative
/// to.
fn key(output: &Output) -> u64 {
    let pattern = output.pattern.as_bytes();
    let directory = output.temp_dir.as_bytes();
    let hash = mix(hash_of(pattern), hash_of(directory));
    if pattern.first() == Some(&b'/') || !directory.is_empty() {
        return hash;
    }
    file::status(c".".into()).map_or(hash, |status| mix(mix(hash, status.device), status.inode))
}

/// Tells images with the official runtime, and with this one, with the value that the official runtime gives it, so that programs see the same environment.
fn tell_official() {
    os::set_env(OFFICIAL, OFFICIAL);
}

impl Run {
    /// Reads the value of [`RUN`]; `None` where somebody else has written it.
    fn parse(value: &[u8]) -> Option<Run> {
        let mut fields = value.split(|byte| *byte == b'.').map(number);
        let mut next = || fields.next().flatten();
        let run = Run { key: next()?, old: next()?, number: next()?, began: next()? };
        fields.next().is_none().then_some(run)
    }
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
        assert_eq!(Run::parse(b"ff.10.2.0"), Some(Run { key: 255, old: 16, number: 2, began: 0 }));
        for other in [
            OFFICIAL.to_bytes(),
            b"",
            b"1",
            b"1.2.3",
            b"1.2.3.",
            b".1.2.3",
            b"1.2.3.4.5",
            b"1.2.3.11112222333344445",
            b"1.2.3.-4",
        ] {
            assert_eq!(Run::parse(other), None);
        }
    }
}
