//! Decides which file is from an earlier run, and passes the decision to later images of the process and its children.
//!
//! The official runtime truncates the file at the start of the first process of a run, and informs the others by an environment variable.
//! This runtime records the fingerprint of the existing file at the start, and the image that writes first replaces that file: at exit or when
//! the program asks, only with `%c` at the start. The information that other images need depends on the name:
//!
//! | name | others need to know |
//! | --- | --- |
//! | with `%m` | nothing: files that are merged into are never replaced |
//! | without `%p`, the same as theirs | which file was there |
//! | with `%p`, or another one than theirs | when the run began: an earlier process of the run may have had our number |
//! | with `%c`, but not `%m` | the number of the run, which the file has too |
//!
//! The process that begins a run tells all of this in [`RUN`], whatever its own name is: a child may write under another name than its
//! parent, a shared object under another name than the program, and a relative name is another file in another directory. Of such a file
//! only its time tells: it is from an earlier run if it was changed last before this run began, with some slack ([`Since`]). A set-uid
//! process tells nothing at its start, since it writes nothing unasked.
//!
//! [`OFFICIAL`] is set besides where it is true for images with the official runtime too: nothing has to be truncated, and the directories
//! exist. The environment is changed through the C library, in the constructor and in calls that choose a file or stream, never in a write.

use core::ffi::CStr;
use core::sync::atomic::Ordering;

use super::filename;
use crate::filename::PatternFlags;
use crate::os::{self, Variables, file};
use crate::path::{Text, hex};
use crate::publish::hash::{hash_of, mix};
use crate::publish::{self, Since};
use crate::sections::variables;
use crate::state::output::Output;

/// The variable of the official runtime: no file has to be truncated, and no directory to be created.
const OFFICIAL: &CStr = c"__LLVM_PROFILE_RT_INIT_ONCE";
/// The variable of this runtime: the fields of [`Run`], as hexadecimal numbers with dots between.
const RUN: &CStr = c"PROFRT_RUN";

/// The value of [`RUN`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    /// The [`key`] of the name in the process that has begun the run.
    key: u64,
    /// The fingerprint of the file with that name, which is to be replaced; 0: none.
    earlier_fingerprint: u64,
    /// The number of the run.
    number: u64,
    /// When the run began, in nanoseconds of the system's clock.
    began: u64,
}

/// Decides once which file is from an earlier run, and informs other images.
pub fn begin(output: &mut Output, environment: &Variables) {
    if output.run_known {
        return;
    }
    output.run_known = true;
    output.run = match os::random() {
        0 => os::now() ^ u64::from(os::process_id()) << 40 | 1,
        number => number,
    };
    if os::secure() {
        return;
    }
    let beginning = Beginning::from_environment(environment);
    output.began = match beginning {
        Beginning::Told(run) => {
            output.run = run.number;
            run.began
        }
        Beginning::Official if output.flags.continuous => {
            // Not known: what there is in continuous mode is taken to be of this run.
            output.run = 0;
            os::now()
        }
        _ => os::now(),
    };
    // With `%m` the name would need a hash of all records, and nobody asks for it.
    let resolved = output.flags.merge_pool == 0 && filename::resolve(output).is_ok();
    output.publisher.earlier_fingerprint = if resolved { earlier_fingerprint(output, beginning) } else { 0 };
    if matches!(beginning, Beginning::Here) {
        if resolved && prepare_for_official(output) {
            // With the official runtime's value, so that programs see the same environment.
            os::set_env(OFFICIAL, OFFICIAL);
        }
        tell(output);
    }
}

/// Which process has begun the run.
#[derive(Clone, Copy)]
enum Beginning {
    /// This process.
    Here,
    /// A process with this runtime, which tells this.
    Told(Run),
    /// A process with the official runtime, which has truncated the file.
    Official,
}

impl Beginning {
    /// Reads the beginning from the environment.
    fn from_environment(environment: &Variables) -> Beginning {
        match environment.get(RUN).and_then(|value| Run::parse(value.to_bytes())) {
            Some(run) => Beginning::Told(run),
            None if environment.get(OFFICIAL).is_some() => Beginning::Official,
            None => Beginning::Here,
        }
    }
}

