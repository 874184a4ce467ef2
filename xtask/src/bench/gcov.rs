//! The exit of a program with `--coverage`: with one object file, with 1,000, and with one of 1,000 functions. It finds no files, or those of
//! an earlier run, into which it merges.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use anyhow::Result;

use super::measure;
use super::programs::{Programs, Side};
use super::report::{Limit, Row};
use crate::demo::progress;
use crate::run;

/// Leaves by `_exit`, which writes nothing.
const LEAVES: &[&str] = &["x"];

/// A program.
struct Case {
    name: &'static str,
    /// What the rows say.
    what: &'static str,
    objects: usize,
    /// In each object file.
    functions: usize,
    /// For instructions and system calls: without files, then with those of an earlier run.
    limits: [[Limit; 2]; 2],
}

const CASES: [Case; 3] = [
    Case {
        name: "gcov-1",
        what: "1 object file",
        objects: 1,
        functions: 10,
        limits: [[NEW[0], Limit::Missed(0.7, 0.8)], merging(1.45, 2.35)],
    },
    Case {
        name: "gcov-1000",
        what: "1000 object files",
        objects: 1000,
        functions: 10,
        limits: [NEW, merging(2.0, 2.1)],
    },
    Case {
        name: "gcov-functions",
        what: "1000 functions",
        objects: 1,
        functions: 1000,
        limits: [[Limit::Missed(0.7, 1.4), Limit::Missed(0.7, 1.0)], merging(2.1, 2.8)],
    },
];
/// The limits without files.
const NEW: [Limit; 2] = [Limit::Count(0.7); 2];

/// A new file takes the place of the old one, so that a kill leaves one of them: that takes calls and instructions.
const fn merging(instructions: f64, calls: f64) -> [Limit; 2] {
    [Limit::Missed(1.0, instructions), Limit::Missed(1.0, calls)]
}

pub fn rows(programs: &Programs) -> Result<Vec<Row>> {
    let bar = progress("exit of programs with --coverage", 15);
    let mut rows = Vec::new();
    for case in CASES {
        programs.build_for_gcov(case.name, &source(&case))?;
        let remove = || -> Result<()> {
            for object in 0..case.objects {
                let file = programs.scratch(&format!("object-{object}.gcda"));
                fs::remove_file(file)
                    .or_else(|error| if error.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(error) })?;
            }
            Ok(())
        };
        type Count<'a> = &'a dyn Fn(Side, &'static [&'static str]) -> Result<u64>;
        let mut row = |existing: bool, what: &str, limit, count: Count<'_>| -> Result<()> {
            let exit = |side| {
                let leaves = count(side, LEAVES)? as f64;
                remove()?;
                if existing {
                    let mut earlier = Command::new(programs.path(side, case.name));
                    programs.quiet(&mut earlier);
                    run::quiet(&mut earlier)?;
                }
                Ok(count(side, &[])? as f64 - leaves)
            };
            let files = if existing { ", existing files" } else { "" };
            rows.push(Row::counted(programs, format!("--coverage, {}, exit{files}: {what}", case.what), limit, exit)?);
            bar.inc(1);
            Ok(())
        };
        let instructions: Count<'_> =
            &|side, arguments| measure::instructions(programs, side, case.name, arguments, None);
        let calls: Count<'_> = &|side, arguments| measure::all_system_calls(programs, side, case.name, arguments);
        let [new, merging] = case.limits;
        row(false, "instructions", new[0], instructions)?;
        row(false, "system calls", new[1], calls)?;
        row(false, "heap calls", Limit::AtMostMissed(0.0, 0.0), &|side, arguments| {
            measure::heap_calls(programs, side, case.name, arguments)
        })?;
        row(true, "instructions", merging[0], instructions)?;
        row(true, "system calls", merging[1], calls)?;
        // The next program looks for leftovers of killed runs in this directory.
        remove()?;
    }
    bar.finish_and_clear();
    Ok(rows)
}

/// A program that does what as many object files do: each registers a function that writes its file.
fn source(case: &Case) -> String {
    let functions = case.functions;
    let mut text = format!(
        "#include <unistd.h>\n\
         void llvm_gcov_init(void (*)(void), void (*)(void));\n\
         void llvm_gcda_start_file(const char *, unsigned, unsigned);\n\
         void llvm_gcda_emit_function(unsigned, unsigned, unsigned);\n\
         void llvm_gcda_emit_arcs(unsigned, unsigned long long *);\n\
         void llvm_gcda_summary_info(void);\n\
         void llvm_gcda_end_file(void);\n\
         static unsigned long long counters[8] = {{ 1, 2, 3, 4, 5, 6, 7, 8 }};\n\
         static void reset(void) {{}}\n\
         static void functions(void) {{\n\
           for (int i = 0; i < {functions}; i++) {{\n\
             llvm_gcda_emit_function(i, i, i);\n\
             llvm_gcda_emit_arcs(8, counters);\n\
           }}\n\
         }}\n",
    );
    for object in 0..case.objects {
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
