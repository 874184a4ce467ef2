//! Merges a profile in a file or in memory with the counts of this image.
//!
//! [`into_memory`] adds a profile to the counters in memory; [`sum`] adds the counters to a profile that a file has ([`old`]), in memory of its own.
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
//! `lifecycle::content` has the order of a write, [`contribution`] what a later write leaves out.

pub mod check;
#[cfg(feature = "hosted")]
pub mod contribution;
pub mod counters;
#[cfg(feature = "hosted")]
pub mod file_values;
pub mod into_memory;
#[cfg(feature = "hosted")]
pub mod old;
pub mod pages;
#[cfg(feature = "hosted")]
pub mod read_old;
pub mod rebase;
#[cfg(feature = "hosted")]
pub mod sum;
pub mod values;

pub mod linked {
    //! The optional functions of this module ([`crate::value::optional`]): `None` in programs without value sites.

    #![allow(unsafe_code)]

    use super::rebase::Rebase;
    use crate::error::Result;
    use crate::native::Record;
    use crate::sections::Image;
    use crate::value::optional::optional;
    #[cfg(feature = "hosted")]
    use {super::contribution::Counts, super::old::OldProfile, super::pages::Pages, crate::sink::Sink};

    #[cfg(feature = "hosted")]
    type MergeValues = fn(&[Record], Option<&OldProfile>, Option<&Counts>, &mut Pages, &mut dyn Sink) -> Result;

    optional! {
        "profrt_merge_functions"
        in_buffer: for<'a> fn(&'a [u8], &[Record]) -> Result<&'a [u8]> = crate::merge::values::in_buffer;
        insert: unsafe fn(&[u8], &Image, &Rebase) = crate::merge::values::insert;
        #[cfg(feature = "hosted")]
        check: fn(&[u8], &[Record]) -> Result = crate::merge::values::check;
        #[cfg(feature = "hosted")]
        merge: MergeValues = crate::merge::file_values::merge_values;
        #[cfg(feature = "hosted")]
        take_over: unsafe fn(&[u8], &Image, &Rebase) = crate::merge::values::take_over;
    }
}

#[cfg(test)]
mod tests;
