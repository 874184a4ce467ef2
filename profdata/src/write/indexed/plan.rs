//! All offsets and sizes of an indexed profile, and the walk that writes it.

use std::io::Write;

use super::fit::Fit;
use super::order::{Group, Groups};
use super::output::Output;
use super::{WriteOptions, Written, era, fit, record, sections};
use crate::chained::ChainedTable;
use crate::error::{Error, ErrorKind};
use crate::finding::{Finding, FindingKind, MemProfLoss};
use crate::flags::Flags;
use crate::name::Name;
use crate::profile::Profile;
use crate::read::indexed::MAGIC;
use crate::release::Target;
use crate::sink::RecordRef;
use crate::summary::{CUTOFFS, Summary, SummaryPart};
use crate::write::left_out::LeftOut;

/// Everything that is decided before the first byte is written.
pub(super) struct Plan<'p> {
    profile: &'p Profile,
    fit: Fit,
    /// The bits of function hashes that are written.
    keep: u64,
    flags: Flags,
    groups: Groups,
    table: ChainedTable,
    summary: Summary,
    context_summary: Option<Summary>,
    /// Offsets in the header behind the version's first five words, in the order of the header.
    hash_offset: u64,
    offsets: Vec<u64>,
    /// MemProf, binary ids, names of vtables, traces: those that there are.
    sections: Vec<Vec<u8>>,
    written: Written,
}

