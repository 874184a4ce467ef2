//! The bytes of one record.

use std::io::Write;

use super::fit::Fit;
use super::output::Output;
use crate::error::Error;
use crate::sink::RecordRef;
use crate::values::{KindSites, Value, ValueSites};

/// The number of values that a site can have on disk.
pub(super) const SITE_LIMIT: usize = u8::MAX as usize;

/// Returns the size of a record; `None` if its values are too large for their size field.
pub(super) fn size(record: &RecordRef<'_>, fit: Fit) -> Option<usize> {
    let mut size = 16 + 8 * record.counters.len();
    if fit.kept.bitmaps {
        let len = record.bitmap.len();
        size += 8 + if fit.has_packed_bitmaps() { len.next_multiple_of(8) } else { 8 * len };
    }
    if fit.kept.uniformity {
        size += 8 + record.uniformity.len().next_multiple_of(8);
    }
    let values = values_size(record.values, fit);
    u32::try_from(values).is_ok().then_some(size + values)
}

fn kinds(values: Option<&ValueSites>, fit: Fit) -> impl Iterator<Item = (u32, &KindSites)> + Clone {
    let kinds = values.map_or(&[][..], |values| &values.kinds);
    (0..).zip(kinds).take(fit.kept.kinds).filter(|(_, kind)| !kind.is_empty())
}

/// Returns the size of the values.
fn values_size(values: Option<&ValueSites>, fit: Fit) -> usize {
    kinds(values, fit).fold(8, |size, (_, kind)| {
        // Most kinds have no site with too many values, and no need to be walked.
        let written = match kind.values().len() {
            few @ ..=SITE_LIMIT => few,
            _ => kind.sites().map(|site| site.len().min(SITE_LIMIT)).sum(),
        };
        size + 8 + kind.len().next_multiple_of(8) + 16 * written
    })
}

/// Writes a record, with `hash` for its hash.
pub(super) fn write(
    record: &RecordRef<'_>,
    hash: u64,
    fit: Fit,
    out: &mut Output<'_, impl Write>,
) -> Result<(), Error> {
    out.u64(hash);
    out.u64(record.counters.len() as u64);
    out.words(record.counters)?;
    if fit.kept.bitmaps {
        out.u64(record.bitmap.len() as u64);
        if fit.has_packed_bitmaps() {
            out.bytes(record.bitmap)?;
            out.pad(record.bitmap.len());
        } else {
            out.items(record.bitmap, |byte| u64::from(byte).to_le_bytes())?;
        }
    }
    if fit.kept.uniformity {
        out.u64(record.uniformity.len() as u64);
        out.bytes(record.uniformity)?;
        out.pad(record.uniformity.len());
    }
    out.u32(values_size(record.values, fit) as u32);
    out.u32(kinds(record.values, fit).count() as u32);
    for (number, kind) in kinds(record.values, fit) {
        write_kind(number, kind, out)?;
    }
    Ok(())
}

fn write_kind(number: u32, kind: &KindSites, out: &mut Output<'_, impl Write>) -> Result<(), Error> {
    out.u32(number);
    out.u32(kind.len() as u32);
    kind.sites().for_each(|site| out.byte(site.len().min(SITE_LIMIT) as u8));
    out.pad(kind.len());
    let pair = |value: Value| (u128::from(value.value) | u128::from(value.count) << 64).to_le_bytes();
    if kind.sites().all(|site| site.len() <= SITE_LIMIT) {
        return out.items(kind.values(), pair);
    }
    for site in kind.sites() {
        if site.len() <= SITE_LIMIT {
            out.items(site, pair)?;
        } else {
            let mut most = site.to_vec();
            most.sort_by_key(|value| std::cmp::Reverse(value.count));
            most.truncate(SITE_LIMIT);
            out.items(&most, pair)?;
        }
    }
    Ok(())
}

/// Calls `cut` with kind, site and number of values for each site that has more values than are written.
pub(super) fn cut_sites(record: &RecordRef<'_>, fit: Fit, mut cut: impl FnMut(u8, u64, u64)) {
    for (number, kind) in kinds(record.values, fit).filter(|(_, kind)| kind.values().len() > SITE_LIMIT) {
        for (site, values) in (0..).zip(kind.sites()).filter(|(_, values)| values.len() > SITE_LIMIT) {
            cut(number as u8, site, (values.len() - SITE_LIMIT) as u64);
        }
    }
}
