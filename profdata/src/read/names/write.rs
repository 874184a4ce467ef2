//! Writes a blob.

use flate2::{Compress, Compression, FlushCompress, Status};

use super::SEPARATOR;
use crate::leb128;

/// Returns the blob with these names: compressed by zlib at its best level, as LLVM does, or stored. With the feature `zlib` the
/// compressed bytes are those of LLVM's tools; else they are other bytes of the same meaning.
///
/// Without names there is no blob: the result is empty.
pub fn write_blob<'a>(names: impl IntoIterator<Item = &'a [u8]>, compress: bool) -> Vec<u8> {
    let mut text = Vec::new();
    let mut any = false;
    for name in names {
        if any {
            text.push(SEPARATOR);
        }
        any = true;
        text.extend_from_slice(name);
    }
    let mut blob = Vec::new();
    if !any {
        return blob;
    }
    leb128::put(&mut blob, text.len() as u64);
    match compress.then(|| deflate(&text)).flatten() {
        Some(stream) => {
            leb128::put(&mut blob, stream.len() as u64);
            blob.extend_from_slice(&stream);
        }
        None => {
            blob.push(0);
            blob.extend_from_slice(&text);
        }
    }
    blob
}

/// Returns the zlib stream of `text`.
fn deflate(text: &[u8]) -> Option<Vec<u8>> {
    let mut stream = Compress::new(Compression::best(), true);
    // As much as zlib reserves for a text that it cannot compress: one call is enough.
    let most = text.len().saturating_add(text.len() >> 8).saturating_add(64);
    let mut bytes = Vec::with_capacity(most);
    let status = stream.compress_vec(text, &mut bytes, FlushCompress::Finish).ok()?;
    (status == Status::StreamEnd).then_some(bytes)
}
