//! What every process pays: start, exit, bytes.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use object::{Object, ObjectSection, SectionFlags, elf};

use super::measure;
use super::programs::{Programs, Side};
use super::report::{Limit, Row};
use testkit::run;

/// What a process finds.
#[derive(Clone, Copy)]
struct State {
    title: &'static str,
    program: &'static str,
    /// The name of its profile; without one, `default.profraw`.
    profile: Option<&'static str>,
    /// Whether an earlier run has left its profile.
    old: bool,
    /// System calls.
    most: Limit,
}

/// The smallest program, with one function.
const TINY: &str = "tiny";
/// The same, of which the linker leaves out what nobody refers to.
const TEXT: &str = "tiny-text";
/// The same, linked statically.
const STATIC: &str = "tiny-static";
/// The same, whose counters LLVM's runtime can move into a file.
const MOVED: &str = "tiny-moved";

const NEW: State = State { title: "no file", program: TINY, profile: None, old: false, most: Limit::Most(14.0) };
const OLD: State = State { title: "an old file", old: true, most: Limit::Most(15.0), ..NEW };
const FIRST: State = State { title: "%m, no file", profile: Some("p-%m.profraw"), most: Limit::Most(15.0), ..NEW };
const MERGE: State = State { title: "%m, a merge", old: true, most: Limit::Most(30.0), ..FIRST };
const MAPPED: State =
    State { title: "%c, no file", program: MOVED, profile: Some("p%c.profraw"), most: Limit::Ratio(1.5), ..NEW };

pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    build(programs)?;
    let mut rows = Vec::new();
    for state in [NEW, OLD, FIRST, MERGE, MAPPED] {
        let what = format!("start and exit, {}: system calls", state.title);
        rows.push(Row::counted(what, state.most, |side| less_empty(programs, side, state, measure::system_calls))?);
    }
    let alone = State { program: STATIC, ..OLD };
    for (link, state) in [("dynamic", OLD), ("static", alone)] {
        let what = format!("start and exit, {}, {link}: instructions", state.title);
        let count = |command: &Command| measure::instructions(command, None);
        rows.push(Row::counted(what, Limit::Ratio(1.0), |side| less_empty(programs, side, state, count))?);
    }
    let (rounds, times) = if quick { (5, 50) } else { (25, 200) };
    for (link, program) in [("dynamic", TINY), ("static", STATIC)] {
        let what = format!("a whole process, an old file, {link}: us");
        rows.push(Row::timed(what, Limit::Ratio(1.1), rounds, |side| {
            Ok(programs.used(&process(programs, side, State { program, ..OLD })?, times)?.wall * 1e3)
        })?);
    }
    let text = |side| code(&programs.path(side, TEXT));
    let empty = text(Side::Empty)?;
    rows.push(Row::counted("text in a program, --gc-sections: bytes", Limit::Most(46_000.0), |side| {
        Ok(text(side)? - empty)
    })?);
    Ok(rows)
}

fn build(programs: &Programs) -> Result<()> {
    const PLAIN: &[&str] = &["-fprofile-instr-generate"];
    const RELOCATED: &[&str] = &["-fprofile-instr-generate", "-mllvm", "-runtime-counter-relocation"];
    let links: [(_, _, &[&str]); 4] = [
        (TINY, PLAIN, &[]),
        (TEXT, PLAIN, &["-Wl,--gc-sections"]),
        (STATIC, PLAIN, &["-static"]),
        (MOVED, RELOCATED, &[]),
    ];
    for (name, flags, link) in links {
        let tiny = programs.compile("tiny.c", flags)?;
        programs.link(name, &[&tiny], link)?;
        programs.link_for(Side::Empty, name, &[&tiny], link)?;
    }
    Ok(())
}

/// A process in this state.
fn process(programs: &Programs, side: Side, state: State) -> Result<Command> {
    let directory = programs.fresh()?;
    let command = || programs.command(side, state.program, &directory, state.profile);
    if state.old {
        run::quiet(&mut command())?;
    }
    Ok(command())
}

/// What a process costs, less the same one without a runtime.
fn less_empty(programs: &Programs, side: Side, state: State, count: impl Fn(&Command) -> Result<f64>) -> Result<f64> {
    Ok(count(&process(programs, side, state)?)? - count(&process(programs, Side::Empty, state)?)?)
}

/// Bytes of code in a program.
fn code(program: &Path) -> Result<f64> {
    let bytes = fs::read(program)?;
    let file = object::File::parse(&*bytes).context("a linked program cannot be read")?;
    let runs = |flags| matches!(flags, SectionFlags::Elf { sh_flags, .. } if sh_flags.0 & elf::SHF_EXECINSTR.0 != 0);
    let sections = file.sections().filter(|section| runs(section.flags()));
    Ok(sections.map(|section| section.size()).sum::<u64>() as f64)
}