impl<'p> Plan<'p> {
    pub(super) fn new(profile: &'p Profile, target: Target, options: &WriteOptions) -> Result<Plan<'p>, Error> {
        let keep = era::check_hash_era(profile, target.version(), options.hash_eras)?;
        let mut plan = Plan {
            profile,
            fit: Fit::new(target),
            keep,
            flags: fit::flags(profile, target)?,
            groups: Groups::new(profile, target, keep)?,
            table: ChainedTable::new(&[]),
            summary: Summary::default(),
            context_summary: None,
            hash_offset: 0,
            offsets: Vec::new(),
            sections: Vec::new(),
            written: Written::default(),
        };
        plan.report_unnamed();
        // Up to here the groups stand as the records do, so that memory is walked in order.
        plan.measure(options.sparse)?;
        plan.summary = Summary::of_release(plan.records(), SummaryPart::Plain, &CUTOFFS, target.release());
        if plan.flags.has(Flags::CONTEXT_SENSITIVE) {
            let summary =
                Summary::of_release(plan.records(), SummaryPart::ContextSensitive, &CUTOFFS, target.release());
            plan.context_summary = Some(summary);
        }
        plan.groups.order(profile, target.name_order());
        let hashes: Vec<u64> = plan.groups.groups.iter().map(|group| group.hash).collect();
        plan.table = ChainedTable::new(&hashes);
        if plan.table.buckets().any(|bucket| bucket.count() > usize::from(u16::MAX)) {
            let error = Error::new(ErrorKind::Unwritable, "bucket");
            return Err(error.expected("at most 65535 names, as hashes that are MD5 have"));
        }
        plan.place(target, options)?;
        Ok(plan)
    }

    /// Reports the records without the bytes of a name.
    fn report_unnamed(&mut self) {
        let profile = self.profile;
        if profile.names().iter().all(|(_, name)| name.bytes.is_some()) {
            return;
        }
        let unnamed = profile.records().filter(|record| record.name.bytes.is_none());
        let finding = |record: RecordRef<'_>| Finding::of_function(record.name.hash, record.hash, FindingKind::NoName);
        self.written.findings.extend(unnamed.map(finding));
    }

    /// Computes the sizes of records, and reports what they lose. Names that `sparse` leaves out keep the size 0.
    fn measure(&mut self, sparse: bool) -> Result<(), Error> {
        let (profile, fit, written) = (self.profile, self.fit, &mut self.written);
        let mut left_out = LeftOut::default();
        let mut groups = std::mem::take(&mut self.groups.groups);
        for group in &mut groups {
            let members = self.groups.members(group);
            let records = || members.iter().filter_map(|member| profile.stored_record(*member as usize));
            if sparse && !records().any(|record| record.is_live()) {
                continue;
            }
            for record in records() {
                left_out.add(&record, fit.kept);
                record::cut_sites(&record, fit, |kind, site, left_out| {
                    let kind = FindingKind::ValuesCut { kind, site, left_out };
                    written.findings.push(Finding::of_function(record.name.hash, record.hash, kind));
                });
                let size = record::size(&record, fit);
                group.size += size.ok_or_else(|| Error::new(ErrorKind::TooLarge, "ValueProfData.TotalSize"))? as u64;
                written.records += 1;
            }
            written.names += 1;
        }
        self.groups.groups = groups;
        left_out.report(profile, &mut self.written.findings);
        Ok(())
    }

    /// Computes all offsets, and makes the sections whose sizes only their bytes tell.
    fn place(&mut self, target: Target, options: &WriteOptions) -> Result<(), Error> {
        let (profile, fit) = (self.profile, self.fit);
        let add = |sum: u64, group: &Group| sum.checked_add(24 + u64::from(group.name_len))?.checked_add(group.size);
        let payload = self.groups.groups.iter().try_fold(2 * self.table.used() as u64, add);
        let payload = payload.ok_or_else(|| Error::new(ErrorKind::TooLarge, "profile"))?;
        let blocks = 1 + u64::from(self.flags.has(Flags::CONTEXT_SENSITIVE));
        let start = crate::read::indexed::header::size(fit.version) as u64 + blocks * SUMMARY_SIZE;
        self.hash_offset = (start + payload).next_multiple_of(8);
        let mut at = self.hash_offset + 16 + 8 * self.table.len() as u64;
        let sections = &mut self.sections;
        let mut section = |bytes: Vec<u8>, at: &mut u64| {
            let start = *at;
            *at += bytes.len() as u64;
            sections.push(bytes);
            start
        };
        let loses = |findings: &mut Vec<Finding>, kind| findings.push(Finding::of_input(kind));

        let mut memprof_offset = 0;
        match profile.memprof_sections() {
            [] => {}
            [(from, bytes)] if fit.has_memprof() && crate::memprof::is_read_by(bytes, target.release()) => {
                match crate::memprof::relocate(bytes, *from, at) {
                    Ok(moved) => {
                        self.flags |= Flags::MEMPROF;
                        memprof_offset = section(moved, &mut at);
                    }
                    Err(error) => loses(&mut self.written.findings, memprof_loss(&error).into()),
                }
            }
            [_] => loses(&mut self.written.findings, MemProfLoss::NotInFormat.into()),
            _ => loses(&mut self.written.findings, MemProfLoss::Several.into()),
        }
        let mut binary_ids_offset = 0;
        if fit.has_binary_ids() {
            binary_ids_offset = section(sections::binary_ids(profile), &mut at);
        } else if !profile.binary_ids().is_empty() {
            let ids = profile.binary_ids().len() as u64;
            loses(&mut self.written.findings, FindingKind::BinaryIdsLeftOut { ids });
        }
        let (mut vtable_names_offset, names) = (0, profile.vtable_names());
        if fit.has_vtable_names() {
            let names = if options.vtable_names { names } else { &[] };
            vtable_names_offset = section(sections::vtable_names(names), &mut at);
        } else if !names.is_empty() && options.vtable_names {
            loses(&mut self.written.findings, FindingKind::VtableNamesLeftOut { names: names.len() as u64 });
        }
        let (mut traces_offset, traces) = (0, profile.traces().len() as u64);
        if profile.flags().has(Flags::TEMPORAL) || traces > 0 {
            if fit.has_traces() {
                self.flags |= Flags::TEMPORAL;
                traces_offset = section(sections::traces(profile), &mut at);
            } else {
                loses(&mut self.written.findings, FindingKind::TracesLeftOut { traces });
            }
        }
        self.written.bytes = at;
        let offsets = [
            (fit.has_memprof(), memprof_offset),
            (fit.has_binary_ids(), binary_ids_offset),
            (fit.has_traces(), traces_offset),
            (fit.has_vtable_names(), vtable_names_offset),
        ];
        self.offsets = offsets.into_iter().filter_map(|(has, offset)| has.then_some(offset)).collect();
        Ok(())
    }

    fn name(&self, group: &Group) -> Name<'p> {
        self.profile.names().get(group.name)
    }

