//! Optional code: functions that are linked only where something counts values. The hooks ([`crate::value::hook`]) link them; dumps,
//! merges and resets ask whether they are there. Neither firmware nor a program compiled for coverage has value sites, and flash is
//! short.
//!
//! On devices by weak references. On hosted systems by a table in a section of its own, whose bounds the linker provides: gold resolves
//! a weak hidden reference to an absent function to the address of the file's first byte, so weak references do not work there.

#![allow(unsafe_code)]

/// Defines a function that returns the optional function with the symbol, if it is linked. The function is always linked where the
/// linker does not pick archive members: in tests, in the proof that nothing panics, and in a hosted crate. It is never linked without
/// the C names, because hooks are C names.
macro_rules! optional {
    ($(#[$doc:meta])* fn $name:ident() -> $type:ty = $function:path, $symbol:literal;) => {
        $(#[$doc])*
        #[cfg(any(test, profrt_panic_proof, all(feature = "hosted", not(feature = "archive"))))]
        fn $name() -> Option<$type> {
            Some($function)
        }

        $(#[$doc])*
        #[cfg(all(feature = "hosted", feature = "archive", not(any(test, profrt_panic_proof))))]
        fn $name() -> Option<$type> {
            let address = $crate::value::optional::table_entry(const { $crate::value::optional::table_index($symbol) })?;
            // SAFETY: the table has `$function` at this index: no other function has the symbol.
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
            // Hidden from the optimizer, which assumes that no static has the address 0.
            let address: *const u8 = core::hint::black_box((&raw const FUNCTION).cast());
            // SAFETY: null, or `$function`: no other function has the symbol.
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
pub(crate) use optional;

/// Hides the symbol of an optional function, which the same file defines, from other images.
macro_rules! provide {
    ($symbol:literal) => {
        #[cfg(feature = "archive")]
        core::arch::global_asm!(concat!(".hidden ", $symbol));
    };
}
pub(crate) use provide;

/// Passes the symbols of the table, in their order, to a macro. A program that links the table links all of the functions, so none may
/// need the C library: programs without one count values too.
#[cfg(all(feature = "hosted", feature = "archive"))]
macro_rules! table {
    ($do:ident) => {
        $do! {
            "profrt_values_write", "profrt_values_as_numbers", "profrt_values_reset", "profrt_values_release_locks",
            "profrt_values_limit", "profrt_values_read", "profrt_values_merge", "profrt_values_take_over",
            "profrt_values_insert", "profrt_values_in_buffer"
        }
    };
}
#[cfg(all(feature = "hosted", feature = "archive", not(any(test, profrt_panic_proof))))]
pub(crate) use table;

/// Returns the index of a function in the table.
#[cfg(all(feature = "hosted", feature = "archive"))]
pub const fn table_index(symbol: &str) -> usize {
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

/// Returns whether two symbols are equal.
#[cfg(all(feature = "hosted", feature = "archive"))]
const fn same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// Emits the table: distances, so that it needs no relocation by a loader. Retained (`R`), because references go to its bounds only;
/// gold's `-r` ignores that, so [`keep_table`] refers to it. A program that links the hook for one kind of values links the other:
/// GNU ld and gold search an archive once, and later objects may call that hook.
#[cfg(all(feature = "hosted", feature = "archive", not(any(test, profrt_panic_proof))))]
macro_rules! emit_table {
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
pub(crate) use emit_table;

/// Retains the table, which is in the caller's object file, wherever the caller is retained: a relocation of no bytes.
#[cfg(all(feature = "hosted", feature = "archive", not(any(test, profrt_panic_proof))))]
#[inline(always)]
pub fn keep_table() {
    // SAFETY: emits no instruction.
    unsafe {
        core::arch::asm!(".reloc ., BFD_RELOC_NONE, profrt_values_table", options(nomem, nostack, preserves_flags))
    };
}

#[cfg(all(feature = "hosted", feature = "archive"))]
core::arch::global_asm!(
    ".weak __start_profrt_values, __stop_profrt_values",
    ".hidden __start_profrt_values, __stop_profrt_values",
);

/// Returns the address of the function at an index of the table, if the table is linked.
#[cfg(all(feature = "hosted", feature = "archive"))]
#[inline(never)]
pub fn table_entry(place: usize) -> Option<*const u8> {
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
    // SAFETY: within the section, which holds complete tables.
    let distance = unsafe { entry.read() };
    // Exposed provenance: the function is another object than the table.
    Some(core::ptr::with_exposed_provenance(entry.addr().wrapping_add_signed(distance as isize)))
}
