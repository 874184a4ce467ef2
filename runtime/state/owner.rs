//! The owner of the lock of the file state: a thread and its process in one word, so that both change at once.
//!
//! ```text
//! bit   63                          62 ... 22               21 ... 0
//!       number of forks is odd      thread token / 64       process id
//!       \_ process _/               \_ thread _/            \_ process _/
//! ```
//!
//! The process is 0 where it had one thread when it took the lock. Examples, as (thread, process):
//!
//! - A process with one thread dumps, and a signal handler forks. The owner is (t1, 0), and so is the child: the same thread, which gets no
//!   lock inside of its dump.
//! - Thread 1 of process 7 forks while thread 2 dumps. The owner is (t2, 7), the child (t1, 0) or (t1, 8): it takes the lock over.
//! - A process with one thread dumps, and a signal handler starts thread 2, which dumps, too: (t1, 0) and (t2, 7). Thread 2 waits.

use crate::os;

/// A thread of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Owner(u64);

/// The bits of the process.
const PROCESS: u64 = PROCESS_ID | ODD_FORKS;
const PROCESS_ID: u64 = (1 << 22) - 1;
const ODD_FORKS: u64 = 1 << 63;

impl Owner {
    /// No thread.
    pub const NOBODY: Owner = Owner(0);

    /// Returns this thread of this process. A process with one thread needs no process id: only its own thread holds the lock or, in a
    /// forked child, a thread of the parent.
    pub fn current() -> Owner {
        // Tokens of two threads are further apart than 64 bytes. Address bits from 47 on (AArch64, s390x) are left out: a process does not keep
        // two threads at exactly that distance.
        let thread = (os::thread_token() as u64 >> 6) << 22 & !PROCESS;
        if os::single_threaded() {
            return Owner(thread);
        }
        let key = u64::from(os::process_key());
        // The lowest bit of the number of forks, next to the id, moves to the highest bit.
        Owner(thread | key & PROCESS_ID | key << 41 & ODD_FORKS)
    }

    /// Returns the owner that is stored in a word.
    pub const fn from_word(word: u64) -> Owner {
        Owner(word)
    }

    /// Returns the word to store.
    pub const fn word(self) -> u64 {
        self.0
    }

    /// Returns whether both are the same thread, of the same process or of a process and its forked child.
    pub fn is_same_thread(self, other: Owner) -> bool {
        self != Owner::NOBODY && (self.0 ^ other.0) & !PROCESS == 0
    }

    /// Returns whether this owner is in another process than `current`, and that process has ended: a `vfork` child that was killed. (One that
    /// nobody has waited for has not ended yet.)
    pub fn has_ended(self, current: Owner) -> bool {
        let process = self.0 & PROCESS_ID;
        process != 0 && process != current.0 & PROCESS_ID && os::is_process_gone(process as u32)
    }

    /// Returns whether this owner is a thread that cannot be in the process of `current`, the calling thread: a thread of the parent, which
    /// had the lock when it forked the process.
    ///
    /// | the owner's process | `current`'s process | of the parent |
    /// | --- | --- | --- |
    /// | any | 0: has one thread | if it is another thread |
    /// | 0: had one thread | known | no: that process may be this one, which has started threads since |
    /// | known | known | if the processes differ |
    pub fn is_of_parent(self, current: Owner) -> bool {
        match (self.0 & PROCESS, current.0 & PROCESS) {
            (_, 0) => !self.is_same_thread(current),
            (0, _) => false,
            (then, now) => then != now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(thread: u64, process: u64) -> Owner {
        Owner(thread << 22 | process)
    }

    #[test]
    fn only_a_thread_of_the_parent_is_stale() {
        for (owner_, current, of_parent) in [
            // One thread here: any other thread is the parent's.
            (owner(1, 7), owner(2, 0), true),
            (owner(1, 0), owner(2, 0), true),
            (owner(2, 7), owner(2, 0), false),
            // The owner had one thread: it may have started others since.
            (owner(1, 0), owner(2, 7), false),
            (owner(1, 0), owner(1, 7), false),
            // Both are known.
            (owner(1, 7), owner(2, 7), false),
            (owner(1, 6), owner(2, 7), true),
            (owner(1, 7 | ODD_FORKS), owner(2, 7), true),
        ] {
            assert_eq!(owner_.is_of_parent(current), of_parent, "{owner_:?} {current:?}");
        }
    }

    #[test]
    fn a_thread_is_the_same_in_a_child() {
        assert!(owner(1, 6).is_same_thread(owner(1, 7)));
        assert!(owner(1, 0).is_same_thread(owner(1, 7)));
        assert!(!owner(2, 7).is_same_thread(owner(1, 7)));
        assert!(!Owner::NOBODY.is_same_thread(Owner::NOBODY));
    }
}
