//! Owner, group and permissions of a file that replaces another.

#![allow(unsafe_code)]

use super::{Fd, Status, kernel};
use crate::os::users_are_known;

impl Fd {
    /// Gives the file, which will replace `old`, the group, the owner (`give`: only then) and the permissions of that one, as far as we
    /// may and [`permissions`] says. `status`: that of `old`.
    pub fn take_owner_of(&self, old: &Fd, status: &Status, give: bool) {
        const SAME: u32 = u32::MAX;
        let mut now = self.status();
        let Ok(own) = &now else { return };
        let mut mode = status.mode;
        // With an access control list the bits of the group are the most that anybody in the list may do. The group itself may do less,
        // and the new file has no such list.
        if mode & 0o070 != 0 && old.has_access_list() {
            mode &= !0o070;
        }
        if (status.group, status.user) != (own.group, own.user) {
            if status.group != own.group {
                // SAFETY: `self` has an open file; the call takes numbers only. Failure leaves what is usual for new files.
                unsafe { kernel::fchown(self.0, SAME, status.group) };
            }
            if give && status.user != own.user {
                // SAFETY: `self` has an open file; the call takes numbers only.
                unsafe { kernel::fchown(self.0, status.user, SAME) };
            }
            // Some file systems say that they have done it, and have not.
            now = self.status();
        }
        let Ok(now) = &now else { return };
        // Last, when it is known whom the permissions are for.
        let kept = permissions(mode, now.mode, status.user == now.user, status.group == now.group);
        // The permissions if nobody knows whose file it is.
        let strangers = permissions(mode, now.mode, false, false);
        mode = if kept != strangers && !users_are_known() { strangers } else { kept };
        if mode != now.mode & 0o7777 {
            // SAFETY: `self` has an open file; the call takes numbers only.
            unsafe { kernel::fchmod(self.0, mode as libc::mode_t) };
        }
    }

    /// Lets the owner of a new file read and write it, whatever the umask: others that merge or map it are to come. `status`: that of the file.
    pub fn admit_owner(&self, status: &Status) {
        if status.mode & 0o600 != 0o600 {
            // SAFETY: `self` has an open file; the call takes numbers only. Failure leaves what is usual for new files.
            unsafe { kernel::fchmod(self.0, (status.mode & 0o777 | 0o600) as libc::mode_t) };
        }
    }

    /// Returns whether the file has a POSIX access control list.
    fn has_access_list(&self) -> bool {
        let name = c"system.posix_acl_access";
        // SAFETY: an open file and a C string; no value is asked for, only its length.
        let len = unsafe { kernel::fgetxattr(self.0, name.as_ptr(), core::ptr::null_mut(), 0) };
        kernel::checked(len).is_ok_and(|len| len > 0)
    }
}

/// Returns the permissions for a file that replaces another, from the modes that both have now: never set-id bits or the sticky bit, and nobody
/// gets more than `from` gives, or `new` gives already. `user`, `group`: whether they are the same.
///
/// The owner of `from` has chosen its permissions: they are taken over where the new file is that owner's too. A file that becomes
/// ours, because only the superuser can give files away, does not do what a stranger has chosen: it takes nothing but restrictions for
/// the others. The same goes for the bits of a group that could not be kept.
fn permissions(from: u32, new: u32, user: bool, group: bool) -> u32 {
    let mut mode = from & 0o777;
    if !user {
        mode = new & (0o700 | mode & 0o077);
    }
    if !group {
        mode &= 0o707 | new;
    }
    mode
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_of_a_new_file() {
        for (old, new, expected) in [
            // Owner and group stay: so does the mode, without set-id bits.
            ((1, 1, 0o600), (1, 1, 0o644), 0o600),
            ((1, 1, 0o666), (1, 1, 0o644), 0o666),
            ((1, 1, 0o7755), (1, 1, 0o644), 0o755),
            // The group could not be kept: it gets no more than a new file gives.
            ((1, 2, 0o660), (1, 1, 0o644), 0o640),
            ((1, 2, 0o606), (1, 1, 0o664), 0o606),
            // The owner could not be kept.
            ((2, 2, 0o4777), (1, 1, 0o644), 0o644),
            ((2, 2, 0o6006), (1, 1, 0o644), 0o604),
            ((2, 1, 0o664), (1, 1, 0o664), 0o664),
            ((2, 1, 0o660), (1, 1, 0o644), 0o640),
            ((2, 2, 0), (1, 1, 0o644), 0o600),
        ] {
            let mode = permissions(old.2, new.2 | libc::S_IFREG, old.0 == new.0, old.1 == new.1);
            assert_eq!(mode, expected, "{old:?} {new:?}");
        }
    }
}
