//! CRC-32: that of Ethernet and zip, polynomial 0x04C11DB7 reflected, all ones at start and end.

/// The state of the CRC of no bytes.
pub const START: u32 = u32::MAX;

const POLYNOMIAL: u32 = 0xedb8_8320;

/// Returns the state after one more byte. Computed bit by bit: on devices a table would take more flash than this code.
#[inline(always)]
pub const fn step(state: u32, byte: u8) -> u32 {
    let mut state = state ^ byte as u32;
    let mut bit = 0;
    while bit < 8 {
        state = state >> 1 ^ POLYNOMIAL & (state & 1).wrapping_neg();
        bit += 1;
    }
    state
}

/// Returns the CRC as it is stored.
#[inline(always)]
pub const fn value(state: u32) -> u32 {
    !state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_value_of_the_standard() {
        assert_eq!(value(b"123456789".iter().fold(START, |state, byte| step(state, *byte))), 0xcbf4_3926);
    }
}
