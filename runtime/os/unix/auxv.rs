//! The auxiliary vector, which the kernel passes to a process at its start.
//!
//! The vector follows the environment, which follows the arguments. Finding it there is cheaper than a lookup of `getauxval` by the loader
//! at the start of every program.

#![allow(unsafe_code)]

use core::ffi::{c_char, c_int, c_ulong};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::threads::says_threads;
use super::{file, kernel};

/// A kind (`AT_…`) and its value; the last entry has the kind `AT_NULL`.
type AuxvEntry = [usize; 2];

/// The values of the first kinds. Invariant: those of the kernel, if [`KNOWN`].
static VALUES: [AtomicUsize; 32] = [const { AtomicUsize::new(0) }; 32];
static KNOWN: AtomicBool = AtomicBool::new(false);
/// Whether the kernel was asked for the vector, since none was found after the environment.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Upper bound of kinds, and lower bound of addresses.
const KINDS: usize = 4096;

/// Reads the vector after the arguments of a constructor. Not every C library passes arguments to constructors: those that do are recognized
/// by `__libc_single_threaded`, or by an environment that follows the arguments.
pub fn learn_auxv(count: c_int, arguments: *const *const c_char, environment: *const *const c_char) {
    let mut next = arguments.wrapping_offset((count as isize).wrapping_add(1));
    if arguments.is_null() || !says_threads() && next != environment {
        return;
    }
    // SAFETY: the arguments are a constructor's: the C library is one that gives them, or they fit the environment, and what
    // registers hold by chance are not two addresses and the distance between them. So behind them are the environment as it was,
    // which ends with null, and the vector. Where a program has put a null into its environment before it loads us, addresses
    // follow, or another null; both end the search.
    unsafe {
        while !(*next).is_null() {
            next = next.wrapping_add(1);
        }
        learn(next.wrapping_add(1).cast());
    }
}

/// Stores the values of a vector.
///
/// # Safety
/// As for [`read`].
unsafe fn learn(pairs: *const AuxvEntry) {
    // SAFETY: this function's contract.
    let known = unsafe { read(pairs, &VALUES) };
    KNOWN.store(known, Ordering::Relaxed);
}

/// Stores the values of a vector in `values`. Returns whether it is a vector: its kinds are small numbers, and it has more than an end.
///
/// # Safety
/// `pairs` must point to entries up to one whose kind is `AT_NULL` or at least [`KINDS`].
#[inline(never)]
unsafe fn read(pairs: *const AuxvEntry, values: &[AtomicUsize]) -> bool {
    let mut next = pairs;
    loop {
        // SAFETY: this function's contract.
        match unsafe { *next } {
            [kind, _] if kind == libc::AT_NULL as usize => return next != pairs,
            [kind, _] if kind >= KINDS => return false,
            [kind, value] => {
                if let Some(known) = values.get(kind) {
                    known.store(value, Ordering::Relaxed);
                }
            }
        }
        next = next.wrapping_add(1);
    }
}

/// Returns the value of a kind below 32, or `None` where the vector is not known.
pub fn auxv(kind: c_ulong) -> Option<usize> {
    if !KNOWN.load(Ordering::Relaxed) && !ASKED.swap(true, Ordering::Relaxed) {
        // The last entry stays zero: the end of the vector.
        let mut pairs: [AuxvEntry; 64] = [[0; 2]; 64];
        let len = size_of_val(&pairs) - size_of::<AuxvEntry>();
        // SAFETY: so many bytes of numbers, of which nobody else has any.
        let bytes = unsafe { core::slice::from_raw_parts_mut(pairs.as_mut_ptr().cast(), len) };
        // A process with more rights than its caller may not be allowed to read the file.
        if file::open_for_reading(c"/proc/self/auxv".into()).and_then(|file| file.read_at(bytes, 0)).is_err() {
            // A jail has no such file, nor has the first process of a system. From Linux 6.4 on the kernel says it without; what
            // failed leaves no pairs.
            // SAFETY: the array, which stays ended.
            unsafe { kernel::prctl(kernel::PR_GET_AUXV, bytes.as_mut_ptr().expose_provenance(), len, 0, 0) };
        }
        // SAFETY: the array ends with a pair of zeros.
        unsafe { learn(pairs.as_ptr()) };
    }
    let value = VALUES.get(kind as usize)?.load(Ordering::Relaxed);
    KNOWN.load(Ordering::Relaxed).then_some(value)
}

/// Returns whether the process has more rights than its caller, so that the caller's environment, working directory and descriptors are not
/// trusted.
pub fn secure() -> bool {
    match auxv(libc::AT_SECURE) {
        Some(value) => value != 0,
        // SAFETY: no preconditions.
        None => unsafe { kernel::getuid() != kernel::geteuid() || kernel::getgid() != kernel::getegid() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(pairs: &[AuxvEntry]) -> Option<[usize; 32]> {
        let values = [const { AtomicUsize::new(0) }; 32];
        // SAFETY: the tests' pairs are such.
        unsafe { read(pairs.as_ptr(), &values) }.then(|| values.each_ref().map(|value| value.load(Ordering::Relaxed)))
    }

    #[test]
    fn vectors() {
        let values = read_all(&[[6, 4096], [51, 3632], [23, 1], [25, 0x7fff_1234], [0, 0]]).unwrap();
        assert_eq!((values[6], values[23], values[25], values[3]), (4096, 1, 0x7fff_1234, 0));
    }

    #[test]
    fn what_a_program_has_left_in_the_environment() {
        // Two nulls where a variable was taken out; and variables behind a null, in both rhythms.
        assert_eq!(read_all(&[[0, 6]]), None);
        assert_eq!(read_all(&[[0x7fff_0000, 0x7fff_0010], [0, 6], [4096, 23]]), None);
        assert_eq!(read_all(&[[0x7fff_0000, 0], [6, 4096], [0, 0]]), None);
    }

    #[test]
    fn the_system_says_the_same() {
        assert_eq!(auxv(libc::AT_SECURE), Some(0));
        // SAFETY: no preconditions.
        let expected = unsafe { [libc::AT_PAGESZ, libc::AT_PHDR, libc::AT_RANDOM].map(|kind| libc::getauxval(kind)) };
        let found = [libc::AT_PAGESZ, libc::AT_PHDR, libc::AT_RANDOM].map(|kind| auxv(kind).unwrap() as c_ulong);
        assert_eq!(found, expected);
    }
}
