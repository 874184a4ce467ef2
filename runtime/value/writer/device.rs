//! Writes value data on devices: piecewise where something counts values, else records without values, because readers expect one for
//! each function with sites.

#![allow(unsafe_code)]

use core::convert::Infallible;

use crate::format::value_record::{WordSink, write_empty_record};
use crate::sink::latch::Latch;
use crate::value::linked;
use crate::value::node::{Record, has_sites};

impl WordSink for Latch<'_> {
    /// The latch keeps the failure.
    type Error = Infallible;

    #[inline(always)]
    fn word(&mut self, word: u64) -> Result<(), Infallible> {
        Latch::word(self, word);
        Ok(())
    }
}

/// Writes the value data of these records, at most `budget` pairs.
#[inline(always)]
pub fn write_device_values(records: &[Record], budget: usize, to: &mut Latch<'_>) {
    match linked::write_piecewise() {
        Some(write) => write(records, budget, to),
        None => write_empty_records(records, to),
    }
}

/// Writes a value record without values for each function with sites. Not inlined into its caller, because the writer of values needs most
/// stack.
#[inline(never)]
fn write_empty_records(records: &[Record], to: &mut Latch<'_>) {
    for record in records.iter().filter(|record| has_sites(record)) {
        let Ok(()) = write_empty_record(to, &record.num_value_sites);
    }
}

pub mod piecewise {
    //! Writes value records piecewise, for devices: they have no memory for the counts of a record's sites, so a write walks the lists
    //! for the size, again for the counts and again for the pairs. No node is added meanwhile ([`crate::value::frozen`]).
    //!
    //! Does not inline the parts of a record, because a dump needs most stack here.
    //!
    //! (Another core that was about to add a node when the write began may still do so. The write notices at the end of the record that
    //! the walks disagree: the dump fails, and a second one succeeds.)

    #![allow(unsafe_code)]

    use crate::error::Error;
    use crate::format::node::not_negative;
    use crate::format::value_record::{pack_counts, record_header, write_kind_header};
    use crate::native::KINDS;
    use crate::sink::latch::Latch;
    use crate::sync::Ordering;
    use crate::value::frozen;
    use crate::value::node::{Record, has_sites, heads, nodes, values_at};

    /// Writes the value data of all records, at most `budget` pairs.
    pub fn write_values_piecewise(records: &[Record], budget: usize, to: &mut Latch<'_>) {
        let _frozen = frozen::freeze();
        let mut left = budget;
        for record in records.iter().filter(|record| has_sites(record)) {
            left = write_values(record, left, to);
        }
    }

    /// Writes a record. Returns the rest of the budget. Finds sites by their numbers and computes values again instead of keeping them.
    #[inline(always)]
    fn write_values(record: &Record, budget: usize, to: &mut Latch<'_>) -> usize {
        let left = (0..heads(record).len()).fold(budget, |left, site| left.wrapping_sub(take(record, site, left)));
        write_header(record, budget.wrapping_sub(left), to);
        let (mut now, mut site) = (budget, 0);
        for kind in 0..KINDS {
            let mut rest = sites(record, kind);
            if rest > 0 {
                write_counts(record, kind, site, now, to);
            }
            while rest > 0 {
                let values = take(record, site, now);
                now = now.wrapping_sub(values);
                write_pairs(record, site, values, to);
                site = site.wrapping_add(1);
                rest = rest.wrapping_sub(1);
            }
        }
        if now != left && to.result.is_ok() {
            to.result = Err(Error::VALUES_CHANGED);
        }
        left
    }

    /// Returns the number of sites of a kind.
    #[inline(never)]
    fn sites(record: &Record, kind: usize) -> usize {
        record.num_value_sites.get(kind).map_or(0, |sites| usize::from(*sites))
    }

    /// Returns how many values of a site fit into a budget of `left` pairs.
    #[inline(never)]
    fn take(record: &Record, site: usize, left: usize) -> usize {
        heads(record).get(site).map_or(0, |head| usize::from(values_at(head)).min(left))
    }

    /// Writes the header of a record.
    #[inline(never)]
    fn write_header(record: &Record, pairs: usize, to: &mut Latch<'_>) {
        to.word(record_header(&record.num_value_sites, pairs as u64));
    }

    /// Writes the header of a kind whose first site is `site`.
    #[inline(never)]
    fn write_counts(record: &Record, kind: usize, mut site: usize, mut left: usize, to: &mut Latch<'_>) {
        let Ok(()) = write_kind_header(to, kind as u32, sites(record, kind) as u32, |many| {
            let counts = counts(record, site, many, &mut left);
            site = site.wrapping_add(many as usize);
            counts
        });
    }

    /// Returns the number of values of each of `many` sites from `site` on, and takes them from a budget of `left` pairs.
    #[inline(never)]
    fn counts(record: &Record, mut site: usize, many: u32, left: &mut usize) -> u64 {
        pack_counts(many, || {
            let values = take(record, site, *left);
            *left = left.wrapping_sub(values);
            site = site.wrapping_add(1);
            values as u8
        })
    }

    /// Writes the first `many` values of a site and their counts.
    #[inline(never)]
    fn write_pairs(record: &Record, site: usize, many: usize, to: &mut Latch<'_>) {
        let Some(head) = heads(record).get(site) else { return };
        for node in nodes(head).take(many) {
            to.word(node.value.load(Ordering::Relaxed));
            to.word(not_negative(node.total()));
        }
    }
}
