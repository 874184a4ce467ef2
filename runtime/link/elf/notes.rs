//! The `PT_NOTE` segments of this image, found from its ELF header.

#![allow(unsafe_code)]

use crate::link::{MAX_NOTE_SEGMENTS, build_id, opaque};
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
    /// Returns whether this segment is loaded and has all of another one.
    fn holds(&self, other: &ProgramHeader) -> bool {
        let before = other.address.wrapping_sub(self.address);
        self.kind == LOADED && before <= self.size && other.size <= self.size.wrapping_sub(before)
    }
}

/// Returns the ELF header of this image, or `None` where it is not loaded.
fn elf_header() -> Option<&'static ElfHeader> {
    let header: *const ElfHeader = opaque((&raw const EHDR).cast());
    // SAFETY: the linker defines `__ehdr_start` only when the ELF header is in a loaded segment, where nobody writes to it. It is aligned to
    // a page.
    if cfg!(test) { None } else { unsafe { header.as_ref() } }
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
    let is_there = |note: &&ProgramHeader| note.kind == NOTE && headers.iter().any(|segment| segment.holds(note));
    let mut notes = [Span::EMPTY; MAX_NOTE_SEGMENTS];
    for (slot, note) in notes.iter_mut().zip(headers.iter().filter(is_there)) {
        *slot = Span { start: distance.wrapping_add(note.address) as *const u8, len: note.size };
    }
    notes
}

/// Returns the first build id, or an empty span.
pub fn build_id() -> Span {
    build_id::first(&spans())
}
