//! A profile as its publisher sees it.

use crate::error::{Error, Result};
use crate::os::Fd;
use crate::sink::Sink;

/// The content of a profile, which writes itself.
pub trait ProfileContent {
    /// Writes the complete profile. `old` is the existing file, which [`ProfileContent::read_old`] has parsed if the profile is merged.
    fn write_profile(&mut self, old: Option<&Fd>, sink: &mut dyn Sink) -> Result;

    /// Parses the existing profile, of `size` > 0 bytes. Later [`ProfileContent::write_profile`] calls that get the file write the sum of the
    /// existing profile and ours. After an error that `needs_quarantine`, the file is quarantined. Called if [`Publication::merges`] is set.
    fn read_old(&mut self, _old: &Fd, _size: u64) -> Result {
        Ok(())
    }

    /// Writes over the locked file `old`, of `size` bytes, where [`Publication::may_overwrite`] is set and no new file is possible: the sum if
    /// `merged`, else the profile. An error leaves the file as it was. `merged`: [`ProfileContent::read_old`] has read the file.
    fn overwrite(&mut self, _old: &Fd, _size: u64, _merged: bool) -> Result {
        Err(Error::ENODEV)
    }

    /// Warns, once, that the existing file is not locked, for this reason.
    fn warn_unlocked(&mut self, _reason: Error) {}

    /// Warns that the existing file cannot be merged, for this reason, and was quarantined under the name `moved_to`.
    fn warn_quarantined(&mut self, _reason: Error, _moved_to: &[u8]) {}

    /// Warns that the existing file could not be merged, for this reason, nor quarantined because of `why`, and was written over.
    fn warn_overwritten(&mut self, _reason: Error, _why: Error) {}

    /// Warns that the existing file cannot be merged, for this reason, and is not quarantined because of `why`. The write fails.
    fn warn_not_quarantined(&mut self, _reason: Error, _why: Error) {}
}

/// Content that a function writes.
pub struct PlainContent<F>(pub F);

impl<F: FnMut(&mut dyn Sink) -> Result> ProfileContent for PlainContent<F> {
    fn write_profile(&mut self, _old: Option<&Fd>, sink: &mut dyn Sink) -> Result {
        (self.0)(sink)
    }
}

/// The name of a quarantined file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QuarantineName {
    /// `NAME.corrupt-PID`, or the first free `NAME.corrupt-PID-N`: each file stays.
    Numbered,
    /// `NAME.corrupt`: a newer file replaces the older one.
    Single,
}

/// A profile to publish, and how.
pub struct Publication<'a> {
    /// The bytes of the profile.
    pub content: &'a mut dyn ProfileContent,
    /// The file holds one profile, the sum of all runs.
    pub merges: bool,
    /// The file may be written over where no new file is possible: [`ProfileContent::overwrite`].
    pub may_overwrite: bool,
    /// A lower bound of the profile's size.
    pub expected: u64,
    /// The mode of directories that are created.
    pub directory_mode: u32,
    /// The round of the counters. Profiles of different rounds stand side by side in the file.
    pub round: u32,
    /// The ranges by which a later write finds this share (offset, bytes): the header, and counters and bitmaps. `None` if no write follows.
    pub recognized_by: Option<[(u64, u64); 2]>,
    /// The name of a file that cannot be merged.
    pub quarantine: QuarantineName,
    /// The file is only this writer's and is always replaced as a whole. No profile that images share.
    pub replace_whole: bool,
}
