//! Messages to the standard error stream. One system call each, no buffer, no formatting.

mod reasons;

use core::sync::atomic::{AtomicBool, Ordering};

use crate::error::Error;
use crate::os;
use crate::span::{List, Span};

/// Whether notes are printed: `LLVM_PROFILE_VERBOSE` is in the environment, with whatever value.
static VERBOSE: AtomicBool = AtomicBool::new(false);

/// Turns notes on.
pub fn set_verbose() {
    VERBOSE.store(true, Ordering::Relaxed);
}

/// How grave it is: the word that stands in the message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grade {
    /// Something the user wanted did not happen.
    Error,
    /// It happened in another way than asked for.
    Warning,
    /// For those who asked for notes.
    Note,
}

/// Prints one message made of `parts`, as one line.
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

/// The same for a message of one part.
pub fn say(grade: Grade, text: &[u8]) {
    print(grade, &[text]);
}

/// Says what has failed, in words that end with the quote before a name, with what name, and why.
pub fn fail(what: &[u8], name: &[u8], error: Error) {
    print(Grade::Error, &[what, name, b"\": ", reason(error)]);
}

/// The reason in an error, in words. Every `errno` that our calls can give is here; others are named by a word only.
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
