//! The exit of a program with `--coverage`: with one object file, and with 1,000.

use std::fmt::Write as _;
use std::fs;

use anyhow::Result;

use super::measure;
use super::programs::{Programs, Side};
use super::report::{Limit, Row};
use crate::demo::progress;

/// Leaves by `_exit`, which writes nothing.
const LEAVES: &[&str] = &["x"];

/// Numbers of object files, with the names of the programs.
const OBJECTS: [(usize, &str); 2] = [(1, "gcov-1"), (1000, "gcov-1000")];

pub fn rows(programs: &Programs) -> Result<Vec<Row>> {
    let bar = progress("exit of programs with --coverage", 6);
    let mut rows = Vec::new();
    for (objects, name) in OBJECTS {
        programs.build_for_gcov(name, &source(objects))?;
        let files = || -> Result<()> {
            for object in 0..objects {
                let file = programs.scratch(&format!("object-{object}.gcda"));
                fs::remove_file(file)
                    .or_else(|error| if error.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(error) })?;
            }
            Ok(())
        };
        let plural = if objects == 1 { "file" } else { "files" };
        let mut row = |what: &str, limit, count: &dyn Fn(Side, &'static [&'static str]) -> Result<u64>| -> Result<()> {
            let exit = |side| {
                files()?;
                Ok(count(side, &[])? as f64 - count(side, LEAVES)? as f64)
            };
            rows.push(Row::counted(
                programs,
                format!("--coverage, {objects} object {plural}, exit: {what}"),
                limit,
                exit,
            )?);
            bar.inc(1);
            Ok(())
        };
        row("instructions", Limit::Count(0.7), &|side, arguments| {
            measure::instructions(programs, side, name, arguments, None)
        })?;
        row("system calls", Limit::Count(0.7), &|side, arguments| {
            measure::all_system_calls(programs, side, name, arguments)
        })?;
        row("heap calls", Limit::AtMostMissed(0.0, 0.0), &|side, arguments| {
            measure::heap_calls(programs, side, name, arguments)
        })?;
    }
    bar.finish_and_clear();
    Ok(rows)
}

/// A program that does what as many object files do: each registers a function that writes its file.
fn source(objects: usize) -> String {
    let mut text = String::from(
        "#include <unistd.h>\n\
         void llvm_gcov_init(void (*)(void), void (*)(void));\n\
         void llvm_gcda_start_file(const char *, unsigned, unsigned);\n\
         void llvm_gcda_emit_function(unsigned, unsigned, unsigned);\n\
         void llvm_gcda_emit_arcs(unsigned, unsigned long long *);\n\
         void llvm_gcda_summary_info(void);\n\
         void llvm_gcda_end_file(void);\n\
         static unsigned long long counters[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };\n\
         static void reset(void) {}\n\
         static void functions(void) {\n\
           for (int i = 0; i < 10; i++) {\n\
             llvm_gcda_emit_function(i, i, i);\n\
             llvm_gcda_emit_arcs(8, counters);\n\
           }\n\
         }\n",
    );
    for object in 0..objects {
        let _ = write!(
            text,
            "static void write_{object}(void) {{\n\
               llvm_gcda_start_file(\"object-{object}.gcda\", 0x4231312a, {object});\n\
               functions();\n\
               llvm_gcda_summary_info();\n\
               llvm_gcda_end_file();\n\
             }}\n\
             __attribute__((constructor)) static void init_{object}(void) {{ llvm_gcov_init(write_{object}, reset); }}\n"
        );
    }
    text.push_str("int main(int argc, char **argv) { if (argc > 1) _exit(0); return 0; }\n");
    text
}
