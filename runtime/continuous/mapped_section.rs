//! One section that becomes pages of a file, and may stop being that.

#![allow(unsafe_code)]

use core::ptr;
use core::sync::atomic::{AtomicIsize, Ordering};

use super::counts::{self, CountKind};
use super::method::MappingMethod;
use super::snapshot::InitialCounts;
use crate::error::{Error, Result};
use crate::layout::{Part, Plan};
use crate::os;
use crate::os::file::{Fd, move_pages};
use crate::sections::{bias, elf};
use crate::span::Span;

/// What is known of one section. Invariant: while `home` is not 0, the program counts in the pages there, and they are ours to
/// replace.
#[derive(Debug)]
pub struct MappedSection {
    /// It is the bitmap, and not the counters.
    bitmap: bool,
    /// How it is mapped.
    pub method: MappingMethod,
    /// The pages that the program counts in, once they are pages of a file.
    home: usize,
    /// Pages of a new file that is not in use yet; 0: there are none.
    view: usize,
    /// Bytes of whole pages.
    len: usize,
}

impl MappedSection {
    /// An area of which nothing is known before [`MappedSection::choose`]. All zeros, so that the file state takes no room in the
    /// program's file.
    pub const UNKNOWN: MappedSection =
        MappedSection { bitmap: false, method: MappingMethod::Nothing, home: 0, view: 0, len: 0 };

    fn part(&self) -> Part {
        if self.bitmap { Part::Bitmap } else { Part::Counters }
    }

    /// The section as the linker placed it.
    fn section(&self) -> Span {
        match self.part() {
            Part::Counters => elf::counters::span(),
            _ => elf::bitmap::span(),
        }
    }

    /// The memory that the program counts in now.
    pub fn live(&self) -> Span {
        match self.method {
            MappingMethod::Moved if self.home != 0 => {
                Span { start: ptr::with_exposed_provenance(self.home), len: self.section().len }
            }
            _ => self.section(),
        }
    }

    /// Finds the way for the section.
    pub fn choose(&mut self, part: Part, page: usize) {
        self.bitmap = part == Part::Bitmap;
        if self.home == 0 {
            self.method = MappingMethod::of(self.section(), self.bias().is_some(), page);
        }
    }

    /// Maps the part of a new file, which is whole, beside what is there.
    pub fn prepare(&mut self, file: &Fd, plan: &Plan) -> Result {
        self.give_up();
        if self.method.mapped() {
            let chunk = plan.chunk(self.part());
            let len = usize::try_from(chunk.len.wrapping_add(chunk.padding)).map_err(|_| Error::OVERFLOW)?;
            // What takes the place of pages must not be longer than they are.
            if self.method == MappingMethod::InPlace && len != self.section().len || self.home != 0 && len != self.len {
                return Err(Error::OVERFLOW);
            }
            self.view = file.map(chunk.offset, len)?.expose_provenance();
            self.len = len;
        }
        Ok(())
    }

    /// Does without the new file.
    pub fn give_up(&mut self) {
        if self.view != 0 {
            os::unmap_pages(ptr::with_exposed_provenance_mut(self.view), self.len);
            self.view = 0;
        }
    }

    /// Puts the new file's pages in the place of those that the program counts in. `since`: what the file was filled from,
    /// `from`: with what. What is counted behind that until the pages change places goes to the file where it has the counts before.
    /// `old`: the file that was mapped before, if it is at hand.
    ///
    /// # Safety
    /// `since` must point to as many bytes as the section has, aligned as it is.
    pub unsafe fn change(
        &mut self,
        kind: CountKind,
        since: *const u8,
        from: InitialCounts,
        old: Option<&Fd>,
        plan: &Plan,
    ) -> Result {
        if self.view == 0 {
            return Ok(());
        }
        let view: *mut u8 = ptr::with_exposed_provenance_mut(self.view);
        let live = self.live();
        if self.method == MappingMethod::Moved && self.home == 0 {
            self.home = self.view;
            self.view = 0;
            self.tell();
            let section = self.section();
            if from == InitialCounts::Live {
                // SAFETY: the section, its copy (the caller's contract) and the new pages are equally long.
                unsafe { counts::drain(kind, section, since, view) };
            }
            return Ok(());
        }
        let home = live.start.cast_mut();
        // The same pages of the file that goes, to see what other threads count until the very change.
        let before = old.and_then(|file| {
            let pages = file.map(plan.chunk(self.part()).offset, self.len).ok()?;
            Some(Span { start: pages, len: live.len })
        });
        if before.is_none() && from == InitialCounts::Live {
            // SAFETY: what is there, its copy (the caller's contract) and the new pages are equally long.
            unsafe { counts::add_since(kind, live, since, view) };
        }
        // SAFETY: whole pages that hold counts only: of the section (`MappingMethod::InPlace`), or a mapping of ours. What they hold is
        // in the new ones.
        let moved = unsafe { move_pages(view, home, self.len) };
        if let Some(before) = before {
            if moved.is_ok() && from == InitialCounts::Live {
                // SAFETY: equally long (the caller's contract), and the new pages are there now.
                unsafe { counts::add_since(kind, before, since, home) };
            }
            os::unmap_pages(before.start.cast_mut(), self.len);
        }
        moved?;
        self.view = 0;
        self.home = home.expose_provenance();
        // Once more: a child may have been forked before it was told.
        self.tell();
        Ok(())
    }

    /// The compiler's variable, if the program has one.
    fn bias(&self) -> Option<&'static AtomicIsize> {
        match self.part() {
            Part::Counters => bias::counters::variable(),
            _ => bias::bitmap::variable(),
        }
    }

    /// Tells instrumented code where counters are now.
    fn tell(&self) {
        if self.method == MappingMethod::Moved
            && let Some(bias) = self.bias()
        {
            bias.store(self.home.wrapping_sub(self.section().start.addr()) as isize, Ordering::Relaxed);
        }
    }

    /// Adds what code that did not know of the move yet has counted in the section.
    pub fn collect(&self, kind: CountKind) {
        if self.method == MappingMethod::Moved && self.home != 0 {
            // SAFETY: the section is writable and as long as what it was moved to.
            unsafe { counts::drain(kind, self.section(), ptr::null(), self.live().start.cast_mut()) };
        }
    }

    /// Forgets what such code has counted.
    pub fn discard(&self, kind: CountKind) {
        if self.method == MappingMethod::Moved && self.home != 0 {
            // SAFETY: the section is writable.
            unsafe { counts::clear(kind, self.section()) };
        }
    }

    /// Back to memory of the process's own, which begins anew.
    pub fn leave(&mut self, kind: CountKind) -> Result {
        if self.home == 0 {
            return Ok(());
        }
        let live = self.live();
        let pages = os::map_pages(self.len).ok_or(Error::ENOMEM)?;
        // SAFETY: fresh pages that are at least as long.
        unsafe { counts::clear(kind, Span { start: pages, len: live.len }) };
        // SAFETY: the pages at home are ours to replace, and what they hold is not wanted.
        unsafe { move_pages(pages, live.start.cast_mut(), self.len) }
    }
}
