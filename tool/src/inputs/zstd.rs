//! Reads zstd data of any number of frames.

use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// The largest window, which is memory: what `zstd --long` and `--ultra -22` need.
const LARGEST_WINDOW: u64 = 1 << 27;

/// Decompresses frame after frame.
pub(super) struct Decoder<R> {
    source: R,
    decoder: FrameDecoder,
}

impl<R: BufRead> Decoder<R> {
    pub(super) fn new(source: R) -> Decoder<R> {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(LARGEST_WINDOW);
        Decoder { source, decoder }
    }

    /// Begins the next frame. Returns whether there is one.
    fn next_frame(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let skipped = io::copy(&mut (&mut self.source).take(length.into()), &mut io::sink())?;
                    if skipped < length.into() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(false)
    }
}

fn failed(error: FrameDecoderError) -> io::Error {
    io::Error::other(format!("zstd: {error}"))
}

impl<R: BufRead> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                self.decoder.decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1)).map_err(failed)?;
            }
            // Nothing before the first frame, which counts as finished.
            let read = Read::read(&mut self.decoder, buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            if let (Some(stored), Some(computed)) =
                (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum())
                && stored != computed
            {
                return Err(io::Error::other("zstd: the checksum of a frame is wrong"));
            }
            if !self.next_frame()? {
                return Ok(0);
            }
        }
    }
}
