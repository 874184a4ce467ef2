//! Replaces files on systems that cannot replace an open file (Windows). The lock is the second name: whoever has created it and has it open is the
//! writer; nobody else can remove it then. The next writer removes one that a killed writer left. The old file is locked while it is read, and
//! closed before the new one takes its name.

use super::place::{NAME_MAX, Place};
use super::{Old, Publication, Way, lock};
use crate::error::{Error, Result};
use crate::os::file::{self, At, Fd};
use crate::path::Text;

impl Publication<'_> {
    /// Publishes a new file under a name that nothing, or a regular file, has. Else [`Error::NOT_REGULAR`].
    pub(super) fn replace_closed(&mut self, place: &Place<'_>) -> Result {
        let mut second = Text::<NAME_MAX>::new();
        place.second_name(&mut second, true)?;
        let second = place.directory.at(second.as_path());
        let new = take(second)?;
        let published = self.fill_from(place, &new).and_then(|()| new.link(place.at()));
        drop(new);
        if published.is_err() {
            let _ = file::remove(second);
        }
        published
    }

    /// Fills the new file from the old one, which nobody else replaces meanwhile.
    fn fill_from(&mut self, place: &Place<'_>, new: &Fd) -> Result {
        match place.status() {
            Err(Error::ENOENT) => {
                self.content.prepare(Old::Nothing)?;
                self.fill(new)
            }
            Ok(status) if !status.regular => Err(Error::NOT_REGULAR),
            Ok(_) if self.way == Way::Claim => Err(Error::EEXIST),
            Ok(_) => {
                let old = file::open_or_create_no_link(place.at())?;
                // Others may write into it: programs with LLVM's runtime.
                lock(&old)?;
                let status = old.status()?;
                if self.way == Way::Append && status.size > 0 {
                    return Err(Error::OVERTAKEN);
                }
                self.content.prepare(Old::File(&old, &status))?;
                self.fill(new)
            }
            Err(error) => Err(error),
        }
    }
}

/// Creates the second name, which a killed writer may have left.
fn take(second: At<'_>) -> Result<Fd> {
    let mut new = file::create_new(second, None);
    if new.as_ref().err() == Some(&Error::EEXIST) {
        match file::remove(second) {
            Ok(()) | Err(Error::ENOENT) => {}
            Err(error) => return Err(error),
        }
        new = file::create_new(second, None);
    }
    new.map_err(|error| if error == Error::EEXIST { Error::FILE_IN_USE } else { error })
}
