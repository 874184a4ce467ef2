//! `llvm-profdata order`: an order of functions for the linker.

mod bisect;

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use profdata::Profile;
use profdata::error::ErrorKind;
use profdata::read::indexed::is_indexed;
use profdata::sink::Trace;
use profdata::write::text::Symbols;

use super::failure::Failure;
use super::grammar::Parsed;
use super::{input, output, words};

/// Runs the command.
pub(super) fn run(_program: &str, parsed: &Parsed) -> Result<(), Failure> {
    let file = parsed.files.first().map_or(&b""[..], Vec::as_slice);
    let bytes = if file.is_empty() { Err(output::no_such_file()) } else { input::load(file) };
    let bytes = bytes.map_err(|error| Failure::of_system(file, &error))?;
    if let Some(what) = input::unsupported(&bytes) {
        return Err(Failure::of_file(file, what));
    }
    let mut profile = Profile::new();
    match input::read(&bytes, None, &mut profile) {
        // LLVM takes what is before the damage, without a word.
        Err(error) if !profile.headings().is_empty() && error.kind() != ErrorKind::Empty && !is_indexed(&bytes) => {
            warn_line!("warning: {}: {}", String::from_utf8_lossy(file), words::of(&error));
        }
        result => result.map_err(|error| words::failure(file, &error))?,
    }
    let traces = profile.traces();
    let tests = parsed.number("num-test-traces").unwrap_or(0);
    if tests > 0 && tests >= traces.len() as u64 {
        return Err(Failure::new(format_args!(
            "--num-test-traces must be smaller than the total number of traces: expected: < {}, actual: {tests}",
            traces.len()
        )));
    }
    let (used, tested) = traces.split_at(traces.len().saturating_sub(usize::try_from(tests).unwrap_or(usize::MAX)));
    let order = bisect::order(used);
    // A function that has run may have no record before the damage.
    let names = input::names(&bytes);
    let mut symbols = input::symbols(&profile, &bytes);
    names.iter().filter_map(|name| name.bytes).for_each(|name| symbols.add(name));
    let mut text = Vec::new();
    // A vector takes all bytes.
    let _ = write(&mut text, &symbols, &order, tested);
    output::write(parsed.texts("output").last().unwrap_or(b"-"), |out| out.write_all(&text))
}

fn write(out: &mut Vec<u8>, symbols: &Symbols<'_>, order: &[u64], tested: &[Trace]) -> io::Result<()> {
    writeln!(out, "# Ordered {} functions", order.len())?;
    if !tested.is_empty() {
        writeln!(out, "# Total area under the page fault curve: {}", scientific(area(order, tested)))?;
    }
    writeln!(
        out,
        "# Warning: Mach-O may prefix symbols with \"_\" depending on the linkage and this output does not take that into account. \
         Some post-processing may be required before passing to the linker via -order_file."
    )?;
    for function in order {
        let name = symbols.get(*function).unwrap_or(b"");
        // Names of local functions begin with the name of their file.
        let mut parts = name.splitn(2, |byte| *byte == b';');
        let (first, second) = (parts.next().unwrap_or(b""), parts.next());
        if second.is_some() {
            out.write_all(b"# ")?;
            out.write_all(first)?;
            out.write_all(b"\n")?;
        }
        out.write_all(second.unwrap_or(first))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Returns how many pages each trace has touched at each of its steps, all added up.
fn area(order: &[u64], traces: &[Trace]) -> f64 {
    /// Functions of a page, as LLVM assumes.
    const FUNCTIONS: usize = 32;
    let pages: HashMap<u64, usize> =
        order.iter().enumerate().map(|(place, function)| (*function, place / FUNCTIONS)).collect();
    let mut area = 0;
    for trace in traces {
        let mut touched: HashSet<usize> = HashSet::new();
        for function in &trace.functions {
            if let Some(page) = pages.get(function) {
                touched.insert(*page);
                area += touched.len();
            }
        }
    }
    area as f64
}

/// Formats a number as `%e` does.
fn scientific(number: f64) -> String {
    let text = format!("{number:.6e}");
    match text.split_once('e') {
        Some((digits, power)) => {
            let (sign, power) = power.strip_prefix('-').map_or(('+', power), |power| ('-', power));
            format!("{digits}e{sign}{power:0>2}")
        }
        None => text,
    }
}
