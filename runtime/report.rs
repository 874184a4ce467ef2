//! Messages to the standard error stream. One system call each, no buffer, no formatting.

mod reasons;

use core::sync::atomic::{AtomicBool, Ordering};

use crate::error::Error;
use crate::os;
use crate::span::{List, Span};

/// Whether notes are printed: `LLVM_PROFILE_VERBOSE` is in the environment, with any value.
static VERBOSE: AtomicBool = AtomicBool::new(false);

/// Turns notes on.
pub fn set_verbose() {
    VERBOSE.store(true, Ordering::Relaxed);
}

/// The severity of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grade {
    /// Something the user wanted did not happen.
    Error,
    /// Something happened in another way than the user wanted.
    Warning,
    /// Printed only with `LLVM_PROFILE_VERBOSE`.
    Note,
}

/// Prints a message of several parts as one line.
pub fn print(grade: Grade, parts: &[&[u8]]) {
    let head: &[u8] = match grade {
        Grade::Error => b"LLVM Profile Error: ",
        Grade::Warning => b"LLVM Profile Warning: ",
        Grade::Note if !VERBOSE.load(Ordering::Relaxed) => return,
        Grade::Note => b"LLVM Profile Note: ",
    };
    let mut list = List::<16>::new();
    list.push(Span::of(head));
    for part in parts {
        list.push(Span::of(part));
    }
    list.push(Span::of(b"\n"));
    os::file::print_error(list.take());
}

/// Prints a message of one part as one line.
pub fn say(grade: Grade, text: &[u8]) {
    print(grade, &[text]);
}

/// Prints an error: a text that ends with the quote before a name, the name, and the reason.
pub fn fail(what: &[u8], name: &[u8], error: Error) {
    print(Grade::Error, &[what, name, b"\": ", reason(error)]);
}

/// Returns the reason of an error in words. An `errno` that no call of ours returns has a general word.
pub fn reason(error: Error) -> &'static [u8] {
    if error.is_of_version() {
        return b"the raw versions differ";
    }
    let mut rest: &[u8] = &reasons::PACKED;
    while let [low, high, len, behind @ ..] = rest {
        let Some((text, next)) = behind.split_at_checked(usize::from(*len)) else { break };
        if Some(i16::from_le_bytes([*low, *high])) == error.short() {
            return text;
        }
        rest = next;
    }
    b"the system refused it for a reason without a name here"
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(core::str::from_utf8(reason(*self)).unwrap_or_default())
    }
}
