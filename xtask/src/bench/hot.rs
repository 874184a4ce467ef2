//! Where the instructions of each path go: the functions that have most of them, by callgrind.

use std::fmt::Write as _;
use std::process::Command;

use anyhow::{Result, bail};

use super::big::{self, WRITE};
use super::generated::{BIG, VALUES, WIDE};
use super::measure;
use super::programs::{Programs, Side, TINY};
use crate::demo::progress;
use crate::run;

/// Functions that are named for a path.
const NAMED: usize = 6;

/// What is counted: a title, the program, its arguments (`POOL` and `PLAIN` are files), the function that it begins with, and whether the
/// file has to be there.
type Path<'a> = (&'a str, &'a str, &'a [&'static str], Option<&'a str>, bool);

const PATHS: [Path<'static>; 7] = [
    ("start", TINY, &["x"], Some("profrt::abi::runtime::constructor"), false),
    ("exit of a small program", TINY, &[], Some("profrt::lifecycle::start::at_exit"), false),
    ("dump of 20 MB of counters", BIG.name, &["now", "PLAIN", "0", "cold"], Some(WRITE), false),
    ("merge of 20 MB of counters", BIG.name, &["merge", "POOL", "0", "full"], Some("exit"), true),
    ("merge of 100,000 functions", WIDE.name, &["merge", "POOL", "0", "full"], Some("exit"), true),
    ("merge of 100,000 values", VALUES.name, &["values", "POOL", "0", "100000"], Some("exit"), true),
    ("call of 16 targets", "calls", &["target-16", "102400", "1"], Some("__llvm_profile_instrument_target"), false),
];

/// A table for docs/PERFORMANCE.md.
pub fn table(programs: &Programs) -> Result<String> {
    let bar = progress("where the instructions go", PATHS.len());
    let mut text = String::from("| path | instructions | of which in |\n| --- | ---: | --- |\n");
    for (title, program, arguments, function, there) in PATHS {
        big::clear(programs)?;
        let pool = big::pool(programs);
        let plain = programs.scratch("pool/plain.profraw").to_string_lossy().into_owned();
        let named = |argument: &&'static str| match *argument {
            "POOL" => pool.clone(),
            "PLAIN" => plain.clone(),
            other => other.to_owned(),
        };
        let arguments: Vec<String> = arguments.iter().map(named).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        if there {
            run::quiet(programs.command(Side::Ours, program).args(&arguments))?;
        }
        let out = programs.scratch("hot.out");
        measure::callgrind(programs, Side::Ours, program, &arguments, function, &out)?;
        let annotated = run::stdout(Command::new("callgrind_annotate").arg("--threshold=100").arg(&out))?;
        let (total, rows) = functions(&annotated)?;
        let named: Vec<String> = rows
            .iter()
            .take(NAMED)
            .map(|(count, name)| format!("`{name}` {:.0} %", 100.0 * *count as f64 / total as f64))
            .collect();
        let _ = writeln!(text, "| {title} | {total} | {} |", named.join(", "));
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(text)
}

/// The total, and instructions by function, the most first, from what `callgrind_annotate` prints.
fn functions(annotated: &str) -> Result<(u64, Vec<(u64, String)>)> {
    let (mut total, mut rows) = (0, Vec::new());
    for line in annotated.lines() {
        // `1,234 (56.78%)  file:function [object]`
        let Some((count, rest)) = line.trim_start().split_once(" (") else { continue };
        let Ok(count) = count.replace(',', "").parse::<u64>() else { continue };
        let Some((_, rest)) = rest.split_once(")  ") else { continue };
        if rest.trim() == "PROGRAM TOTALS" {
            total = count;
        } else {
            let name = rest.split(" [").next().unwrap_or(rest);
            let name = name.split_once(':').map_or(name, |(_, function)| function);
            rows.push((count, name.trim().to_owned()));
        }
    }
    if total == 0 {
        bail!("callgrind_annotate printed no total");
    }
    Ok((total, rows))
}

#[cfg(test)]
mod tests {
    use super::functions;

    #[test]
    fn what_callgrind_says_is_read() {
        let text = "--- \n1,000 (100.0%)  PROGRAM TOTALS\n\n  700 (70.00%)  ???:profrt::raw::write [/x/y]\n 300 (30.0%)  ./a/b.c:memcpy [/lib]\n";
        let (total, rows) = functions(text).unwrap();
        assert_eq!(total, 1000);
        assert_eq!(rows, [(700, "profrt::raw::write".to_owned()), (300, "memcpy".to_owned())]);
        assert!(functions("nothing").is_err());
    }
}
