//! Merges a profile in a file or in memory with the counts of this image.
//!
//! [`into_memory`] adds a profile to the counters in memory; [`write`](mod@write) writes the sum of a file's profile and ours.
//!
//! | part | merged |
//! | --- | --- |
//! | counters | sum, at most [`counters::LARGEST`] |
//! | byte counters | AND: 0 means covered |
//! | time stamps (temporal profiles) | the earliest |
//! | bitmaps | OR |
//! | values | union, counts added; addresses are rebased to where this process has the image ([`rebase`]) |
//!
//! Nothing in a profile is trusted: only a profile whose sizes, records, names and vtables [`check`](mod@check) finds equal to those of this
//! image is merged. Binary ids may differ: they are compared only where records and names are not in memory. So every size that a merge
//! uses is this image's own, or was checked by the plan of the profile.
//!
//! # A write into a pool file
//!
//! ```text
//! lifecycle::write    write_file           locks the state of the profile file
//!                     write_locked         plans the profile, and chooses the destination
//!                     write_merged         finds the earlier contributions, makes a MergedContent
//!                     (write_elsewhere)    if that fails: the same with a private pool file
//! publish             Publisher::publish   finds the pool file; starts over when its name means another file
//!                       update             locks the pool file
//!                       update_merged
//!                         MergedContent::read_old
//!                           check::check     compares the old profile with this image, learns moved addresses
//!                           write::read_old_values
//!                                            reads and checks the old value data
//!                           Contribution::is_held_by
//!                                            whether the file still holds the earlier contribution
//!                         quarantine       if the old profile is damaged or foreign; then publish starts over
//!                         new_file         makes a temporary file
//!                         fill
//!                           MergedContent::write_profile
//!                             MergedContent::write_sum
//!                               write::write_job
//!                                 raw::write_parts_with    writes the header, records and names of this image
//!                                   CountMerge::write_part writes counters + old counters - earlier contribution; bitmaps
//!                                 file_values::merge_values
//!                                                          writes the values, merged in the same way
//!                         rename_over      gives the temporary file the name: published
//!                       (update)           unlocks the old file
//! lifecycle::write    MergedContent::finish  reports saturated counters, returns the contribution
//!                     Recent::remember       keeps it for the next write
//! ```
//!
//! Where no file has the name, `Publisher::create` takes the place of `update`, and there is no old profile.

pub mod check;
#[cfg(feature = "hosted")]
pub mod contribution;
#[cfg(feature = "hosted")]
mod counter_copy;
pub mod counter_range;
pub mod counters;
#[cfg(feature = "hosted")]
pub mod file_values;
pub mod insert;
pub mod into_memory;
#[cfg(feature = "hosted")]
pub mod old;
pub mod pages;
pub mod rebase;
pub mod source;
pub mod values;
#[cfg(feature = "hosted")]
pub mod write;

#[cfg(test)]
mod tests;
