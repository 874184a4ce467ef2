//! `core`, but for its atomics: these are loom's.
//!
//! loom's own cannot be made by a `const fn`, and belong to one run of a model. An atomic of this crate holds what it was made
//! with, and becomes one of loom's at its first use in a run. That use counts as making it, so the model has to use what
//! its threads share before it starts them; loom complains where that was forgotten.

pub use ::core::*;

pub mod sync {
    pub use ::core::sync::*;
    pub mod atomic;
}

/// Begins a run of a model: all atomics are again what they were made with.
pub fn begin() {
    sync::atomic::begin();
}
