//! Maps one section onto pages of a file.

#![allow(unsafe_code)]

use core::ptr;
use core::sync::atomic::{AtomicIsize, Ordering};

use super::counts::{self, CountKind, counter_kind};
use crate::error::{Error, Result};
use crate::format::layout::Part;
use crate::link;
use crate::native::Plan;
use crate::os;
use crate::os::file::{Fd, move_pages};
use crate::reset::fill;
use crate::sections::bias;
use crate::span::Span;

/// The mapping method for one section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MappingMethod {
    /// The section is empty and needs no mapping.
    Nothing,
    /// The section has pages of its own: the file is mapped over them.
    InPlace,
    /// The file is mapped at any address, and the bias variable has the distance.
    Moved,
    /// The section cannot be mapped: its bytes are written to the file at a dump.
    Written,
}

impl MappingMethod {
    /// Returns the method for a section as the linker placed it. Prefers `InPlace`, which also works for objects compiled without the bias.
    pub fn of(section: Span, has_bias: bool, page: usize) -> MappingMethod {
        // The page size is a power of two.
        let inside = page.wrapping_sub(1);
        let whole = section.start.addr() & inside == 0 && section.len & inside == 0;
        match section.len {
            0 => MappingMethod::Nothing,
            _ if whole => MappingMethod::InPlace,
            _ if has_bias => MappingMethod::Moved,
            _ => MappingMethod::Written,
        }
    }

    /// Returns whether the section's bytes can be pages of a file.
    pub fn can_map(self) -> bool {
        matches!(self, MappingMethod::InPlace | MappingMethod::Moved)
    }
}

/// The mapping of one section. Invariant: while `home` is not 0, the program counts in the pages there, which the runtime may replace.
pub struct MappedSection {
    /// Whether the section is the bitmap, and not the counters.
    bitmap: bool,
    /// How the section is mapped.
    pub method: MappingMethod,
    /// The address at which the program counts since the first file was mapped there; 0: none was.
    home: usize,
    /// The address of the mapped pages of a new file that is not in use yet; 0: there are none.
    new_pages: usize,
    /// The size of the mapping, in bytes of whole pages.
    len: usize,
}

impl MappedSection {
    /// The state before [`MappedSection::choose`]. All zeros, so that the state of the profile file takes no bytes in the program's file.
    pub const UNKNOWN: MappedSection =
        MappedSection { bitmap: false, method: MappingMethod::Nothing, home: 0, new_pages: 0, len: 0 };

    /// Returns the part of the profile that the section is.
    fn part(&self) -> Part {
        if self.bitmap { Part::Bitmap } else { Part::Counters }
    }

    /// Returns the meaning of the section's bytes.
    fn kind(&self) -> CountKind {
        if self.bitmap { CountKind::Bits } else { counter_kind() }
    }

    /// Returns the section as the linker placed it.
    fn section(&self) -> Span {
        if self.bitmap { link::bitmap::span() } else { link::counters::span() }
    }

    /// Returns the memory that the program counts in now.
    pub fn live(&self) -> Span {
        match self.method {
            MappingMethod::Moved if self.home != 0 => {
                Span { start: ptr::with_exposed_provenance(self.home), len: self.section().len }
            }
            _ => self.section(),
        }
    }

    /// Chooses the method for the section, unless it is mapped already.
    pub fn choose(&mut self, part: Part, page: usize) {
        self.bitmap = part == Part::Bitmap;
        if self.home == 0 {
            self.method = MappingMethod::of(self.section(), self.bias().is_some(), page);
        }
    }

    /// Maps the section's part of a new, complete file, without using it yet.
    pub fn prepare(&mut self, file: &Fd, plan: &Plan) -> Result {
        self.give_up();
        if self.method.can_map() {
            let chunk = plan.chunk(self.part());
            let len = usize::try_from(chunk.len.wrapping_add(chunk.padding)).map_err(|_| Error::OVERFLOW)?;
            // The new pages must not cover more than the old ones.
            if self.method == MappingMethod::InPlace && len != self.section().len || self.home != 0 && len != self.len {
                return Err(Error::OVERFLOW);
            }
            self.new_pages = file.map(chunk.offset, len)?.expose_provenance();
            self.len = len;
        }
        Ok(())
    }

    /// Unmaps the pages of a new file that are not in use yet.
    pub fn give_up(&mut self) {
        if self.new_pages != 0 {
            os::unmap_pages(ptr::with_exposed_provenance_mut(self.new_pages), self.len);
            self.new_pages = 0;
        }
    }

