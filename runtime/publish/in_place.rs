//! Writing into the file itself, where the directory takes no new one.

use super::{Places, Profile, quiet};
use crate::error::Result;
use crate::os::file::Fd;
use crate::sink::count::Count;
use crate::sink::file::File;

impl Places {
    /// The directory takes no new file, or the name cannot be given to one: the file itself is written to. The one case
    /// in which a kill can leave a torn file; a failing write leaves an appended-to file as it was.
    pub(super) fn write_in_place(&mut self, old: &Fd, profile: &mut Profile<'_>) -> Result {
        let mut count = Count(0);
        profile.content.write(None, &mut count)?;
        // What stands behind our part stays where it is: only a part of the same length takes its place. (It gets longer
        // when a site has seen a new value; then both stay.)
        let size = self.status.size;
        if self.dropped.end != size && self.dropped.end.wrapping_sub(self.dropped.start) != count.0 {
            self.dropped = size..size;
        }
        let offset = self.dropped.start;
        let quiet = quiet();
        old.seek(offset)?;
        let mut sink = File::new(old);
        let written = profile.content.write(None, sink.sink());
        drop(quiet);
        self.written = sink.written;
        if self.dropped.end == size {
            // An unreadable rest would make readers refuse all of the file.
            let len = if written.is_ok() { self.written } else { 0 };
            old.set_size(offset.wrapping_add(len))?;
        }
        written?;
        self.remember(profile, old);
        Ok(())
    }
}
