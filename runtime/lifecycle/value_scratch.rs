//! Memory for the writer of value data on hosted systems.

use crate::os;
use crate::value::writer::ScratchMemory;

/// The writer of value data gets its temporary memory as pages of the system.
pub const VALUE_SCRATCH: ScratchMemory = ScratchMemory::Pages(os::map_pages, os::unmap_pages);
