//! The sections behind the function table, made before anything is written, because their sizes decide offsets in the header.

use twox_hash::XxHash3_64;

use super::order;
use crate::profile::Profile;
use crate::read::names::write_blob;

/// Returns the bytes of the binary ids.
pub(super) fn binary_ids(profile: &Profile) -> Vec<u8> {
    let mut section = vec![0; 8];
    // The set is sorted as LLVM sorts: by bytes, the shorter first.
    for id in profile.binary_ids().iter().filter(|id| !id.is_empty()) {
        section.extend_from_slice(&(id.len() as u64).to_le_bytes());
        section.extend_from_slice(id);
        section.resize(section.len().next_multiple_of(8), 0);
    }
    put_size(&mut section);
    section
}

/// Returns the bytes of vtable names; without names, of an empty section.
pub(super) fn vtable_names(names: &[Vec<u8>]) -> Vec<u8> {
    let mut section = vec![0; 8];
    section.extend(write_blob(in_map_order(names), true));
    put_size(&mut section);
    section.resize(section.len().next_multiple_of(8), 0);
    section
}

/// Returns the distinct names in the order of LLVM's string map.
pub(super) fn in_map_order(names: &[Vec<u8>]) -> Vec<&[u8]> {
    order::distinct_in_map_order(names, |name| XxHash3_64::oneshot(name) as u32)
}

/// Puts the number of bytes that follow into the first 8 bytes.
fn put_size(section: &mut [u8]) {
    let size = section.len() as u64 - 8;
    if let Some(first) = section.first_chunk_mut() {
        *first = size.to_le_bytes();
    }
}

/// Returns the bytes of the temporal traces.
pub(super) fn traces(profile: &Profile) -> Vec<u8> {
    let traces = profile.traces();
    let header = [traces.len() as u64, profile.trace_stream_size()];
    let words = header.into_iter().chain(traces.iter().flat_map(|trace| {
        [trace.weight, trace.functions.len() as u64].into_iter().chain(trace.functions.iter().copied())
    }));
    words.flat_map(u64::to_le_bytes).collect()
}
