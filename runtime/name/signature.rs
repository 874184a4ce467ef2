//! The signature of this image: a hash of its build id, names, function hashes, sizes and raw version, which other images do not share.

#![allow(unsafe_code)]

use crate::link::build_id;
use crate::name::hash::{SEED, hash_bytes, mix};
use crate::sections::{Image, variables};
use crate::value::node::records;

/// Returns the signature of this image.
pub fn signature() -> u64 {
    let image = Image::this();
    let mut hash = mix(SEED, variables::raw_version());
    for (_, span) in image.parts() {
        hash = mix(hash, span.len as u64);
    }
    // SAFETY: names are constant data of the image.
    hash = hash_bytes(unsafe { image.names.bytes() }, hash);
    // Programs with equal functions but different builds.
    // SAFETY: notes are constant data of the image.
    hash = hash_bytes(unsafe { build_id::first(&image.notes).bytes() }, hash);
    // SAFETY: the records are this image's own. (With records of another raw version the write fails before this call.)
    for record in unsafe { records(image.data) } {
        let sites = |kind: usize| u64::from(record.num_value_sites.get(kind).copied().unwrap_or(0));
        hash = mix(hash, record.name_ref);
        hash = mix(hash, record.func_hash.wrapping_add(sites(2)));
        hash = mix(hash, u64::from(record.num_counters) | sites(0) << 32 | sites(1) << 48);
    }
    hash
}
