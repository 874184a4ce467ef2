//! Merging: the counts of a profile in bytes are added to those of this image.
//!
//! The bytes come from a file or from the program's memory, and nothing in them is believed: what they say about themselves
//! is compared with this image ([`check`]), and only a profile of this very image is merged. So every size that is used is
//! this image's own, or was checked by the plan of the bytes.
//!
//! | part | merged |
//! | --- | --- |
//! | counters | sum, at most [`counters::LARGEST`] |
//! | byte counters | AND: covered in one is covered |
//! | time stamps (temporal profiles) | the earliest |
//! | bitmaps | OR |
//! | values | united, their counts added; addresses are moved to where this process has the image ([`rebase`]) |

pub mod check;
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
