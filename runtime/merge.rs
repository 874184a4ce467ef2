//! Merges a profile in a file or in memory with the counts of this image.
//!
//! [`into_memory`] adds a profile to the counters in memory, [`write`](mod@write) writes the sum of a file's profile and ours.
//!
//! Nothing in a profile is trusted: [`check`](mod@check) compares the profile with this image, and only a profile of this very image
//! is merged. So every size that a merge uses is this image's own, or was checked by the plan of the profile.
//!
//! | part | merged |
//! | --- | --- |
//! | counters | sum, at most [`counters::LARGEST`] |
//! | byte counters | AND: 0 means covered |
//! | time stamps (temporal profiles) | the earliest |
//! | bitmaps | OR |
//! | values | union, counts added; addresses are rebased to where this process has the image ([`rebase`]) |

pub mod check;
#[cfg(feature = "hosted")]
pub mod contribution;
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
pub mod stamps;
pub mod values;
#[cfg(feature = "hosted")]
pub mod write;

#[cfg(test)]
mod tests;
