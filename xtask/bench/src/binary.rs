//! Raw profiles of a program that does not exist: as large as real ones, and made in a second.

use anyhow::{Context, Result, ensure};
use fastrand::Rng;
use profdata::name::name_hash;
use profdata::read::names::write_blob;
use profrt_format::layout::{Padding, Part, Plan, Shape};
use profrt_format::record::RecordShape;
use profrt_format::value_record::fill_record;
use profrt_format::{RawVersion, Variant, WordSize};

const VERSION: RawVersion = RawVersion::V10;
/// Addresses of sections that do not meet.
const COUNTERS: u64 = 0x10_0000_0000;
const DATA: u64 = 0x20_0000_0000;
const NAMES: u64 = 0x30_0000_0000;
const CODE: u64 = 0x40_0000_0000;

/// The largest number of counters of a function.
const LARGEST_FUNCTION: usize = 2 * 250;

/// How large a program is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub functions: usize,
    /// Counters of a function: all numbers from 1 to twice this less 1 are equally frequent.
    pub counters: usize,
    /// One function of so many has value sites.
    pub with_sites: usize,
}

/// A program with IR instrumentation: what all profiles of its runs share.
#[derive(Debug)]
pub struct Binary {
    functions: Vec<Function>,
    names: Vec<u8>,
    plan: Plan,
    /// Counts, of which functions that have run take a part.
    counts: Vec<u8>,
}

#[derive(Debug)]
struct Function {
    name: u64,
    hash: u64,
    counters: usize,
    /// Indirect calls, memory operations, vtables.
    sites: [u16; 3],
}

/// Returns a count of 16 bits or less. Each number of bits is equally frequent: most counts of real programs are small, and the same.
fn count(random: &mut Rng) -> u64 {
    let bits = random.u32(1..=16);
    random.u64(..) >> (64 - bits)
}

impl Binary {
    pub fn new(size: Size) -> Result<Binary> {
        let mut random = Rng::with_seed(size.functions as u64);
        let mut names = Vec::with_capacity(size.functions);
        let mut functions = Vec::with_capacity(size.functions);
        for number in 0..size.functions {
            let name = format!("_ZN7project{}Unit{:04}8functionI{number}EEvPKc", random.usize(..90) + 10, number / 32);
            let sites =
                if random.usize(..size.with_sites) == 0 { [1 + random.usize(..3) as u16, 1, 0] } else { [0; 3] };
            functions.push(Function {
                name: name_hash(name.as_bytes()),
                // Bits 56 and up of the hash are flags.
                hash: random.u64(..) >> 8,
                counters: 1 + random.usize(..2 * size.counters - 1),
                sites,
            });
            names.push(name.into_bytes());
        }
        let names = write_blob(names.iter().map(Vec::as_slice), true);
        let record = RecordShape::of(VERSION, WordSize::W64).size;
        let counters: usize = functions.iter().map(|function| function.counters).sum();
        let shape = Shape {
            version: VERSION.number() | Variant::IR,
            word: WordSize::W64,
            binary_ids: 0,
            data: record * functions.len() as u64,
            counters: 8 * counters as u64,
            bitmap: 0,
            uniform: 0,
            names: names.len() as u64,
            vtables: 0,
            vnames: 0,
            data_address: DATA,
            counters_address: COUNTERS,
            bitmap_address: COUNTERS,
            uniform_address: COUNTERS,
            names_address: NAMES,
            padding: Padding::Words,
        };
        let plan = Plan::of_image(&shape).map_err(|error| anyhow::anyhow!("no plan of {size:?}: {error:?}"))?;
        let counts = (0..4 * LARGEST_FUNCTION).flat_map(|_| count(&mut random).to_ne_bytes()).collect();
        Ok(Binary { functions, names, plan, counts })
    }

    /// Returns the raw profile of a run. Every second function has run, with other counts and other values in each run.
    pub fn profile(&self, run: u64) -> Result<Vec<u8>> {
        let mut random = Rng::with_seed(run << 32);
        let ran: Vec<bool> = self.functions.iter().map(|_| random.usize(..2) == 0).collect();
        let mut bytes = Vec::new();
        for chunk in self.plan.chunks() {
            ensure!(bytes.len() as u64 == chunk.offset, "{:?} is not at {}", chunk.part, chunk.offset);
            match chunk.part {
                Part::Header => bytes.extend(self.plan.header_words().flat_map(u64::to_ne_bytes)),
                Part::Data => self.records(&mut bytes)?,
                Part::Counters => {
                    for (function, ran) in self.functions.iter().zip(&ran) {
                        let len = 8 * function.counters;
                        if *ran {
                            let start = 8 * random.usize(..3 * LARGEST_FUNCTION);
                            bytes.extend_from_slice(self.counts.get(start..start + len).context("no such counts")?);
                        } else {
                            bytes.resize(bytes.len() + len, 0);
                        }
                    }
                }
                Part::Names => bytes.extend(&self.names),
                _ => {}
            }
            bytes.resize((chunk.offset + chunk.len + chunk.padding) as usize, 0);
        }
        let mut room = [0; 256];
        for (function, ran) in self.functions.iter().zip(&ran).filter(|(function, _)| function.sites != [0; 3]) {
            let fill = |kind, pairs: &mut [u64]| {
                Some(if *ran { self.fill_site(function, kind, &mut random, pairs) } else { 0 })
            };
            let words = fill_record(&function.sites, &mut room, fill).context("values do not fit")?;
            bytes.extend(room[..words].iter().flat_map(|word| word.to_ne_bytes()));
        }
        Ok(bytes)
    }

    fn records(&self, bytes: &mut Vec<u8>) -> Result<()> {
        let shape = RecordShape::of(VERSION, WordSize::W64);
        let (mut counters, mut address) = (COUNTERS, DATA);
        for (number, function) in self.functions.iter().enumerate() {
            let mut record = vec![0; shape.size as usize];
            let mut set = |place: usize, field: &[u8]| record[place..place + field.len()].copy_from_slice(field);
            set(shape.name_ref, &function.name.to_ne_bytes());
            set(shape.func_hash, &function.hash.to_ne_bytes());
            set(shape.counter_ptr, &counters.wrapping_sub(address).to_ne_bytes());
            set(shape.function_pointer, &entry(number).to_ne_bytes());
            set(shape.num_counters, &(function.counters as u32).to_ne_bytes());
            for (kind, sites) in function.sites.iter().enumerate() {
                set(shape.num_value_sites + 2 * kind, &sites.to_ne_bytes());
            }
            bytes.extend(record);
            counters += 8 * function.counters as u64;
            address += shape.size;
        }
        Ok(())
    }

    /// Writes one to four values, whose counts differ. Returns how many.
    fn fill_site(&self, function: &Function, kind: usize, random: &mut Rng, pairs: &mut [u64]) -> usize {
        let values = 1 + random.usize(..4);
        // Of the same few in each run.
        let first = (function.hash % 8) as usize + random.usize(..3);
        for (number, pair) in pairs.chunks_exact_mut(2).take(values).enumerate() {
            let value = match kind {
                0 => entry((first + number) * (self.functions.len() / 16).max(1) % self.functions.len()),
                // Each of these sizes is its own representative.
                _ => ((first + number) % 9) as u64,
            };
            pair.copy_from_slice(&[value, 1 + (random.u64(..) >> 40)]);
        }
        values
    }
}

/// Returns the address of a function.
fn entry(number: usize) -> u64 {
    CODE + 16 * number as u64
}
