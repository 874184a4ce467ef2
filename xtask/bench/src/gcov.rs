//! The exit of a program with `--coverage` and many object files: without their `.gcda` files, and with those of an earlier run, into which it
//! merges.

use std::fmt::Write as _;
use std::process::Command;

use anyhow::Result;

use super::measure;
use super::programs::Programs;
use super::report::{Limit, Row};
use testkit::run;

const NAME: &str = "gcov";
const OBJECTS: usize = 1000;
/// In each object file.
const FUNCTIONS: usize = 10;

/// Makes the program leave by `_exit`, which writes nothing.
const LEAVES: Option<&str> = Some("x");

/// A row: whether there are files, what is counted, the limit.
type Case = (bool, &'static str, fn(&Command) -> Result<f64>, f64);

const CASES: [Case; 3] = [
    (false, "instructions", instructions, 0.1),
    (true, "instructions", instructions, 1.5),
    (true, "system calls", measure::system_calls, 1.5),
];

fn instructions(command: &Command) -> Result<f64> {
    measure::instructions(command, None)
}

pub fn rows(programs: &Programs) -> Result<Vec<Row>> {
    let object = programs.compile_text("gcov.c", &source())?;
    programs.link(NAME, &[&object], &["--coverage"])?;
    let row = |(old, what, count, limit): Case| {
        let files = if old { "a merge" } else { "no files" };
        let what = format!("--coverage, exit with {OBJECTS} object files, {files}: {what}");
        Row::counted(what, Limit::Ratio(limit), |side| {
            let directory = programs.fresh()?;
            let command = |argument: Option<&str>| {
                let mut command = programs.command(side, NAME, &directory, None);
                command.args(argument);
                command
            };
            if old {
                run::quiet(&mut command(None))?;
            }
            let leaves = count(&command(LEAVES))?;
            Ok(count(&command(None))? - leaves)
        })
    };
    CASES.into_iter().map(row).collect()
}

/// A program that does what as many object files do: each registers a function that writes its file.
fn source() -> String {
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
           for (int i = 0; i < {FUNCTIONS}; i++) {{\n\
             llvm_gcda_emit_function(i, i, i);\n\
             llvm_gcda_emit_arcs(8, counters);\n\
           }}\n\
         }}\n",
    );
    for object in 0..OBJECTS {
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
