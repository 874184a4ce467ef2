//! LLVM's table of functions that read the values of a function's sites, and the call that merges value data into them.

use super::value_data::{self, ValueProfData, ValueProfRecord, getFirstValueProfRecord, getValueProfRecordHeaderSize};
use crate::native::Record;
use crate::value::reader;

/// The table of functions that read values. A program may pass one of its own to `lprofWriteData`.
#[repr(C)]
pub struct Reader {
    /// Selects a function: stores the number of values of each site. Returns the number of kinds that have sites.
    pub begin: reader::Begin,
    /// Returns the size of a kind's header with this number of sites.
    pub header_size: unsafe extern "C" fn(u32) -> u32,
    /// Returns the first kind in value data.
    pub first: unsafe extern "C" fn(*mut ValueProfData) -> *mut ValueProfRecord,
    /// Returns the number of values of a site.
    pub values: unsafe extern "C" fn(u32, u32) -> u32,
    /// Returns the size of the function's value data.
    pub size: unsafe extern "C" fn() -> u32,
    /// Copies pairs of a site to a list: a number of them, from a node on. Returns the node after them.
    pub pairs: reader::Pairs,
}

static TABLE: Reader = Reader {
    begin: reader::begin,
    header_size: getValueProfRecordHeaderSize::getValueProfRecordHeaderSize,
    first: getFirstValueProfRecord::getFirstValueProfRecord,
    values: reader::values,
    size: reader::size,
    pairs: reader::pairs,
};

export! {
    /// Returns the table that reads this image's values: of one function at a time, in one thread at a time.
    fn lprofGetVPDataReader() -> *const Reader { &TABLE }
    /// Merges the values in `data` into the sites of `record`. Damaged data is ignored.
    fn lprofMergeValueProfData(data: *const ValueProfData, record: *const Record) {
        // SAFETY: the caller's record, and as many bytes as the caller's data says.
        unsafe { crate::value::insert::insert_value_data(value_data::bytes(data), record) };
    }
}

/// Nodes that every program with value sites has in LLVM's archive. Ours takes memory when it needs some, so only a program
/// that names them has them, in front of or behind the compiler's. (Not in a crate, whose objects may be linked for other
/// things: it would cost every program 24 KiB.)
#[cfg(feature = "archive")]
pub mod lprofValueProfNodes {
    use crate::sync::AtomicU64;

    crate::link::hide!("lprofValueProfNodes");

    /// 1024 nodes of three words: value, count, next.
    #[repr(C, align(16))]
    pub struct ValueProfNodes([[AtomicU64; 3]; 1024]);

    /// Memory for nodes.
    #[unsafe(no_mangle)]
    #[unsafe(link_section = section!(vnodes))]
    pub static lprofValueProfNodes: ValueProfNodes = ValueProfNodes([const { [const { AtomicU64::new(0) }; 3] }; 1024]);
}
