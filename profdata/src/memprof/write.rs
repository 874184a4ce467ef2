//! Writes sections, in an order that depends on nothing but their contents.

mod hashed;
mod linear;
mod order;

use order::Order;

use super::section::{Call, MemProf};
use super::stacks::StackId;
use super::summary::ContextSummary;
use crate::chained::ChainedTable;
use crate::error::{Error, ErrorKind};

/// What is decided before the first byte is written.
struct Layout<'a> {
    section: &'a MemProf,
    order: Order,
    /// The functions, by their hashes.
    functions: Vec<u64>,
    /// Numbers of the allocations, by function.
    allocations: Vec<usize>,
    /// By function.
    calls: Vec<Call>,
}

impl MemProf {
    /// Returns the section as it has to be `start` bytes into a profile. The order in which sections were merged does not show: functions
    /// stand in the order of their hashes, allocations and calls in the order of their stacks.
    ///
    /// Errors: [`ErrorKind::TooLarge`]: numbers of 32 bits do not suffice.
    pub fn write(&self, start: u64) -> Result<Vec<u8>, Error> {
        Layout::new(self)?.write(start)
    }
}

/// The record of a function.
#[derive(Clone, Copy)]
struct FunctionRecord<'a> {
    /// Numbers of its allocations.
    allocations: &'a [usize],
    calls: &'a [Call],
}

impl<'a> Layout<'a> {
    pub(super) fn new(section: &'a MemProf) -> Result<Layout<'a>, Error> {
        let order = Order::new(section)?;
        let mut functions = section.functions.clone();
        functions.sort_unstable();
        functions.dedup();
        let mut allocations: Vec<usize> = (0..section.allocations.len()).collect();
        allocations.sort_by(|a, b| {
            let key = |number: usize| {
                let site = section.allocations.get(number);
                site.map(|site| (site.function, order.rank(site.stack), section.block(number)))
            };
            key(*a).cmp(&key(*b))
        });
        let mut calls = section.calls.clone();
        calls.sort_unstable_by_key(|call| (call.function, order.rank(call.stack), call.callee));
        calls.dedup();
        Ok(Layout { section, order, functions, allocations, calls })
    }

    /// Returns the section as it has to be `start` bytes into a profile.
    pub(super) fn write(&self, start: u64) -> Result<Vec<u8>, Error> {
        let mut out = Out { bytes: Vec::new(), start };
        if self.section.version < 3 {
            self.hashed(&mut out)?
        } else {
            self.linear(&mut out)?
        }
        Ok(out.bytes)
    }

    /// Returns the records of all functions, in order.
    fn records(&self) -> Vec<FunctionRecord<'_>> {
        let (mut allocations, mut calls) = (self.allocations.as_slice(), self.calls.as_slice());
        let of = |number: &usize| self.section.allocations.get(*number).map(|site| site.function);
        self.functions
            .iter()
            .map(|function| FunctionRecord {
                allocations: take_while(&mut allocations, |number| of(number) == Some(*function)),
                calls: take_while(&mut calls, |call| call.function == *function),
            })
            .collect()
    }

    fn stack_of(&self, allocation: usize) -> StackId {
        self.section.allocations.get(allocation).map_or(StackId::EMPTY, |site| site.stack)
    }

    fn summary(&self) -> ContextSummary {
        let mut summary = ContextSummary::new(self.section.stacks.nodes().len());
        for number in &self.allocations {
            summary.add(self.stack_of(*number), &self.section.schema, self.section.block(*number));
        }
        summary
    }

    fn schema(&self, out: &mut Out) {
        let ids = self.section.schema.ids();
        out.u64(ids.len() as u64);
        ids.iter().for_each(|id| out.u64(u64::from(*id)));
    }

