//! What is linked only where something counts values: who writes a profile asks for it, and who counts ([`super::record`]) brings
//! it along. Flash is short on devices, and neither firmware nor a program compiled for coverage has value sites.
//!
//! On devices by weak references. For programs of systems there is gold, which takes the address of what is not there for that of the
//! file's first byte; so there it is a section that is there or not, of which the linker makes the bounds.

#![allow(unsafe_code)]

/// A function that gives the function of this name, if it is linked. It always is where members are not picked one by one: in a test,
/// in the proof that nothing panics, and in a crate for systems, which may be optimised as one. It never is without the C names, which
/// code that counts calls.
macro_rules! linked {
    ($(#[$doc:meta])* fn $name:ident() -> $type:ty = $function:path, $symbol:literal;) => {
        $(#[$doc])*
        #[cfg(any(test, profrt_panic_proof, all(feature = "hosted", not(feature = "archive"))))]
        fn $name() -> Option<$type> {
            Some($function)
        }

        $(#[$doc])*
        #[cfg(all(feature = "hosted", feature = "archive", not(any(test, profrt_panic_proof))))]
        fn $name() -> Option<$type> {
            let address = $crate::value::optional::entry(const { $crate::value::optional::place($symbol) })?;
            // SAFETY: the table has the function above at this place: nobody else has that name.
            Some(unsafe { core::mem::transmute::<*const u8, $type>(address) })
        }

        #[cfg(all(not(any(test, profrt_panic_proof, feature = "hosted")), feature = "abi"))]
        core::arch::global_asm!(concat!(".weak ", $symbol), concat!(".hidden ", $symbol));

        $(#[$doc])*
        #[cfg(all(not(any(test, profrt_panic_proof, feature = "hosted")), feature = "abi"))]
        #[inline(always)]
        fn $name() -> Option<$type> {
            unsafe extern "C" {
                #[link_name = $symbol]
                static FUNCTION: [u64; 0];
            }
            // Hidden from the optimiser, which takes no static to be at address 0.
            let address: *const u8 = core::hint::black_box((&raw const FUNCTION).cast());
            // SAFETY: null, or the function above: nobody else has that name.
            unsafe { core::mem::transmute::<*const u8, Option<$type>>(address) }
        }

        $(#[$doc])*
        #[cfg(not(any(test, profrt_panic_proof, feature = "hosted", feature = "abi")))]
        #[inline(always)]
        fn $name() -> Option<$type> {
            None
        }
    };
}
pub(crate) use linked;

/// Keeps the name that [`optional`] looks for to the image: the function of that name is in the same file.
macro_rules! to_be_linked {
    ($symbol:literal) => {
        #[cfg(feature = "archive")]
        core::arch::global_asm!(concat!(".hidden ", $symbol));
    };
}
pub(crate) use to_be_linked;

/// The functions in the table, in its order. What brings the table along brings them, so none of them may need the C library: programs
/// without one count values too.
#[cfg(all(feature = "hosted", feature = "archive"))]
macro_rules! table {
    ($do:ident) => {
        $do! {
            "profrt_values_write", "profrt_values_as_numbers", "profrt_values_forget", "profrt_values_free",
            "profrt_values_limit", "profrt_values_read", "profrt_values_unite", "profrt_values_take_over",
            "profrt_values_insert", "profrt_values_in_buffer"
        }
    };
}
#[cfg(all(feature = "hosted", feature = "archive", not(any(test, profrt_panic_proof))))]
pub(crate) use table;

/// The place of a function in the table.
#[cfg(all(feature = "hosted", feature = "archive"))]
pub const fn place(symbol: &str) -> usize {
    macro_rules! names {
        ($($symbol:literal),*) => { [$($symbol),*] };
    }
    const NAMES: &[&str] = &table!(names);
    let mut at = 0;
    while at < NAMES.len() {
        if same(NAMES[at].as_bytes(), symbol.as_bytes()) {
            return at;
        }
        at += 1;
    }
    panic!("the table has no such function")
}

#[cfg(all(feature = "hosted", feature = "archive"))]
const fn same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// Lays the table: distances, which no loader has to change. Kept (`R`) though nobody refers to it but by its bounds; gold's `-r` forgets
/// that, so [`keep`] refers to it. Who counts one kind of values brings the call for the other: GNU ld and gold look into an archive once,
/// and what stands behind it may count that.
#[cfg(all(feature = "hosted", feature = "archive", not(any(test, profrt_panic_proof))))]
macro_rules! lay {
    ($($symbol:literal),*) => {
        core::arch::global_asm!(
            ".pushsection profrt_values, \"aR\", %progbits",
            ".p2align 2",
            "profrt_values_table:",
            $(concat!(".hidden ", $symbol), concat!(".long ", $symbol, " - ."),)*
            ".popsection",
            ".globl __llvm_profile_instrument_target, __llvm_profile_instrument_memop",
        );
    };
}
#[cfg(all(feature = "hosted", feature = "archive", not(any(test, profrt_panic_proof))))]
pub(crate) use lay;

/// Keeps the table where the caller is kept: a relocation of no bytes. The table is in the caller's file.
#[cfg(all(feature = "hosted", feature = "archive", not(any(test, profrt_panic_proof))))]
#[inline(always)]
pub fn keep() {
    // SAFETY: no instruction at all.
    unsafe {
        core::arch::asm!(".reloc ., BFD_RELOC_NONE, profrt_values_table", options(nomem, nostack, preserves_flags))
    };
}

#[cfg(all(feature = "hosted", feature = "archive"))]
core::arch::global_asm!(
    ".weak __start_profrt_values, __stop_profrt_values",
    ".hidden __start_profrt_values, __stop_profrt_values",
);

/// The address at a place of the table, if there is one.
#[cfg(all(feature = "hosted", feature = "archive"))]
#[inline(never)]
pub fn entry(place: usize) -> Option<*const u8> {
    unsafe extern "C" {
        #[link_name = "__start_profrt_values"]
        static START: [i32; 0];
        #[link_name = "__stop_profrt_values"]
        static STOP: [i32; 0];
    }
    let entry = (&raw const START).cast::<i32>().wrapping_add(place);
    if entry.addr() >= (&raw const STOP).addr() {
        return None;
    }
    // SAFETY: within the section, which the linker has made of whole tables.
    let distance = unsafe { entry.read() };
    // The function is another object than the table.
    Some(core::ptr::with_exposed_provenance(entry.addr().wrapping_add_signed(distance as isize)))
}
