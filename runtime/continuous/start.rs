//! The start of continuous mode: maps the counters onto the file as soon as its name is known, or reports why not.

use core::sync::atomic::Ordering;

use super::continuous_file;
use super::mapped_section::MappingMethod;
use super::mode::{begin_beside_parent, end_if_failed, has_begun, reset_mapped};
use super::request::{REQUESTED_PAGE_SIZE, WANTED, enabled};
use super::snapshot::InitialCounts;
use crate::format::layout::Part;
use crate::lifecycle::{filename, fork, run};
use crate::mismatch;
use crate::os;
use crate::report::{Grade, print, reason, say};
use crate::sections::{Image, variables};
use crate::state::RESET_MAPPED;
use crate::state::output::{NameSource, Output, STREAM};

/// Returns the page size of the file's layout: the requested one, if the system can map such pages.
fn layout_page_size() -> usize {
    let system = os::page_size();
    let requested = REQUESTED_PAGE_SIZE.load(Ordering::Relaxed) as usize;
    if requested.is_power_of_two() && requested > system { requested } else { system }
}

/// Maps the counters onto the file with the current name, if continuous mode is requested. If they are mapped already and the name was
/// changed, the profile moves to the file with the new name.
pub fn begin_or_move(output: &mut Output) {
    if !has_begun(output) && !enabled() {
        return;
    }
    let _suspended = os::ParentDeath::suspend();
    if output.continuous.is_mapped() {
        if output.renamed
            && let Err(error) = continuous_file::move_on(output)
        {
            let (name, continuous) = (output.name.as_bytes(), output.continuous.name.as_bytes());
            let parts: [&[u8]; 6] =
                [b"The profile cannot move to \"", name, b"\" and stays in \"", continuous, b"\": ", reason(error)];
            print(Grade::Error, &parts);
        }
        return;
    }
    if has_begun(output) {
        // The counters are pages of the parent's file, which keeps the counts so far.
        if output.renamed {
            begin_beside_parent(output);
        }
        return;
    }
    if STREAM.load(Ordering::Relaxed) != 0 || output.too_long {
        return;
    }
    // Nothing is written at the start of a set-uid program: only a call chooses a file here.
    if os::secure() && !(output.source == NameSource::Program && filename::is_chosen(output)) {
        return;
    }
    let image = Image::this();
    // The write at exit reports another raw version.
    if image.counters.len == 0 || mismatch::check(&image, variables::raw_version()).is_err() {
        return;
    }
    // Never changed afterwards: mapped sections have whole pages of this size.
    if output.continuous.page_size == 0 {
        output.continuous.page_size = layout_page_size();
    }
    let page_size = output.continuous.page_size;
    output.continuous.counters.choose(Part::Counters, page_size);
    output.continuous.bitmap.choose(Part::Bitmap, page_size);
    if !output.continuous.counters.method.can_map() {
        WANTED.store(false, Ordering::Relaxed);
        let name = output.pattern.as_bytes();
        let parts: [&[u8]; 3] = [
            b"Continuous mode (%c) is not possible, the profile is written when the program ends: ",
            name,
            b". Its counters share pages with other data and cannot be moved. Link profrt-continuous.o behind the program's \
              objects, or compile with -fprofile-continuous or -mllvm -runtime-counter-relocation.",
        ];
        print(Grade::Warning, &parts);
        return;
    }
    if output.continuous.bitmap.method == MappingMethod::Written {
        say(
            Grade::Warning,
            b"Continuous mode (%c) is not possible for MC/DC bitmaps, which are written when the program \
              ends. Link profrt-continuous.o behind the program's objects.",
        );
    }
    if !fork::register() {
        say(Grade::Warning, b"Forked children will count into the file of their parent: the system gave no memory.");
    }
    let mapped = continuous_file::map_first_free(output, InitialCounts::Live);
    if mapped.is_ok() {
        run::tell_once_mapped(output);
        RESET_MAPPED.store(reset_mapped as *mut (), Ordering::Relaxed);
    }
    end_if_failed(output, mapped);
}
