//! Messages to the standard error stream. One system call each, no buffer, no formatting.

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

/// The reason in an error, in words. Every `errno` that our calls can give is here; others are named by a word only.
pub fn reason(error: Error) -> &'static [u8] {
    let text: &str = match error {
        Error::Os(libc::EACCES) => "Permission denied",
        Error::Os(libc::EAGAIN) => "Resource temporarily unavailable",
        Error::Os(libc::EBADF) => "Bad file descriptor",
        Error::Os(libc::EBUSY) => "Device or resource busy",
        Error::Os(libc::EDQUOT) => "Disk quota exceeded",
        Error::Os(libc::EEXIST) => "File exists",
        Error::Os(libc::EFBIG) => "File too large",
        Error::Os(libc::EINVAL) => "Invalid argument",
        Error::Os(libc::EIO) => "Input/output error",
        Error::Os(libc::EISDIR) => "Is a directory",
        Error::Os(libc::ELOOP) => "Too many levels of symbolic links",
        Error::Os(libc::EMFILE) => "Too many open files",
        Error::Os(libc::EMLINK) => "Too many links",
        Error::Os(libc::ENAMETOOLONG) | Error::NameTooLong => "File name too long",
        Error::Os(libc::ENFILE) => "Too many open files in system",
        Error::Os(libc::ENODEV) => "No such device",
        Error::Os(libc::ENOENT) => "No such file or directory",
        Error::Os(libc::ENOLCK) => "No locks available",
        Error::Os(libc::ENOMEM) => "Cannot allocate memory",
        Error::Os(libc::ENOSPC) => "No space left on device",
        Error::Os(libc::ENOSYS) => "Function not implemented",
        Error::Os(libc::EOPNOTSUPP) => "Operation not supported",
        Error::Os(libc::EOVERFLOW) => "Value too large for defined data type",
        Error::Os(libc::ENOTDIR) => "Not a directory",
        Error::Os(libc::ENXIO) => "No such device or address",
        Error::Os(libc::EPERM) => "Operation not permitted",
        Error::Os(libc::EPIPE) => "Broken pipe",
        Error::Os(libc::EROFS) => "Read-only file system",
        Error::Os(libc::ESPIPE) => "Illegal seek",
        Error::Os(libc::ESTALE) => "Stale file handle",
        Error::Os(libc::ETXTBSY) => "Text file busy",
        Error::Os(libc::EXDEV) => "Invalid cross-device link",
        Error::Os(_) => "the system refused it for a reason without a name here",
        Error::Overflow => "the sections of the program do not fit together",
        Error::NoSpace => "the buffer is too small",
        Error::Busy => "another dump is under way",
        Error::Truncated => "it ends too early",
        Error::BadMagic => "it is no raw profile",
        Error::BadVersion(_) | Error::Mismatch(_) => "the raw versions differ",
        Error::RecordsNotLoaded => "records and names are not in memory",
        Error::Foreign => "it is the profile of another program",
        Error::Corrupt => "its parts contradict each other",
        Error::Sink => "the receiver refused the bytes",
    };
    text.as_bytes()
}