    /// Writes the table of records, whose stacks `stack` writes. Returns where its array is.
    fn record_table(&self, out: &mut Out, stack: impl Fn(&mut Out, StackId)) -> Result<u64, Error> {
        let records = self.records();
        let mut data = Out { bytes: Vec::new(), start: 0 };
        out.table(&self.functions, true, |out, number| {
            let Some(record) = records.get(number) else { return };
            data.bytes.clear();
            self.record(&mut data, *record, &stack);
            out.u64(data.bytes.len() as u64);
            self.functions.get(number).into_iter().for_each(|function| out.u64(*function));
            out.bytes.extend_from_slice(&data.bytes);
        })
    }

    fn record(&self, out: &mut Out, record: FunctionRecord<'_>, stack: impl Fn(&mut Out, StackId)) {
        out.u64(record.allocations.len() as u64);
        for number in record.allocations {
            stack(out, self.stack_of(*number));
            out.bytes.extend_from_slice(self.section.block(*number));
        }
        let calls = || record.calls.chunk_by(|a, b| a.stack == b.stack);
        out.u64(calls().count() as u64);
        for calls in calls() {
            calls.first().into_iter().for_each(|call| stack(out, call.stack));
            if self.section.version >= 4 {
                let callees = || calls.iter().filter_map(|call| call.callee);
                out.u64(callees().count() as u64);
                callees().for_each(|callee| out.u64(callee));
            }
        }
    }
}

/// Takes the items from the front to which `is_it` applies.
fn take_while<'a, T>(items: &mut &'a [T], is_it: impl Fn(&T) -> bool) -> &'a [T] {
    let len = items.iter().position(|item| !is_it(item)).unwrap_or(items.len());
    let (taken, rest) = items.split_at_checked(len).unwrap_or((&[], &[]));
    *items = rest;
    taken
}

/// A section on its way.
struct Out {
    bytes: Vec<u8>,
    /// Where it starts in the profile.
    start: u64,
}

impl Out {
    /// Returns the place in the profile.
    fn offset(&self) -> u64 {
        self.start.wrapping_add(self.bytes.len() as u64)
    }

    fn u32(&mut self, number: u32) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    fn u64(&mut self, number: u64) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    /// Writes the version and room for so many offsets.
    fn header(&mut self, version: u64, offsets: usize) {
        self.u64(version);
        self.bytes.resize(8 * (1 + offsets), 0);
    }

    /// Writes the offsets into their room.
    fn offsets(&mut self, offsets: &[u64]) {
        let room = self.bytes.as_chunks_mut().0.iter_mut().skip(1);
        room.zip(offsets).for_each(|(to, offset)| *to = offset.to_le_bytes());
    }

    /// Writes a table of these keys. `data` writes the length of the data, the key and the data. Returns where the array of buckets is.
    ///
    /// Errors: a bucket has more keys than its 16 bits can say.
    fn table(&mut self, keys: &[u64], has_key_len: bool, mut data: impl FnMut(&mut Out, usize)) -> Result<u64, Error> {
        let table = ChainedTable::new(keys);
        let mut places = Vec::with_capacity(table.len());
        for bucket in table.buckets() {
            let count = bucket.clone().count();
            places.push(if count == 0 { 0 } else { self.offset() });
            if count > 0 {
                let count = u16::try_from(count).map_err(|_| {
                    let error = Error::new(ErrorKind::TooLarge, "MemProf.Bucket");
                    error.expected("at most 65535 items").found(count)
                })?;
                self.bytes.extend_from_slice(&count.to_le_bytes());
            }
            for item in bucket {
                keys.get(item).into_iter().for_each(|key| self.u64(*key));
                if has_key_len {
                    self.u64(8);
                }
                data(self, item);
            }
        }
        let pad = self.offset().wrapping_neg() % 8;
        self.bytes.extend([0; 8].into_iter().take(pad as usize));
        let array = self.offset();
        self.u64(table.len() as u64);
        self.u64(keys.len() as u64);
        places.into_iter().for_each(|place| self.u64(place));
        Ok(array)
    }
}
