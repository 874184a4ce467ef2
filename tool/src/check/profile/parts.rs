//! Every part against the records.

use profdata::read::names::NameTable;
use profrt_format::layout::{Part, Plan, binary_id_size};
use profrt_format::{Encoding, RawVersion, RecordShape, WordSize};

use super::{Check, Checked, OVERWRITTEN};
use crate::text::many;

/// Counts that no program reaches; readers warn of them.
const MOST: u64 = 1 << 56;

/// Counters that belong to a function.
pub struct Owned {
    /// Where they begin in their part, in bytes. Not always a multiple of 8: on Windows the part begins before the first counter.
    from: u64,
    pub number: u64,
}

impl Check<'_> {
    /// Paddings are zeros.
    pub fn padding(&self, plan: &Plan) -> Checked {
        for chunk in plan.chunks() {
            let from = (chunk.offset + chunk.len) as usize;
            let bytes = &self.profile[from..][..chunk.padding as usize];
            if let Some(place) = bytes.iter().position(|byte| *byte != 0) {
                let field = format!("padding behind {:?}", chunk.part);
                let cause = format!("a size in the header does not fit what follows, or {OVERWRITTEN}");
                return Err(self.bad(field, from + place, "0", bytes[place].to_string(), cause));
            }
        }
        Ok(())
    }

    pub fn binary_ids(&self, plan: &Plan, encoding: Encoding) -> Checked {
        let chunk = plan.chunk(Part::BinaryIds);
        let base = chunk.offset as usize;
        let bytes = self.part(plan, Part::BinaryIds);
        let mut at = 0;
        while at < bytes.len() {
            let left = bytes.len() - at;
            let len = encoding.u64_at(bytes, at);
            let entry = len.map(binary_id_size);
            match entry {
                Some(size) if size > 8 && size <= left as u64 => at += size as usize,
                _ => {
                    let found = len.map_or(many(left as u64, "byte"), |len| format!("a length of {len}"));
                    let expected = format!("a binary id in the {left} bytes that are left for ids");
                    return Err(self.bad("binary id", base + at, expected, found, OVERWRITTEN));
                }
            }
        }
        Ok(())
    }

    /// Each record's counters and bitmap lie within theirs. The counters that belong to functions.
    pub fn records(&self, plan: &Plan, encoding: Encoding) -> Checked<Vec<Owned>> {
        let data = self.part(plan, Part::Data);
        let base = plan.chunk(Part::Data).offset as usize;
        let shape = RecordShape::of(plan.version(), encoding.word);
        let counter = plan.counter_size();
        let mut owned = Vec::new();
        for (index, record) in data.chunks_exact(shape.size as usize).enumerate() {
            let at = base + index * shape.size as usize;
            let of = format!("of record {index}");
            let number = u64::from(encoding.u32_at(record, shape.num_counters).unwrap_or(0));
            if number == 0 {
                let cause = self.record_cause(plan, encoding);
                return Err(self.bad(format!("NumCounters {of}"), at + shape.num_counters, "1 or more", "0", cause));
            }
            let within = |field: &str, pointer: usize, delta: u64, bytes: u64, part: Part| {
                let len = plan.chunk(part).len;
                let from = relative(record, pointer, delta, index, &shape, encoding);
                if from.checked_add(bytes).is_some_and(|end| end <= len) {
                    return Ok(from);
                }
                let expected = format!("the place of {bytes} bytes within the {len} of {part:?}");
                let found = if from > len { "a place outside".to_owned() } else { format!("byte {from} of them") };
                Err(self.bad(format!("{field} {of}"), at + pointer, expected, found, self.record_cause(plan, encoding)))
            };
            let delta = plan.header().counters_delta;
            let from = within("CounterPtr", shape.counter_ptr, delta, number * counter, Part::Counters)?;
            owned.push(Owned { from, number });
            let bitmap = shape.num_bitmap_bytes.and_then(|at| encoding.u32_at(record, at)).unwrap_or(0);
            if let (Some(pointer), true) = (shape.bitmap_ptr, bitmap > 0) {
                within("BitmapPtr", pointer, plan.header().bitmap_delta, u64::from(bitmap), Part::Bitmap)?;
            }
        }
        Ok(owned)
    }

    /// Why records make no sense: of another raw version, or damaged.
    fn record_cause(&self, plan: &Plan, encoding: Encoding) -> String {
        let data = self.part(plan, Part::Data);
        let counters = plan.chunk(Part::Counters).len;
        let fits = |version: RawVersion| {
            let shape = RecordShape::of(version, encoding.word);
            let records = data.chunks_exact(shape.size as usize).enumerate().take(4);
            data.len() >= shape.size as usize
                && records.into_iter().all(|(index, record)| {
                    let number = encoding.u32_at(record, shape.num_counters).unwrap_or(0);
                    let delta = plan.header().counters_delta;
                    let from = relative(record, shape.counter_ptr, delta, index, &shape, encoding);
                    let len = u64::from(number) * plan.counter_size();
                    number > 0 && from.checked_add(len).is_some_and(|end| end <= counters)
                })
        };
        // Versions 9 and 10 look alike here; 10 is by far the more frequent one.
        let others = [RawVersion::V10, RawVersion::V8, RawVersion::V11, RawVersion::V9];
        match others.into_iter().find(|other| *other != plan.version() && fits(*other)) {
            Some(other) => format!(
                "compiler and runtime do not belong together: the records look like raw version {} ({}), the runtime that wrote \
                 the file is for {} ({}). Link the runtime of the compiler that made the objects",
                other.number(),
                other.emitters(),
                plan.version().number(),
                plan.version().emitters()
            ),
            None => OVERWRITTEN.to_owned(),
        }
    }

    /// How many counters are not 0. Where there are records, only their counters are looked at, as by readers.
    pub fn counters(&self, plan: &Plan, encoding: Encoding, owned: &[Owned]) -> Checked<u64> {
        let mut all: Vec<(usize, u64)> = owned.iter().map(|owned| (owned.from as usize, owned.number)).collect();
        // Functions may share counters.
        all.sort_unstable();
        all.dedup_by_key(|(from, _)| *from);
        if plan.header().num_data == 0 {
            all.push((0, plan.header().num_counters));
        }
        let size = plan.counter_size() as usize;
        let mut counted = 0;
        for (from, number) in all {
            for index in 0..number as usize {
                counted += u64::from(self.counter(plan, encoding, from + index * size)?);
            }
        }
        Ok(counted)
    }

    /// Whether the counter at this byte of its part has counted something.
    fn counter(&self, plan: &Plan, encoding: Encoding, from: usize) -> Checked<bool> {
        let bytes = self.part(plan, Part::Counters);
        let at = plan.chunk(Part::Counters).offset as usize + from;
        let size = plan.counter_size() as usize;
        let field = || format!("counter {}", from / size);
        if size == 1 {
            return match bytes.get(from) {
                Some(0) => Ok(true),
                Some(0xff) | None => Ok(false),
                Some(other) => {
                    Err(self.bad(field(), at, "0 (covered) or 0xff (not)", format!("{other:#x}"), OVERWRITTEN))
                }
            };
        }
        let count = encoding.u64_at(bytes, from).unwrap_or(0);
        if count > MOST {
            let cause = "the memory of the counters was never zeroed by the start-up code, or was overwritten";
            return Err(self.bad(field(), at, "at most 2^56", format!("{count:#x}"), cause));
        }
        Ok(count > 0)
    }

    pub fn names(&self, plan: &Plan, part: Part) -> Checked {
        let Some(error) = NameTable::recent(self.part(plan, part)).1 else { return Ok(()) };
        let at = plan.chunk(part).offset.saturating_add(error.details().offset.unwrap_or(0));
        let expected = error.details().expected.as_deref().unwrap_or("names");
        let found = error.details().found.clone().unwrap_or_else(|| "other bytes".into());
        let cause = format!("{OVERWRITTEN}; or a size in the header does not fit");
        Err(self.bad(format!("{part:?}"), at as usize, expected, found, cause))
    }
}

/// Where a record's bytes begin in their part, from the pointer relative to the record.
fn relative(record: &[u8], pointer: usize, delta: u64, index: usize, shape: &RecordShape, encoding: Encoding) -> u64 {
    let pointer = encoding.word_at(record, pointer).unwrap_or(0);
    let from = pointer.wrapping_sub(delta.wrapping_sub((index as u64).wrapping_mul(shape.size)));
    match encoding.word {
        WordSize::W32 => from & u64::from(u32::MAX),
        WordSize::W64 => from,
    }
}
