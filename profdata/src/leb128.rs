//! Unsigned numbers of 7 bits a byte, the lowest first (LEB128).

/// Appends a number.
pub(crate) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number from the front of `bytes`. Returns `None` when the bytes end too early, or the number is above 2^64 - 1.
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number: u64 = 0;
    let mut shift: u32 = 0;
    loop {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let low = u64::from(byte & 0x7f);
        let shifted = low.checked_shl(shift).unwrap_or(0);
        if shifted.checked_shr(shift).unwrap_or(0) != low {
            return None;
        }
        number |= shifted;
        if byte & 0x80 == 0 {
            return Some(number);
        }
        shift = shift.checked_add(7)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, u64::MAX - 1, u64::MAX] {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            let mut rest = bytes.as_slice();
            assert_eq!(take(&mut rest), Some(number));
            assert!(rest.is_empty());
        }
    }

    #[test]
    fn numbers_that_are_cut_or_too_large_are_none() {
        assert_eq!(take(&mut &[][..]), None);
        assert_eq!(take(&mut &[0x80][..]), None);
        assert_eq!(take(&mut &[0xff; 11][..]), None);
        assert_eq!(take(&mut &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2][..]), None);
        // LLVM, too, takes a number with needless zero bits.
        assert_eq!(take(&mut &[0x85, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0][..]), Some(5));
    }
}
