//! Unsigned numbers of 7 bits a byte, the lowest first (LEB128).

/// Takes a number of a type: arithmetic of 128 bits would be slow for counters.
macro_rules! take_as {
    ($number:ty, $bytes:expr) => {{
        let mut number: $number = 0;
        let mut shift: u32 = 0;
        loop {
            let (byte, rest) = $bytes.split_first()?;
            *$bytes = rest;
            let low = <$number>::from(byte & 0x7f);
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
    }};
}

/// Appends a number.
pub(crate) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends a number of up to 128 bits. One of 64 bits has the bytes of [`put`].
pub(crate) fn put_wide(bytes: &mut Vec<u8>, mut number: u128) {
    while number > u64::MAX.into() {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    put(bytes, number as u64);
}

/// Takes a number from the front of `bytes`. Returns `None` when the bytes end too early, or the number is above 2^64 - 1.
#[inline]
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    match *bytes {
        // Most numbers.
        [byte @ ..0x80, rest @ ..] => {
            *bytes = rest;
            Some((*byte).into())
        }
        _ => take_long(bytes),
    }
}

fn take_long(bytes: &mut &[u8]) -> Option<u64> {
    take_as!(u64, bytes)
}

/// Takes a number of up to 128 bits. Returns `None` when the bytes end too early, or the number is above 2^128 - 1.
pub(crate) fn take_wide(bytes: &mut &[u8]) -> Option<u128> {
    take_as!(u128, bytes)
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
    fn wide_numbers_come_back() {
        for number in [0, 0x80, u64::MAX.into(), 1 << 64, (1 << 70) - 1, 1 << 70, u128::MAX] {
            let mut bytes = Vec::new();
            put_wide(&mut bytes, number);
            let mut rest = bytes.as_slice();
            assert_eq!((take_wide(&mut rest), rest.len()), (Some(number), 0));
            assert_eq!(take(&mut &bytes[..]), u64::try_from(number).ok());
        }
        assert_eq!(take_wide(&mut &[0xff; 20][..]), None);
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
