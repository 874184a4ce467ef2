//! What every process pays: start, exit, bytes, names that are bound, calls to the heap.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use object::{Object, ObjectSection, SectionFlags, elf};

use super::measure;
use super::programs::{Programs, Side, TINY};
use super::report::{Limit, Row};
use crate::demo::progress;

/// What the program is told, so that it leaves before it comes to anything.
const AT_MAIN: &[&str] = &["x"];

pub fn rows(programs: &Programs) -> Result<Vec<Row>> {
    let bar = progress("starting and ending a process", 7);
    let mut rows = Vec::new();
    let mut row = |what: &str, limit: Limit, count: &dyn Fn(Side) -> Result<f64>| -> Result<()> {
        rows.push(Row::counted(programs, what.into(), limit, count)?);
        bar.inc(1);
        Ok(())
    };
    let fresh = || fs::remove_file(programs.scratch("left.profraw")).or(Ok::<(), std::io::Error>(()));
    // Each process is measured once, whatever it is compared with.
    let (instructions_of, calls_of) = (Once::default(), Once::default());
    // Less what the same process costs without a runtime.
    let instructions = |side, arguments: &'static [&str]| -> Result<f64> {
        let count = |side| {
            instructions_of.get(side, arguments, || {
                fresh()?;
                measure::instructions(programs, side, TINY, arguments, None)
            })
        };
        Ok(count(side)? - count(Side::Empty)?)
    };
    let calls = |side, arguments: &'static [&str]| -> Result<f64> {
        let count = |side| {
            calls_of.get(side, arguments, || {
                fresh()?;
                measure::all_system_calls(programs, side, TINY, arguments)
            })
        };
        Ok(count(side)? - count(Side::Empty)?)
    };
    row("start to main: instructions", Limit::Missed(0.4, 1.15), &|side| instructions(side, AT_MAIN))?;
    row("start to main: system calls", Limit::Missed(0.3, 0.9), &|side| calls(side, AT_MAIN))?;
    row("exit: instructions", Limit::Missed(0.5, 1.7), &|side| {
        Ok(instructions(side, &[])? - instructions(side, AT_MAIN)?)
    })?;
    row("exit: system calls", Limit::Missed(0.6, 1.3), &|side| Ok(calls(side, &[])? - calls(side, AT_MAIN)?))?;
    row("bytes added", Limit::Missed(0.5, 1.92), &|side| {
        Ok(loaded(&programs.path(side, TINY))? - loaded(&programs.path(Side::Empty, TINY))?)
    })?;
    row("the same with value sites", Limit::Missed(0.5, 2.31), &|side| {
        Ok(loaded(&programs.path(side, "calls"))? - loaded(&programs.path(Side::Empty, "calls"))?)
    })?;
    row("heap calls, start to end", Limit::AtMostMissed(3.0, 8.0), &|side| {
        fresh()?;
        Ok(measure::heap_calls(programs, side, TINY, &[])? as f64)
    })?;
    bar.finish_and_clear();
    Ok(rows)
}

/// Counts that are the same in every run.
#[derive(Default)]
struct Once(RefCell<HashMap<(Side, &'static [&'static str]), f64>>);

impl Once {
    fn get(&self, side: Side, arguments: &'static [&str], count: impl FnOnce() -> Result<u64>) -> Result<f64> {
        if let Some(known) = self.0.borrow().get(&(side, arguments)) {
            return Ok(*known);
        }
        let number = count()? as f64;
        self.0.borrow_mut().insert((side, arguments), number);
        Ok(number)
    }
}

/// Bytes of the sections that are in memory and come from the program's file.
fn loaded(program: &Path) -> Result<f64> {
    let bytes = fs::read(program)?;
    let file = object::File::parse(&*bytes).context("a linked program cannot be read")?;
    let allocated = |flags| matches!(flags, SectionFlags::Elf { sh_flags, .. } if sh_flags.0 & elf::SHF_ALLOC.0 != 0);
    let sections = file.sections().filter(|section| allocated(section.flags()) && section.file_range().is_some());
    Ok(sections.map(|section| section.size()).sum::<u64>() as f64)
}
