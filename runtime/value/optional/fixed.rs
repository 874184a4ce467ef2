//! Optional functions where no linker decides: all are linked, or on devices without C names none.

macro_rules! declare {
    ($symbol:literal) => {};
}

#[cfg(any(test, profrt_panic_proof, feature = "hosted"))]
macro_rules! find {
    ($type:ty, $function:path, $symbol:literal) => {
        Some($function)
    };
}
#[cfg(not(any(test, profrt_panic_proof, feature = "hosted")))]
macro_rules! find {
    ($type:ty, $function:path, $symbol:literal) => {
        None
    };
}
pub(crate) use {declare, find};
