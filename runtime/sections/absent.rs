//! Empty sections: for unit tests and for targets whose object format is not supported yet.

macro_rules! absent {
    ($($name:ident)*) => {$(
        /// An absent section.
        pub mod $name {
            use crate::span::Span;
            /// Returns no bytes.
            pub fn span() -> Span {
                Span::EMPTY
            }
            /// Returns no bytes.
            #[cfg(not(feature = "hosted"))]
            pub fn linked() -> Span {
                Span::EMPTY
            }
        }
    )*};
}

absent! { data counters bitmap names vtables vnames vnodes vheads covinit orderfile }

/// No notes.
pub mod notes {
    use super::super::build_id::MAX_NOTE_SEGMENTS;
    use crate::span::Span;
    /// Returns no notes.
    pub fn spans() -> [Span; MAX_NOTE_SEGMENTS] {
        [Span::EMPTY; MAX_NOTE_SEGMENTS]
    }
    /// Returns no build id.
    pub fn build_id() -> Span {
        Span::EMPTY
    }
    /// Returns no bytes: the range is not known.
    pub fn loaded_range() -> Span {
        Span::EMPTY
    }
}

/// Returns `false`.
pub fn records_are_elsewhere() -> bool {
    false
}
