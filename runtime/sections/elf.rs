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
    /// The value nodes that the compiler reserves.
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

    /// `Elf64_Ehdr` or `Elf32_Ehdr`, up to the last field that is read.
    #[repr(C)]
    struct ElfHeader {
        ident: [u8; 16],
        kind: u16,
        machine: u16,
        version: u32,
        entry: usize,
        program_headers: usize,
        section_headers: usize,
        flags: u32,
        header_size: u16,
        program_header_size: u16,
        program_header_count: u16,
    }

    /// `Elf64_Phdr` or `Elf32_Phdr`.
    #[repr(C)]
    struct ProgramHeader {
        kind: u32,
        #[cfg(target_pointer_width = "64")]
        flags: u32,
        offset: usize,
        address: usize,
        physical_address: usize,
        file_size: usize,
        size: usize,
        #[cfg(target_pointer_width = "32")]
        flags: u32,
        align: usize,
    }

    /// The kinds of loaded segments and of segments of notes.
    const LOADED: u32 = 1;
    const NOTE: u32 = 4;

    impl ProgramHeader {
        /// Returns whether all of another segment lies in this one.
        fn holds(&self, other: &ProgramHeader) -> bool {
            let end = |segment: &ProgramHeader| segment.address.checked_add(segment.size);
            other.address >= self.address && end(other).is_some() && end(other) <= end(self)
        }
    }

    /// Returns the ELF header of this image, or `None` where it is not loaded.
    fn elf_header() -> Option<&'static ElfHeader> {
        // Hidden from the optimizer, which assumes that no static is at address 0.
        let header: *const ElfHeader = core::hint::black_box((&raw const EHDR).cast());
        // SAFETY: the linker defines `__ehdr_start` only when the ELF header is in a loaded segment, where nobody writes to it. It is aligned to
        // a page.
        unsafe { header.as_ref() }
    }

    /// Returns the program headers of this image and its distance from the addresses in them. No headers where the ELF header is not loaded or
    /// has another layout than this machine's.
    fn headers() -> (&'static [ProgramHeader], usize) {
        let Some(header) = elf_header().filter(|header| {
            usize::from(header.program_header_size) == size_of::<ProgramHeader>()
                && header.program_headers.is_multiple_of(align_of::<ProgramHeader>())
        }) else {
            return (&[], 0);
        };
        let base = core::ptr::from_ref(header).cast::<u8>();
        let (first, count) = (base.wrapping_add(header.program_headers), usize::from(header.program_header_count));
        // SAFETY: as many as the header says, of the size and alignment that was checked. Linkers place them after the ELF header in the same
        // segment.
        let headers = unsafe { core::slice::from_raw_parts(first.cast::<ProgramHeader>(), count) };
        // The segment that holds file offset 0 is where the header is.
        match headers.iter().find(|segment| segment.kind == LOADED && segment.offset == 0) {
            Some(segment) => (headers, base.addr().wrapping_sub(segment.address)),
            None => (&[], 0),
        }
    }

    /// Returns the bytes from the first to the last loaded segment of this image, or an empty span where they are not known.
    #[inline(never)]
    pub fn loaded_range() -> Span {
        let (headers, distance) = headers();
        let loaded = headers.iter().filter(|segment| segment.kind == LOADED);
        let (from, to) = loaded.fold((usize::MAX, 0), |(from, to), segment| {
            (from.min(segment.address), to.max(segment.address.saturating_add(segment.size)))
        });
        Span { start: distance.wrapping_add(from) as *const u8, len: to.saturating_sub(from) }
    }

    /// Returns the note segments, or empty spans where the program headers are not known.
    #[inline(never)]
    pub fn spans() -> [Span; MAX_NOTE_SEGMENTS] {
        let (headers, distance) = headers();
        // A note outside of every loaded segment is not in memory (patched images).
        let is_loaded =
            |note: &&ProgramHeader| headers.iter().any(|segment| segment.kind == LOADED && segment.holds(note));
        let found = headers.iter().filter(|segment| segment.kind == NOTE).filter(is_loaded);
        let mut notes = [Span::EMPTY; MAX_NOTE_SEGMENTS];
        for (slot, note) in notes.iter_mut().zip(found) {
            *slot = Span { start: distance.wrapping_add(note.address) as *const u8, len: note.size };
        }
        notes
    }

    /// Returns the first build id, or an empty span.
    pub fn build_id() -> Span {
        super::super::build_id::first(&spans())
    }
}
