//! Writes files next to the profile: the order of first calls, and profiles of other targets.

#![allow(unsafe_code)]

use crate::error::{Error, Result};
use crate::format::Variant;
use crate::format::layout::Padding;
use crate::native::{RAW_VERSION, empty_plan};
use crate::os;
use crate::output::{self, Output};
use crate::path::{PathBuf, directory};
use crate::publish::{Content, Old, Publication, Way};
use crate::raw;
use crate::report::{Grade, fail, print};
use crate::sections::{Image, variables};
use crate::sink::Sink;

/// The bytes of a side file, which a function writes.
struct SideFile<'a>(&'a mut dyn FnMut(&mut dyn Sink) -> Result);

impl Content for SideFile<'_> {
    fn prepare(&mut self, _old: Old<'_>) -> Result {
        Ok(())
    }

    fn write(&mut self, sink: &mut dyn Sink) -> Result {
        (self.0)(sink)
    }
}

/// Writes a file under the profile's name with a prefix and a suffix, in the same directory. Reports failures.
fn write_side_file(prefix: &[u8], suffix: &[u8], fill: &mut dyn FnMut(&mut dyn Sink) -> Result) -> Result {
    let _suspended = os::ParentDeath::suspend();
    let mut output = output::lock().ok_or(Error::BUSY)?;
    let mask = output.mask_before();
    output.name.ensure();
    let Output { name, path, .. } = &mut *output;
    let content = &mut SideFile(fill);
    let result = name.check_allowed().and_then(|()| name.resolve(None, path)).and_then(|()| {
        rename(path, prefix, suffix)?;
        Publication { content, merges: false, mask, way: Way::Replace }.publish(path)
    });
    result.inspect_err(|error| fail(b"Failed to write file \"", output.shown(), *error))
}

/// Changes `DIR/NAME` to `DIR/PREFIXNAMESUFFIX`.
fn rename(name: &mut PathBuf, prefix: &[u8], suffix: &[u8]) -> Result {
    if !prefix.is_empty() {
        let at = directory(name.as_bytes()).len();
        name.insert(at, prefix)?;
    }
    name.push(suffix)
}

/// The bytes of the order file's buffer that are written; the compiler reserves twice as many.
const ORDER_BYTES: usize = 65536 * 8;

/// Writes the order in which functions were first called into `NAME.order`, replacing an existing file.
pub fn write_order_file() -> Result {
    let order = crate::link::orderfile::span().prefix(ORDER_BYTES);
    // SAFETY: the span is within a section of this image.
    write_side_file(b"", b".order", &mut |sink| unsafe { sink.write(&[order]) })
}

/// Writes a profile of another target (an offload device) into `DIR/TARGET.NAME`, replacing an existing file. `image`: the target's sections,
/// copied to this process. `version`: raw version and variant flags, where they differ from this image's.
///
/// # Safety
/// The spans must be readable.
pub unsafe fn write_foreign(target: &[u8], image: &Image, version: Option<u64>) -> Result {
    let version = version.unwrap_or(variables::raw_version());
    if Variant(version).number() != RAW_VERSION.number() {
        print(Grade::Error, &[b"The profile of target ", target, b" is of another raw version than this runtime."]);
        return Err(Error::bad_version(version));
    }
    let mut plan = empty_plan();
    raw::set_plan(&mut plan, image, version, Padding::Words)?;
    let mut prefix = crate::path::Text::<256>::new();
    prefix.push(target)?;
    prefix.push(b".")?;
    // SAFETY: the caller's spans are readable, and `set_plan` has made the plan of `image`.
    write_side_file(prefix.as_bytes(), b"", &mut |sink| unsafe { raw::write_parts(image, &plan, sink) })
}
