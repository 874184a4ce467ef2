//! What only ELF has, for the other object formats: directives that do nothing, and no notes.

#![allow(unused_imports, unused_macros, reason = "some builds have no C names")]

use super::MAX_NOTE_SEGMENTS;
use crate::span::Span;

/// Does nothing: an image exports what it is told to.
macro_rules! hide {
    ($($name:expr),*) => {};
}

/// Does nothing. So the linker does not take a call to which a program has only weak references.
macro_rules! bring_calls {
    ($($name:expr),*) => {};
}

/// Does nothing: there are no destructors, only exit handlers.
macro_rules! at_end {
    ($function:path) => {};
}

/// Does nothing.
macro_rules! comment {
    ($raw:expr) => {};
}

/// Does nothing, but for WebAssembly: what would have to be linked by its name is linked in every program.
macro_rules! bring {
    ($($name:expr),*) => {};
}

/// Does nothing: nobody refers to the symbol.
macro_rules! mark {
    ($name:expr) => {};
}

/// Defines a function that returns null.
macro_rules! weak_address {
    ($name:ident = $symbol:expr) => {
        #[inline(always)]
        fn $name<T>() -> *const T {
            core::ptr::null()
        }
    };
}

pub(crate) use {at_end, bring, bring_calls, comment, hide, mark, weak_address};

/// Returns `false`.
pub fn records_are_elsewhere() -> bool {
    false
}

/// Returns no notes: an image has none in its memory.
pub fn spans() -> [Span; MAX_NOTE_SEGMENTS] {
    [Span::EMPTY; MAX_NOTE_SEGMENTS]
}

/// Returns no build id.
pub fn build_id() -> Span {
    Span::EMPTY
}
