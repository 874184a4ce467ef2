//! What the fuzz targets and their helpers use of the runtime, under its paths in this crate. Not for programs: all of it may change.

/// Makes modules public under their own names.
macro_rules! open {
    ($parent:ident: $($module:ident)*) => {
        $(pub mod $module {
            pub use crate::$parent::$module::*;
        })*
    };
    ($($module:ident)*) => {
        $(pub mod $module {
            pub use crate::$module::*;
        })*
    };
}

open!(dump error native raw sections sink span sync);
pub use crate::format;
pub mod gcov {
    #[cfg(complete)]
    open!(gcov: buffer encoding merge);
}
pub mod merge {
    open!(merge: check counters into_memory old pages read_old sum values);
}
pub mod os {
    pub use crate::os::*;
    open!(os: file);
}
pub mod value {
    open!(value: node reset writer);
}
