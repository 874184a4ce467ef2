//! What is put into a file.

use crate::error::{Error, Result};
use crate::os::Fd;
use crate::sink::Sink;

/// What is written into the file.
pub trait ProfileContent {
    /// Writes all of it. `old` is the file that [`ProfileContent::take_in`] has agreed to.
    fn write(&mut self, old: Option<&Fd>, sink: &mut dyn Sink) -> Result;

    /// Looks at the profile that is there, of `size` > 0 bytes. From now on [`ProfileContent::write`] writes it and ours united, where it
    /// is given the file. An error that is one of the file itself has that moved aside. (Only where [`Profile::merges`] says so.)
    fn take_in(&mut self, _old: &Fd, _size: u64) -> Result {
        Ok(())
    }

    /// Files cannot be locked here for this reason; or the file that was there could not be used, and has this name now.
    fn warn(&mut self, _reason: Error, _moved_to: Option<&[u8]>) {}

    /// The file that was there cannot be used for this reason, and is not moved aside, because of `why`. The write fails.
    fn stays(&mut self, _reason: Error, _why: Error) {}
}

/// Content that a function writes.
pub struct PlainContent<F>(pub F);

impl<F: FnMut(&mut dyn Sink) -> Result> ProfileContent for PlainContent<F> {
    fn write(&mut self, _old: Option<&Fd>, sink: &mut dyn Sink) -> Result {
        (self.0)(sink)
    }
}

/// What a write of the profile needs.
pub struct Profile<'a> {
    /// All of it.
    pub content: &'a mut dyn ProfileContent,
    /// The file holds one profile, in which those of all runs are united.
    pub merges: bool,
    /// Its first bytes, which tell it from the profiles of other images and processes; none where nobody asks for them
    /// (`Publisher::looks_for_header`).
    pub header: &'a [u8],
    /// As many bytes as are expected of it, or less.
    pub expected: u64,
    /// Mode of directories that are missing.
    pub directory_mode: u32,
    /// Profiles of different rounds stand side by side in the file: counters were reset in between.
    pub round: u32,
    /// The program goes on, so another write may follow, which must find our part again: where its counters are in it
    /// (from, bytes). `None` at exit, which saves looking at them.
    pub live_range: Option<(u64, u64)>,
    /// The file is only this writer's and is always replaced as a whole. No profile that images share.
    pub replace_whole: bool,
}
