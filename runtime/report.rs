//! Messages to the standard error stream. One system call each, no buffer, no formatting.

use core::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, NUMBERS, WORDS};
use crate::os;
use crate::path::until;
use crate::span::{List, Span};

/// Whether notes are printed: `LLVM_PROFILE_VERBOSE` is in the environment, with any value.
static VERBOSE: AtomicBool = AtomicBool::new(false);

/// Reads the environment.
pub fn learn_verbose() {
    VERBOSE.store(os::env(c"LLVM_PROFILE_VERBOSE").is_some(), Ordering::Relaxed);
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

/// Prints a message as one line: the first part, where each `@` stands for the next part, and the parts that are left.
pub fn print(grade: Grade, parts: &[&[u8]]) {
    let [text, values @ ..] = parts else { return };
    let head: &[u8] = match grade {
        Grade::Error => b"LLVM Profile Error: ",
        Grade::Warning => b"LLVM Profile Warning: ",
        Grade::Note if !VERBOSE.load(Ordering::Relaxed) => return,
        Grade::Note => b"LLVM Profile Note: ",
    };
    let mut list = List::<16>::new();
    let mut text = *text;
    add(&mut list, head);
    for value in values {
        add(&mut list, until(&mut text, b'@'));
        add(&mut list, value);
    }
    add(&mut list, text);
    add(&mut list, b"\n");
    os::file::print_error(list.take());
}

/// Adds a part of a message, if it has bytes.
#[inline(never)]
fn add(list: &mut List<16>, part: &[u8]) {
    if !part.is_empty() {
        list.push(Span::of(part));
    }
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
    let (wanted, mut all) = (error.number(), WORDS.as_bytes());
    for number in NUMBERS {
        let words = until(&mut all, 0);
        if i32::from(*number) == wanted {
            return words;
        }
    }
    b"the system refused it for a reason without a name here"
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(core::str::from_utf8(reason(*self)).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::string::ToString;

    use super::*;

    #[test]
    fn each_has_its_words() {
        for (error, text) in [
            (Error::NO_SPACE, "the buffer is too small"),
            (Error::NOT_CHOSEN, "a set-uid program writes only files that it has named itself"),
            (Error::FOREIGN, "it is damaged, or of another program"),
            (Error::EACCES, "Permission denied"),
            (Error::EXDEV, "Invalid cross-device link"),
        ] {
            assert_eq!(reason(error), text.as_bytes(), "{error:?}");
        }
        let words = WORDS.split_terminator('\0');
        assert_eq!(words.clone().count(), NUMBERS.len());
        for (number, text) in NUMBERS.iter().zip(words) {
            assert_eq!(reason(Error::os((*number).into())), text.as_bytes(), "{number}");
        }
    }

    #[test]
    fn those_of_the_system_are_its_own() {
        for errno in NUMBERS.iter().map(|number| i32::from(*number)).filter(|number| *number > 0) {
            let system = std::io::Error::from_raw_os_error(errno).to_string();
            assert_eq!(system, format!("{} (os error {errno})", Error::os(errno)));
        }
    }

    #[test]
    fn others_have_words_too() {
        let unknown: &[u8] = b"the system refused it for a reason without a name here";
        for errno in [0, 4000, i32::MAX] {
            assert_eq!(reason(Error::os(errno)), unknown);
        }
        let versions: &[u8] = b"the raw versions differ";
        for error in [Error::mismatch(0), Error::mismatch(255), Error::bad_version(0), Error::bad_version(u64::MAX)] {
            assert_eq!(reason(error), versions);
        }
    }
}