    /// Returns the records to be written, with the hashes to be written.
    fn records(&self) -> impl Iterator<Item = RecordRef<'_>> + Clone {
        let groups = self.groups.groups.iter().filter(|group| group.size != 0);
        let members = groups.flat_map(|group| self.groups.members(group));
        let records = members.filter_map(|member| self.profile.stored_record(*member as usize));
        records.map(|record| RecordRef { hash: record.hash & self.keep, ..record })
    }

    /// Writes everything.
    pub(super) fn write(self, out: &mut impl Write) -> Result<Written, Error> {
        let mut out = Output::new(out);
        out.bytes(&MAGIC)?;
        out.u64(u64::from(self.fit.version) | self.flags.bits());
        out.u64(0);
        out.u64(0);
        out.u64(self.hash_offset);
        out.words(&self.offsets)?;
        write_summary(&self.summary, &mut out)?;
        if let Some(summary) = &self.context_summary {
            write_summary(summary, &mut out)?;
        }
        self.write_table(&mut out)?;
        for section in &self.sections {
            out.bytes(section)?;
        }
        out.flush()?;
        debug_assert_eq!(out.position(), self.written.bytes);
        Ok(self.written)
    }

    /// Reads a little of what will be written for these groups. Their parts stand all over the memory: a CPU fetches many places at a time
    /// if nothing in between waits for one of them.
    fn touch(&self, groups: &[(&PlannedItem, Group)]) {
        let mut seen = 0;
        for (_, group) in groups {
            let record =
                self.groups.members(group).first().and_then(|member| self.profile.stored_record(*member as usize));
            let counter = record.and_then(|record| record.counters.first().copied());
            seen ^= counter.unwrap_or(0)
                ^ u64::from(self.name(group).bytes.and_then(|bytes| bytes.first().copied()).unwrap_or(0));
        }
        std::hint::black_box(seen);
    }

    fn write_table(&self, out: &mut Output<'_, impl Write>) -> Result<(), Error> {
        let mut places = vec![0; self.table.len()];
        let items: Vec<PlannedItem> =
            self.table.buckets().enumerate().flat_map(|(bucket, items)| PlannedItem::of(bucket, items)).collect();
        let mut loaded = Vec::with_capacity(TOGETHER);
        for items in items.chunks(TOGETHER) {
            loaded.clear();
            loaded.extend(items.iter().filter_map(|item| Some((item, *self.groups.groups.get(item.number as usize)?))));
            self.touch(&loaded);
            for (item, group) in &loaded {
                if let (Some(count), Some(place)) = (item.bucket_len, places.get_mut(item.bucket as usize)) {
                    *place = out.position();
                    out.u16(count);
                }
                let bytes = self.name(group).bytes.unwrap_or(&[]);
                out.u64(group.hash);
                out.u64(bytes.len() as u64);
                out.u64(group.size);
                out.bytes(bytes)?;
                for member in self.groups.members(group) {
                    let Some(record) = self.profile.stored_record(*member as usize) else { continue };
                    record::write(&record, record.hash & self.keep, self.fit, out)?;
                }
            }
        }
        out.pad(out.position() as usize);
        debug_assert_eq!(out.position(), self.hash_offset);
        out.u64(self.table.len() as u64);
        out.u64(self.table.items() as u64);
        out.words(&places)
    }
}

/// The number of items that [`Plan::touch`] looks at together.
const TOGETHER: usize = 32;

/// An item in the order of the buckets.
struct PlannedItem {
    number: u32,
    bucket: u32,
    /// The number of items in the bucket, before the first of them.
    bucket_len: Option<u16>,
}

impl PlannedItem {
    /// Returns the items of a bucket.
    fn of(bucket: usize, items: impl Iterator<Item = usize> + Clone) -> impl Iterator<Item = PlannedItem> {
        let count = items.clone().count() as u16;
        let first = std::iter::once(Some(count)).chain(std::iter::repeat(None));
        items.zip(first).map(move |(item, bucket_len)| PlannedItem {
            number: item as u32,
            bucket: bucket as u32,
            bucket_len,
        })
    }
}

/// Size of a summary: numbers of fields and rows, six fields, rows.
const SUMMARY_SIZE: u64 = 16 + 6 * 8 + CUTOFFS.len() as u64 * 24;

fn write_summary(summary: &Summary, out: &mut Output<'_, impl Write>) -> Result<(), Error> {
    out.words(&[
        6,
        summary.cutoffs.len() as u64,
        summary.functions,
        summary.counters,
        summary.max_function_count,
        summary.max_count,
        summary.max_internal_count,
        summary.total_count,
    ])?;
    for row in &summary.cutoffs {
        out.words(&[row.cutoff.into(), row.min_count, row.counts])?;
    }
    Ok(())
}

fn memprof_loss(error: &Error) -> MemProfLoss {
    match error.kind() {
        ErrorKind::Unwritable => MemProfLoss::UnknownVersion,
        _ => MemProfLoss::Damaged,
    }
}
