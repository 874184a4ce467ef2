//! A sink that passes the bytes to a Rust function.

#![allow(unsafe_code)]

use super::{Sink, in_turn};
use crate::copy::copy;
use crate::error::{Error, Result};
use crate::os;
use crate::span::Span;

/// The largest number of bytes that are passed at a time: on devices stack is scarce.
const PIECE: usize = if cfg!(feature = "hosted") { 512 } else { 32 };

/// A sink that passes the bytes to a function of the program, piece by piece. An error of the function ends the dump with [`Error::SINK`].
///
/// On a device, to a serial line:
///
/// ```no_run
/// # struct Uart(Vec<u8>);
/// # impl Uart {
/// #     fn send(&mut self, byte: u8) -> Result<(), ()> { self.0.push(byte); Ok(()) }
/// # }
/// # fn dump(uart: &mut Uart) -> profrt::Result {
/// let mut sink = profrt::sink::Bytes(|bytes: &[u8]| bytes.iter().try_for_each(|byte| uart.send(*byte)));
/// profrt::capture_frame(&mut sink, 0)
/// # }
/// ```
///
/// The bytes are copies, since the program may count while it dumps.
#[derive(Debug)]
pub struct Bytes<F>(pub F);

impl<E, F: FnMut(&[u8]) -> core::result::Result<(), E>> Sink for Bytes<F> {
    unsafe fn put(&mut self, span: Span) -> Result {
        let mut rest = span;
        while rest.len > 0 {
            let piece = rest.prefix(PIECE);
            rest = rest.skip(piece.len);
            let mut bytes = [0; PIECE];
            let Some(bytes) = bytes.get_mut(..piece.len) else { break };
            // SAFETY: a part of a span that is readable by this function's contract; the array is this function's own.
            unsafe { copy(bytes.as_mut_ptr(), piece.start, piece.len) };
            os::initialized(bytes.as_mut_ptr(), piece.len);
            (self.0)(bytes).map_err(|_| Error::SINK)?;
        }
        Ok(())
    }

    in_turn! {}
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    #[test]
    fn all_bytes_come_in_order_and_errors_end_it() {
        let sent: Vec<u8> = (0..10_000u32).map(|number| (number * 7 / 4) as u8).collect();
        let mut came: Vec<u8> = Vec::new();
        let mut sink = Bytes(|bytes: &[u8]| {
            came.extend(bytes);
            if came.len() < 10_000 { Ok(()) } else { Err(()) }
        });
        // SAFETY: spans of a live vector.
        let (first, last) = unsafe { (sink.put(Span::of(&sent[..9_999])), sink.put(Span::of(&sent[9_999..]))) };
        assert_eq!((first, last), (Ok(()), Err(Error::SINK)));
        assert_eq!(came, sent);
    }

    /// docs/BARE-METAL.md shows the example, which is compiled.
    #[test]
    fn the_sink_of_the_docs_is_the_example() {
        let docs = include_str!("../../docs/BARE-METAL.md");
        let example = include_str!("bytes.rs").lines().filter_map(|line| line.strip_prefix("/// "));
        let mut shown = example.skip_while(|line| !line.starts_with("let mut sink")).take(2);
        assert!(
            shown.all(|line| docs.contains(&std::format!("    {line}\n"))),
            "docs/BARE-METAL.md has another example"
        );
    }
}
