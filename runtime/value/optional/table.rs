//! The table of optional functions in programs for hosted systems: a section of which the linker makes the bounds. It is empty in a program
//! that counts no values.

/// Expands to `$form` of the symbols of all optional functions, in the order of the table. Linking the table links them all, so none of them
/// may need the C library: programs without one count values too.
macro_rules! table_symbols {
    ($form:ident) => {
        $crate::value::optional::mechanism::$form! {
            "profrt_values_write", "profrt_values_as_numbers", "profrt_values_reset", "profrt_values_release_locks",
            "profrt_values_limit", "profrt_values_check", "profrt_values_merge", "profrt_values_take_over",
            "profrt_values_insert", "profrt_values_in_buffer"
        }
    };
}

macro_rules! array {
    ($($symbol:literal),*) => {
        [$($symbol),*]
    };
}

/// Emits the table: distances from the entries to the pointers, which need no relocation by the loader. The section is retained (`R`)
/// although only its bounds are referenced; gold's `-r` drops it all the same, so [`link_table`] refers to it. The table also links the
/// calls that count either kind of values: GNU ld and gold search an archive once, and an object after it may count the other kind.
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

macro_rules! find {
    ($type:ty, $function:path, $symbol:literal) => {{
        let pointer = $crate::value::optional::mechanism::entry(const { $crate::value::optional::mechanism::place($symbol) });
        // SAFETY: the table has the address of the pointer that `provide` exports as `$symbol`, the pointer to `$function`; `optional` has
        // checked its type.
        pointer.map(|pointer| unsafe { pointer.cast::<$type>().read() })
    }};
}
pub(crate) use {array, emit_table, find, table_symbols};

/// Links the table into a program that has the caller, by a relocation that changes no bytes: no instruction. The caller's file must emit the
/// table.
#[inline(always)]
pub fn link_table() {
    // SAFETY: the directive emits no instruction.
    unsafe {
        core::arch::asm!(".reloc ., BFD_RELOC_NONE, profrt_values_table", options(nomem, nostack, preserves_flags))
    };
}

/// Returns the place of an optional function in the table.
#[allow(clippy::indexing_slicing, clippy::panic, reason = "called at compile time only")]
pub const fn place(symbol: &str) -> usize {
    const SYMBOLS: &[&str] = &table_symbols!(array);
    let mut place = 0;
    while place < SYMBOLS.len() {
        if same(SYMBOLS[place].as_bytes(), symbol.as_bytes()) {
            return place;
        }
        place += 1;
    }
    panic!("the table has no such function")
}

/// Returns whether two symbols are equal.
#[allow(clippy::indexing_slicing, reason = "called at compile time only")]
const fn same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

core::arch::global_asm!(
    ".weak __start_profrt_values, __stop_profrt_values",
    ".hidden __start_profrt_values, __stop_profrt_values",
);

/// Returns the address of the pointer at a place of the table, or `None` in a program without the table.
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
    // SAFETY: an entry below the end of the section, which the linker concatenates from whole tables.
    let distance = unsafe { entry.read() };
    // The pointer is another object than the table.
    Some(core::ptr::with_exposed_provenance(entry.addr().wrapping_add_signed(distance as isize)))
}