/// Returns the fingerprint of the file `output.name` if it is from an earlier run; 0: it is not.
///
/// | run begun by | name | fingerprint |
/// | --- | --- | --- |
/// | the official runtime, which has truncated the file | any | 0 |
/// | this process | without `%p`, or with `%c` | of the file now: nobody of this run can have written it |
/// | | with `%p` | of the file now; 0 if changed since this process started: by an earlier image of it |
/// | a process with this runtime | the same as there, without `%p` | the one that it tells |
/// | | another spelling of that name: the file now has the fingerprint that it tells | the one that it tells |
/// | | another one, or with `%p` | of the file now; 0 if changed since the run began |
fn earlier_fingerprint(output: &Output, beginning: Beginning) -> u64 {
    let PatternFlags { continuous, has_pid, .. } = output.flags;
    let of_file_older_than = |since: &dyn Fn() -> Since| publish::fingerprint_of(output.name.as_path(), since);
    let of_file_now = || of_file_older_than(&|| Since::Unknown);
    match beginning {
        Beginning::Official => 0,
        Beginning::Here if has_pid && !continuous => {
            of_file_older_than(&|| os::started().map_or(Since::Unknown, Since::Own))
        }
        Beginning::Here => of_file_now(),
        Beginning::Told(run) if !has_pid && run.key == key(output) => run.earlier_fingerprint,
        Beginning::Told(run) if of_file_now() == run.earlier_fingerprint => run.earlier_fingerprint,
        Beginning::Told(run) => of_file_older_than(&|| since_beginning(run.began)),
    }
}

/// Creates missing directories of the file `output.name`, and returns whether [`OFFICIAL`] is true of the file then: nothing has to be
/// truncated, and the directories exist.
fn prepare_for_official(output: &mut Output) -> bool {
    let PatternFlags { continuous, has_pid, .. } = output.flags;
    let mode = variables::directory_mode().load(Ordering::Relaxed);
    !has_pid
        && !continuous
        && output.publisher.earlier_fingerprint == 0
        && output.publisher.ensure_directory(output.name.as_bytes(), mode)
}

/// Returns the time from which on a changed file is of the run that began at `began`.
fn since_beginning(began: u64) -> Since {
    if began == 0 { Since::Unknown } else { Since::Others(began) }
}

/// Informs other images of the run, once the continuous file has its name, where the environment tells nothing of it: the constructor has not
/// run, or the program is set-uid or has cleared its environment since.
pub fn tell_once_mapped(output: &Output) {
    if output.flags.merge_pool == 0 && os::env(RUN).is_none() && os::env(OFFICIAL).is_none() {
        tell(output);
    }
}

/// Decides in a forked child whether a file with its process id is from an earlier run, and not from an earlier child of this run that had
/// the same process id.
pub fn in_child(output: &mut Output) {
    let PatternFlags { merge_pool, continuous, has_pid, .. } = output.flags;
    if has_pid && merge_pool == 0 && !continuous && filename::resolve(output).is_ok() {
        let began = output.began;
        output.publisher.earlier_fingerprint =
            publish::fingerprint_of(output.name.as_path(), || since_beginning(began));
    }
}

/// Informs images with this runtime, by [`RUN`].
fn tell(output: &Output) {
    let mut value = Text::<80>::new();
    for number in [key(output), output.publisher.earlier_fingerprint, output.run, output.began] {
        // The text has space for all of them.
        let _ = value.push(&hex(number)).and_then(|()| value.push(b"."));
    }
    value.truncate(4 * 17 - 1);
    os::set_env(RUN, value.as_c_str());
}

/// Returns a hash of the name in force, and of the directory to which it is relative. With `%p` and `%m` nobody compares it: the hash of the
/// pattern takes its place.
fn key(output: &Output) -> u64 {
    let PatternFlags { has_pid, merge_pool, .. } = output.flags;
    let name = if has_pid || merge_pool > 0 { output.pattern.as_bytes() } else { output.name.as_bytes() };
    let hash = hash_of(name);
    if name.first() == Some(&b'/') {
        return hash;
    }
    file::status(c".".into()).map_or(hash, |status| mix(mix(hash, status.device), status.inode))
}

impl Run {
    /// Parses the value of [`RUN`]; `None` where it is not from this runtime.
    fn parse(value: &[u8]) -> Option<Run> {
        let mut fields = value.split(|byte| *byte == b'.').map(number);
        let mut next = || fields.next().flatten();
        let run = Run { key: next()?, earlier_fingerprint: next()?, number: next()?, began: next()? };
        fields.next().is_none().then_some(run)
    }
}

/// Parses a hexadecimal number.
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
        assert_eq!(Run::parse(b"ff.10.2.0"), Some(Run { key: 255, earlier_fingerprint: 16, number: 2, began: 0 }));
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
