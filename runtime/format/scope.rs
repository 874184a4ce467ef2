//! The raw versions and word sizes that a program handles.
//!
//! A host tool handles all. The shipped archive handles the one for which it is built: with [`Scope::ONLY`] the compiler sees constants, and
//! makes no code for the others.

use core::fmt::Debug;

use super::{RawVersion, WordSize};

/// The raw versions and word sizes that a program handles.
pub trait Scope: Copy + PartialEq + Debug {
    /// The only raw version and word size, or `None` for all.
    const ONLY: Option<(RawVersion, WordSize)>;

    /// Whether distances between sections have 32 bits in all images, as in COFF, which has no longer relocations for them.
    const SHORT_DISTANCES: bool = false;
}

/// The scope of a program that handles all raw versions and word sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct All;

impl Scope for All {
    const ONLY: Option<(RawVersion, WordSize)> = None;
}
