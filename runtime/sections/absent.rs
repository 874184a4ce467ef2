//! No sections: for unit tests and for targets whose object format we do not know yet.

macro_rules! absent {
    ($($name:ident)*) => {$(
        /// An absent section.
        pub mod $name {
            use crate::span::Span;
            /// Empty.
            pub fn span() -> Span {
                Span::EMPTY
            }
            /// Empty.
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
    /// There are none.
    pub fn program_headers() -> usize {
        0
    }
    /// None.
    pub fn spans() -> [Span; MAX_NOTE_SEGMENTS] {
        [Span::EMPTY; MAX_NOTE_SEGMENTS]
    }
    /// None.
    pub fn build_id() -> Span {
        Span::EMPTY
    }
    /// Not known.
    pub fn extent() -> Span {
        Span::EMPTY
    }
}

/// No.
pub fn records_are_elsewhere() -> bool {
    false
}
