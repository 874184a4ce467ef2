//! The optional functions of this module ([`crate::value::optional`]): `None` in programs without value sites.

#![allow(unsafe_code)]

use super::rebase::Rebase;
use crate::error::Result;
use crate::native::Record;
use crate::sections::Image;
use crate::value::optional::optional;
#[cfg(feature = "hosted")]
use {super::old::OldProfile, super::pages::Pages, crate::sink::Sink};

optional! {
    "profrt_merge_functions"
    in_buffer: for<'a> fn(&'a [u8], &[Record]) -> Result<&'a [u8]> = crate::merge::values::in_buffer;
    insert: unsafe fn(&[u8], &Image, &Rebase) = crate::merge::values::insert;
    #[cfg(feature = "hosted")]
    check: fn(&[u8], &[Record]) -> Result = crate::merge::values::check;
    #[cfg(feature = "hosted")]
    merge: fn(&[Record], Option<&OldProfile>, &[u8], &mut dyn Sink) -> Result<Pages> = crate::merge::file_values::merge_values;
    #[cfg(feature = "hosted")]
    take_over: unsafe fn(&[u8], &Image, &Rebase) = crate::merge::values::take_over;
}
