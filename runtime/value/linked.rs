//! The optional functions of this module: `None` in programs without value sites.

#![allow(unsafe_code)]

use super::node::Record;
use super::optional::optional;
#[cfg(any(test, not(feature = "hosted")))]
use crate::sink::latch::Latch;
#[cfg(feature = "hosted")]
use {crate::error::Result, crate::sink::Sink};

optional! {
    "profrt_value_functions"
    write_compact: fn(&mut dyn FnMut(u64)) = crate::value::writer::compact::write_compact_values;
    reset: fn(&[Record]) = crate::value::reset::reset_values;
    #[cfg(any(test, not(feature = "hosted")))]
    write_piecewise: fn(&[Record], usize, &mut Latch<'_>) = crate::value::writer::device::piecewise::write_values_piecewise;
    #[cfg(feature = "hosted")]
    write: fn(&[Record], u64, &mut dyn Sink) -> Result = crate::value::writer::hosted::write_live_values;
    #[cfg(feature = "hosted")]
    release_locks: fn() = crate::value::full::release_locks_of_others;
    #[cfg(feature = "hosted")]
    set_limit: fn(u32) = crate::value::limits::values_per_site::set_max_values;
}
