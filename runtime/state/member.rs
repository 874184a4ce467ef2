//! The choice of one file among those that a pattern can name.

use crate::os;

/// Which file of its pattern this image writes. The name of the file has [`Member::number`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Member {
    /// Not decided yet: with `%m` the pool file that the process id selects, without `%m` the name without a number.
    Undecided,
    /// The file with this number: with `%m` a pool file that all processes share; without `%m`, in continuous mode, a numbered file, where 0 is
    /// the name without a number.
    Number(u32),
    /// With `%m`, a pool file that only this process uses, because a shared one cannot be written.
    Private {
        /// The process id, which a forked child compares with its own.
        process_id: u32,
        /// How many private pool files of the process were given up before.
        attempt: u32,
    },
}

/// The number of a private pool file is the process id plus a multiple of this constant, which is larger than all process ids.
const ATTEMPT: u32 = 1 << 22;

impl Member {
    /// In continuous mode without `%m`: the file with the name that the user has chosen.
    pub const WITHOUT_NUMBER: Member = Member::Number(0);

    /// Returns the first private pool file of this process.
    pub fn private() -> Member {
        Member::Private { process_id: os::process_id(), attempt: 0 }
    }

    /// Returns the private pool file to try after this one: the first one of this process after any other file.
    pub fn next_private(self) -> Member {
        match self {
            Member::Private { process_id, attempt } if self.is_private() => {
                Member::Private { process_id, attempt: attempt.wrapping_add(1) }
            }
            _ => Member::private(),
        }
    }

    /// Returns whether the file is a private pool file of this process, and not of its parent.
    pub fn is_private(self) -> bool {
        matches!(self, Member::Private { process_id, .. } if process_id == os::process_id())
    }

    /// Returns the number in the name of the file; `None` before it is decided.
    pub fn number(self) -> Option<u32> {
        match self {
            Member::Undecided => None,
            Member::Number(number) => Some(number),
            Member::Private { process_id, attempt } => Some(process_id.wrapping_add(attempt.wrapping_mul(ATTEMPT))),
        }
    }

    /// Returns whether the name of a file without `%m` has a number.
    pub fn is_numbered(self) -> bool {
        self.number() > Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_files_of_one_process_have_numbers_of_their_own() {
        let first = Member::Undecided.next_private();
        let second = first.next_private();
        assert!(first.is_private() && second.is_private());
        assert_eq!(first.number(), Some(os::process_id()));
        assert_eq!(second.number(), Some(os::process_id() + ATTEMPT));
    }

    #[test]
    fn a_child_does_not_use_the_private_file_of_its_parent() {
        let of_parent = Member::Private { process_id: os::process_id() ^ 1, attempt: 3 };
        assert!(!of_parent.is_private());
        assert_eq!(of_parent.next_private(), Member::private());
        // A shared file is not private, even if its number is the process id.
        assert!(!Member::Number(os::process_id()).is_private());
    }
}
