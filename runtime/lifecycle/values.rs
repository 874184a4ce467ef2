//! What the environment says about value profiling.

use crate::os;
use crate::report::{Grade, print};
use crate::value::limit;

/// Reads `LLVM_VP_MAX_NUM_VALS_PER_SITE`: how many values a site holds, 1 to 255.
pub fn setup() {
    let Some(text) = os::env(c"LLVM_VP_MAX_NUM_VALS_PER_SITE") else { return };
    match number(text.to_bytes()) {
        Some(max @ 1..=255) => limit::set_max_values(max),
        Some(max) if max > 255 => limit::set_max_values(255),
        _ => print(
            Grade::Warning,
            &[
                b"LLVM_VP_MAX_NUM_VALS_PER_SITE is ignored: it must be a number from 1 to 255, not ",
                text.to_bytes(),
                b".",
            ],
        ),
    }
}

/// A decimal number; what is too large is as large as can be.
fn number(text: &[u8]) -> Option<u32> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0u32, |sum, byte| {
        let digit = (*byte as char).to_digit(10)?;
        Some(sum.saturating_mul(10).saturating_add(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(number(b"16"), Some(16));
        assert_eq!(number(b"99999999999"), Some(u32::MAX));
        assert_eq!((number(b""), number(b"-1"), number(b"1x")), (None, None, None));
    }
}
