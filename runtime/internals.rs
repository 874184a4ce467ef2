//! What the fuzz targets and their helpers use of the runtime, under its paths in this crate. Not for programs: all of it may change.

pub use crate::format;

pub mod dump {
    pub use crate::dump::*;
}
pub mod error {
    pub use crate::error::*;
}
pub mod merge {
    pub mod check {
        pub use crate::merge::check::*;
    }
    pub mod counters {
        pub use crate::merge::counters::*;
    }
    pub mod into_memory {
        pub use crate::merge::into_memory::*;
    }
    pub mod source {
        pub use crate::merge::source::*;
    }
    pub mod values {
        pub use crate::merge::values::*;
    }
    pub mod write {
        pub use crate::merge::write::*;
    }
}
pub mod native {
    pub use crate::native::*;
}
pub mod os {
    pub use crate::os::*;
    pub mod file {
        pub use crate::os::file::*;
    }
}
pub mod raw {
    pub use crate::raw::*;
}
pub mod sections {
    pub use crate::sections::*;
}
pub mod sink {
    pub use crate::sink::*;
}
pub mod span {
    pub use crate::span::*;
}
pub mod sync {
    pub use crate::sync::*;
}
pub mod value {
    pub mod node {
        pub use crate::value::node::*;
    }
    pub mod reset {
        pub use crate::value::reset::*;
    }
    pub mod writer {
        pub use crate::value::writer::*;
    }
}