    /// Makes the program count in the pages of the new file. `snapshot` is the copy of the section that the file was filled from: counts that
    /// the program makes after it are added to the file; null for a file where counts start from zero. `old` is the file that the counters are
    /// pages of until now, if it is open: it is mapped again, because the move unmaps where the program counts.
    ///
    /// | the program counts in | `snapshot` | counts after the snapshot are read |
    /// | --- | --- | --- |
    /// | a section that is not mapped: empty, or `Written` | any | |
    /// | the section, which is to move | given | from the section, after the move |
    /// | | null | not |
    /// | mapped pages, or the section, if it is mapped in place | null | not |
    /// | | given | with `old`: from its pages, after the move |
    /// | | | where it cannot be mapped: from where the program counts, before the move; later ones of other threads are missed |
    ///
    /// # Safety
    /// `snapshot` must point to as many bytes as the section has, aligned as it is.
    pub unsafe fn change(&mut self, snapshot: *const u8, old: Option<&Fd>, plan: &Plan) -> Result {
        if self.new_pages == 0 {
            return Ok(());
        }
        let (live, new, counted) = (self.live(), ptr::with_exposed_provenance_mut(self.new_pages), !snapshot.is_null());
        let kind = self.kind();
        // SAFETY: as long as the section are the caller's copy and all that this is called with: where the program counts, and pages of both files.
        let add = |from, to, clear| unsafe { counts::add(kind, from, snapshot, to, clear) };
        if self.method == MappingMethod::Moved && self.home == 0 {
            self.home = self.new_pages;
            self.new_pages = 0;
            self.store_bias();
            if counted {
                add(live, new, true);
            }
            return Ok(());
        }
        // All files of this image have the section at the same offset.
        let map = |file: &Fd| file.map(plan.chunk(self.part()).offset, self.len).ok();
        let old_pages = old.filter(|_| counted).and_then(map);
        if counted && old_pages.is_none() {
            add(live, new, false);
        }
        let replaced = self.replace_pages();
        if let Some(start) = old_pages {
            if replaced.is_ok() {
                add(Span { start, len: live.len }, live.start.cast_mut(), false);
            }
            os::unmap_pages(start, self.len);
        }
        replaced
    }

    /// Moves the new pages to the address where the program counts.
    fn replace_pages(&mut self) -> Result {
        let (home, new) = (self.live().start.cast_mut(), ptr::with_exposed_provenance_mut(self.new_pages));
        // SAFETY: the pages at `home` hold counts only: whole pages of the section (`MappingMethod::of` has checked it), or those of the last
        // `prepare`. The new pages hold their counts.
        unsafe { move_pages(new, home, self.len) }?;
        self.new_pages = 0;
        self.home = home.expose_provenance();
        // Again: this process may be a child that was forked before the bias was stored.
        self.store_bias();
        Ok(())
    }

    /// Returns the compiler's bias variable, if the program has one.
    fn bias(&self) -> Option<&'static AtomicIsize> {
        if self.bitmap { bias::bitmap::variable() } else { bias::counters::variable() }
    }

    /// Stores the distance to the counters in the bias variable.
    fn store_bias(&self) {
        if self.method == MappingMethod::Moved
            && let Some(bias) = self.bias()
        {
            bias.store(self.home.wrapping_sub(self.section().start.addr()) as isize, Ordering::Relaxed);
        }
    }

    /// Adds to the file the counts that running functions made in the section after the move: they had read the bias variable before.
    pub fn collect(&self) {
        if self.method == MappingMethod::Moved && self.home != 0 {
            // SAFETY: the section is writable; `prepare` has mapped as many bytes at `home`, to which the counters moved.
            unsafe { counts::add(self.kind(), self.section(), ptr::null(), self.live().start.cast_mut(), true) };
        }
    }

    /// Clears the counts that running functions made in the section after the move.
    pub fn discard(&self) {
        if self.method == MappingMethod::Moved && self.home != 0 {
            // SAFETY: the section is writable memory of this image.
            unsafe { fill(self.section(), self.kind().initial()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: usize, len: usize) -> Span {
        Span { start: start as *const u8, len }
    }

    #[test]
    fn only_whole_pages_are_mapped_over() {
        assert_eq!(MappingMethod::of(span(0x5000, 0x2000), false, 4096), MappingMethod::InPlace);
        assert_eq!(MappingMethod::of(span(0x5000, 0x2000), true, 4096), MappingMethod::InPlace);
        assert_eq!(MappingMethod::of(span(0x5000, 0x1ff8), false, 4096), MappingMethod::Written);
        assert_eq!(MappingMethod::of(span(0x5008, 0x1ff8), false, 4096), MappingMethod::Written);
        assert_eq!(MappingMethod::of(span(0x5000, 0x1ff8), true, 4096), MappingMethod::Moved);
        assert_eq!(MappingMethod::of(span(0x5000, 0x1000), false, 0x10000), MappingMethod::Written);
        assert_eq!(MappingMethod::of(span(0x5000, 0), true, 4096), MappingMethod::Nothing);
    }
}
