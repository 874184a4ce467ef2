//! Writing into the file itself, where the directory takes no new one.

use core::ops::Range;

use super::{Outcome, Places, Profile};
use crate::error::Result;
use crate::os::file::{Fd, Status};
use crate::os::{self, Quiet};
use crate::sink::count::Count;
use crate::sink::file::File;

impl Places {
    /// The directory takes no new file, or the name cannot be given to one: the file itself is written to. The one case
    /// in which a kill can leave a torn file; a failing write leaves an appended-to file as it was.
    pub(super) fn write_in_place(
        &mut self,
        old: &Fd,
        status: &Status,
        dropped: Range<u64>,
        profile: &mut Profile<'_>,
    ) -> Result<Outcome> {
        let mut count = Count(0);
        profile.content.write(None, &mut count)?;
        // What stands behind our part stays where it is: only a part of the same length takes its place. (It gets longer
        // when a site has seen a new value; then both stay.)
        let fits = dropped.end == status.size || dropped.end.wrapping_sub(dropped.start) == count.0;
        let offset = if fits { dropped.start } else { status.size };
        let at_end = !fits || dropped.end == status.size;
        let quiet = os::file_size_limited().then(Quiet::begin);
        old.seek(offset)?;
        let mut sink = File::new(old);
        let written = profile.content.write(None, &mut sink);
        drop(quiet);
        match written {
            Ok(()) => {
                if at_end {
                    old.set_size(offset.wrapping_add(sink.written))?;
                }
                Ok(self.done(profile, old, offset, sink.written))
            }
            Err(error) => {
                // An unreadable rest would make readers refuse all of the file.
                if at_end {
                    old.set_size(offset)?;
                }
                Err(error)
            }
        }
    }
}
