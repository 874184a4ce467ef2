//! Finds the bounds of the sections, from the `__start_`/`__stop_` symbols that ELF linkers define.
//!
//! The references are weak, so that absent sections read as empty, and hidden, so that each executable and each shared
//! object sees only its own. Both take effect only in the codegen unit that holds the `.weak` directive: each section has
//! its own module, and its accessor is never inlined into another one.

#![allow(unsafe_code)]

macro_rules! bounds {
    ($($(#[$doc:meta])* $name:ident = $section:literal $(=> $registered:ident)?)*) => {$(
        $(#[$doc])*
        pub mod $name {
            use crate::span::Span;

            core::arch::global_asm!(
                concat!(".weak __start_", $section),
                concat!(".hidden __start_", $section),
                concat!(".weak __stop_", $section),
                concat!(".hidden __stop_", $section),
            );

            unsafe extern "C" {
                // Zero-sized arrays: between two integers LLVM may assume different addresses and fold the comparison.
                #[link_name = concat!("__start_", $section)]
                static START: [u64; 0];
                #[link_name = concat!("__stop_", $section)]
                static STOP: [u64; 0];
            }

            /// Returns the bytes of the section in this image, or an empty span.
            #[inline(never)]
            pub fn span() -> Span {
                let span = Span::between((&raw const START).cast(), (&raw const STOP).cast());
                $(
                    #[cfg(all(not(feature = "hosted"), feature = "abi"))]
                    if span.len == 0 {
                        return super::registered(super::super::registered::$registered);
                    }
                )?
                span
            }

            /// Returns the bytes of the section that the linker has collected.
            #[cfg(not(feature = "hosted"))]
            #[inline(never)]
            pub fn linked() -> Span {
                Span::between((&raw const START).cast(), (&raw const STOP).cast())
            }
        }
    )*};
}

bounds! {
    /// Control records.
    data = "__llvm_prf_data" => DATA
    /// Counters.
    counters = "__llvm_prf_cnts" => COUNTERS
    /// MC/DC bitmaps.
    bitmap = "__llvm_prf_bits"
    /// Function names.
    names = "__llvm_prf_names" => NAMES
    /// Vtable records.
    vtables = "__llvm_prf_vtab"
    /// Vtable names.
    vnames = "__llvm_prf_vns"
    /// The compiler's pool of value nodes.
    vnodes = "__llvm_prf_vnds"
    /// The compiler's heads of value sites.
    vheads = "__llvm_prf_vals"
    /// gcov's write-out and reset functions.
    covinit = "__llvm_covinit"
    /// Order file instrumentation (clang 19 and before).
    orderfile = "__llvm_orderfile"
}

#[cfg(all(not(feature = "hosted"), feature = "abi"))]
core::arch::global_asm!(".weak profrt_registered", ".hidden profrt_registered");

/// Returns the bounds that objects have registered. The reference is weak: only objects of old compilers register, and link `register`.
#[cfg(all(not(feature = "hosted"), feature = "abi"))]
#[inline(never)]
fn registered(which: usize) -> crate::span::Span {
    unsafe extern "C" {
        static profrt_registered: [u64; 0];
    }
    // Hidden from the optimizer, which assumes that no static is at address 0.
    let bounds: *const super::registered::AllBounds = core::hint::black_box((&raw const profrt_registered).cast());
    // SAFETY: null, or the address of `register::ALL`, which has this name and type.
    unsafe { bounds.as_ref() }.and_then(|bounds| bounds.get(which)).map_or(crate::span::Span::EMPTY, |one| one.span())
}

core::arch::global_asm!(".weak profrt_records_in_elf", ".hidden profrt_records_in_elf");

unsafe extern "C" {
    static profrt_records_in_elf: [u64; 0];
}

// On devices a section that no linker script places ends up anywhere: in RAM that nothing loads, or under the heap. Therefore code that
// calls the function below (every dump, start and check) links only with one of our linker-script fragments, which define this symbol.
#[cfg(all(target_os = "none", not(feature = "hosted")))]
unsafe extern "C" {
    #[link_name = "error_profrt_is_linked_without_its_linker_script_profrt.x"]
    static IS_PLACED: [u64; 0];
}

/// Returns whether the linker script has left records and names in the ELF file, so that their bounds are not addresses in memory. (The
/// script then defines the symbol.)
#[inline(never)]
pub fn records_are_elsewhere() -> bool {
    #[cfg(all(target_os = "none", not(feature = "hosted")))]
    core::hint::black_box(&raw const IS_PLACED);
    !core::hint::black_box((&raw const profrt_records_in_elf).cast::<u8>()).is_null()
}

/// The build id of this image, in a section that our linker-script fragments make: on devices the ELF header is not loaded.
#[cfg(all(target_os = "none", not(feature = "hosted")))]
pub mod notes {
    use super::super::build_id::MAX_NOTE_SEGMENTS;
    use crate::span::Span;

    core::arch::global_asm!(
        ".weak __start_profrt_notes",
        ".hidden __start_profrt_notes",
        ".weak __stop_profrt_notes",
        ".hidden __stop_profrt_notes",
    );

    unsafe extern "C" {
        #[link_name = "__start_profrt_notes"]
        static START: [u64; 0];
        #[link_name = "__stop_profrt_notes"]
        static STOP: [u64; 0];
    }

    /// Returns the section with the build-id note.
    #[inline(never)]
    pub fn spans() -> [Span; MAX_NOTE_SEGMENTS] {
        [Span::between((&raw const START).cast(), (&raw const STOP).cast())]
    }

    /// Returns the build id, or an empty span. The section holds no other note.
    #[inline(never)]
    pub fn build_id() -> Span {
        let [note] = spans();
        // Length of the name ("GNU"), of the id, kind, name.
        let id = note.skip(16);
        if id.len == 0 {
            return id;
        }
        // SAFETY: the note has more than 16 bytes by the check above; the linker script aligns it to 4, and it is constant.
        id.prefix(unsafe { note.start.cast::<u32>().wrapping_add(1).read() } as usize)
    }

    /// Returns no bytes: the range is not known.
    pub fn loaded_range() -> Span {
        Span::EMPTY
    }
}

/// The `PT_NOTE` segments of this image, found from its ELF header.
#[cfg(not(all(target_os = "none", not(feature = "hosted"))))]
pub mod notes {
    use super::super::build_id::MAX_NOTE_SEGMENTS;
    use crate::span::Span;

    core::arch::global_asm!(".weak __ehdr_start", ".hidden __ehdr_start");

    unsafe extern "C" {
        #[link_name = "__ehdr_start"]
        static EHDR: [u64; 0];
    }

    #[cfg(target_pointer_width = "64")]
    mod native {
        //! `Elf64_Ehdr` and `Elf64_Phdr`, the fields we read.
        pub const PHOFF: usize = 32;
        pub const PHENTSIZE: usize = 54;
        pub const PHNUM: usize = 56;
        pub const PHDR_SIZE: usize = 56;
        pub const P_OFFSET: usize = 8;
        pub const P_VADDR: usize = 16;
        pub const P_MEMSZ: usize = 40;
    }
    #[cfg(target_pointer_width = "32")]
    mod native {
        //! `Elf32_Ehdr` and `Elf32_Phdr`, the fields we read.
        pub const PHOFF: usize = 28;
        pub const PHENTSIZE: usize = 42;
        pub const PHNUM: usize = 44;
        pub const PHDR_SIZE: usize = 32;
        pub const P_OFFSET: usize = 4;
        pub const P_VADDR: usize = 8;
        pub const P_MEMSZ: usize = 20;
    }

    const PT_LOAD: u32 = 1;
    const PT_NOTE: u32 = 4;

    /// Reads a `T` at `base + offset`.
    ///
    /// # Safety
    /// - `base + offset` must point to `size_of::<T>()` readable bytes that nobody writes to.
    /// - Every bit pattern must be a valid `T` (only integers are read here).
    unsafe fn read<T: Copy>(base: *const u8, offset: usize) -> T {
        // SAFETY: readable by this function's contract, which allows any bit pattern; alignment is not needed.
        unsafe { base.wrapping_add(offset).cast::<T>().read_unaligned() }
    }

    /// The program headers of this image.
    struct Headers {
        table: *const u8,
        count: usize,
        /// The distance of the image from the addresses in the headers.
        distance: usize,
    }

    /// Returns the program headers, or `None` where the ELF header is not loaded or has another layout than this machine's.
    fn headers() -> Option<Headers> {
        // Hidden from the optimizer, which assumes that no static is at address 0.
        let base: *const u8 = core::hint::black_box((&raw const EHDR).cast());
        if base.is_null() {
            return None;
        }
        // SAFETY: the linker defines `__ehdr_start` only when the ELF header is in a loaded segment.
        let (phoff, size, count) = unsafe { header(base) };
        if size != native::PHDR_SIZE {
            return None;
        }
        let table = base.wrapping_add(phoff);
        // The segment that holds file offset 0 is where `base` points to: it gives the distance, and, being the
        // one the linker put the headers in, it bounds what of the table is in memory.
        let is_first = |&i: &usize| kind(table, i) == PT_LOAD && segment(table, i).offset == 0;
        let first = segment(table, (0..count).find(is_first)?);
        Some(Headers { table, count, distance: (base as usize).wrapping_sub(first.address) })
    }

    /// Returns the bytes from the first to the last loaded segment of this image, or an empty span where they are not known.
    #[inline(never)]
    pub fn loaded_range() -> Span {
        let Some(Headers { table, count, distance }) = headers() else { return Span::EMPTY };
        let (mut from, mut to) = (usize::MAX, 0);
        for segment in (0..count).filter(|&i| kind(table, i) == PT_LOAD).map(|i| segment(table, i)) {
            from = from.min(segment.address);
            to = to.max(segment.address.saturating_add(segment.size));
        }
        Span { start: distance.wrapping_add(from) as *const u8, len: to.saturating_sub(from) }
    }

    /// Returns the note segments, or empty spans where the program headers are not known.
    #[inline(never)]
    pub fn spans() -> [Span; MAX_NOTE_SEGMENTS] {
        let mut notes = [Span::EMPTY; MAX_NOTE_SEGMENTS];
        let Some(Headers { table, count, distance }) = headers() else { return notes };
        let mut next = notes.iter_mut();
        for index in 0..count {
            if kind(table, index) != PT_NOTE {
                continue;
            }
            let note = segment(table, index);
            // A note outside of every loaded segment is not in memory (patched images, defect 14).
            if (0..count).any(|i| kind(table, i) == PT_LOAD && segment(table, i).holds(&note)) {
                let Some(slot) = next.next() else { break };
                *slot = Span { start: distance.wrapping_add(note.address) as *const u8, len: note.size };
            }
        }
        notes
    }

    /// Returns the first build id, or an empty span.
    pub fn build_id() -> Span {
        super::super::build_id::first(&spans())
    }

    /// Returns the address of this image's program headers, or 0 where its ELF header is not loaded.
    #[inline(never)]
    pub fn program_headers() -> usize {
        let base: *const u8 = core::hint::black_box((&raw const EHDR).cast());
        if base.is_null() {
            return 0;
        }
        // SAFETY: not null, and the linker defines `__ehdr_start` only when the ELF header is in a loaded segment.
        base.addr().wrapping_add(unsafe { header(base) }.0)
    }

    /// Returns the offset of the program headers, the size of one, and their number.
    ///
    /// # Safety
    /// `base` must point to the ELF header of a loaded image.
    unsafe fn header(base: *const u8) -> (usize, usize, usize) {
        // SAFETY: the three fields lie within the ELF header, to which `base` points by this function's contract.
        unsafe {
            (
                read::<usize>(base, native::PHOFF),
                usize::from(read::<u16>(base, native::PHENTSIZE)),
                usize::from(read::<u16>(base, native::PHNUM)),
            )
        }
    }

    /// The place of a segment: offset in the file, address before loading, size in memory.
    struct Segment {
        offset: usize,
        address: usize,
        size: usize,
    }

    impl Segment {
        /// Returns whether all of another segment lies in this one.
        fn holds(&self, other: &Segment) -> bool {
            let [end, other_end] = [self, other].map(|segment| segment.address.checked_add(segment.size));
            other.address >= self.address && other_end.is_some() && other_end <= end
        }
    }

    /// Returns the kind of a program header.
    #[inline(always)]
    fn kind(table: *const u8, index: usize) -> u32 {
        // SAFETY: `headers` has checked the size of an entry, and its callers keep `index` below the header's count. Linkers place the program
        // headers after the ELF header in the same segment.
        unsafe { read(table, index.wrapping_mul(native::PHDR_SIZE)) }
    }

    /// Returns the place of the segment of a program header.
    #[inline(always)]
    fn segment(table: *const u8, index: usize) -> Segment {
        let entry = table.wrapping_add(index.wrapping_mul(native::PHDR_SIZE));
        // SAFETY: `headers` has checked the size of an entry, and its callers keep `index` below the header's count, so `entry` is a program
        // header of this image.
        unsafe {
            Segment {
                offset: read(entry, native::P_OFFSET),
                address: read(entry, native::P_VADDR),
                size: read(entry, native::P_MEMSZ),
            }
        }
    }
}
