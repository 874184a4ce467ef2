//! The limits of value profiling that the environment sets.

use core::ffi::CStr;

use crate::os;
use crate::path::{Text, decimal};
use crate::report::{Grade, print};
use crate::value::limits;
use crate::value::linked;

/// Reads `LLVM_VP_MAX_NUM_VALS_PER_SITE`, the limit of values per site (1 to 255), and `PROFRT_MAX_VALUE_NODES`, the limit of
/// value nodes beyond those that the compiler has reserved. A program that counts no values reads neither.
pub fn setup() {
    let Some(set_limit) = linked::set_limit() else { return };
    if let Some(max) =
        read(c"LLVM_VP_MAX_NUM_VALS_PER_SITE", 1, b"@ is ignored: it must be a number from 1 to 255, not @.")
    {
        set_limit(max);
    }
    if let Some(max) = read(c"PROFRT_MAX_VALUE_NODES", 0, b"@ is ignored: it must be a number, not @.") {
        limits::set_most_mapped(max as usize);
    }
}

/// Returns the number in a variable, if it is at least `least`. Reports other values.
fn read(name: &CStr, least: u32, complaint: &[u8]) -> Option<u32> {
    let text = os::env(name)?.to_bytes();
    // An empty value counts as not set, as in the official runtime.
    if text.is_empty() {
        return None;
    }
    let number = decimal(text).filter(|number| *number >= least);
    if number.is_none() {
        print(Grade::Warning, &[complaint, name.to_bytes(), text]);
    }
    number
}

/// Reports how many values were dropped, if any were.
pub fn report_dropped() {
    let dropped = limits::dropped_values();
    if dropped == 0 {
        return;
    }
    let why: &[u8] = if limits::most_mapped() == usize::MAX {
        b"@ values were not counted: the system gave no memory for them."
    } else {
        b"@ values were not counted: PROFRT_MAX_VALUE_NODES allows no more nodes."
    };
    let mut count = Text::<24>::new();
    let _ = count.push_number(dropped);
    print(Grade::Warning, &[why, count.as_bytes()]);
}
