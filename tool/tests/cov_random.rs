//! `profrt cov` of random programs that print their own trace: `t(12);` and `c(12, condition)` count line 12.

use needs_macros::needs;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use crate::common::truth::{check_lines, report};
use crate::common::{all_compilers, compilers, run};
use testkit::toolchain::Clang;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    C,
    Cpp,
    Rust,
}
use Language::{C, Cpp, Rust};

const C_HEAD: &str = "#include <stdio.h>
#include <sys.h>
static long n[99999]; static unsigned state = SEED;
int v(int most) { state = state * 1103515245 + 12345; return state / 65536 % most; }
void t(int line) { n[line]++; }
int c(int line, int value) { n[line]++; return value; }
#define OWN(line) t(line)
#define STOP(line) { t(line); return; }
#define MAYBE(line, value) { if (c(line, value)) return; }
#define BOTH(a, b) ((void)(a), (void)(b))
";
const C_MAIN: &str = "  FILE *trace = fopen(\"trace\", \"w\");
  for (int i = 0; i < 99999; i++) if (n[i]) fprintf(trace, \"%d %ld\\n\", i, n[i]);
  return fclose(trace);
}
";
const RUST_HEAD: &str = "use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
static N: [AtomicU32; 99999] = [const { AtomicU32::new(0) }; 99999]; static STATE: AtomicU32 = AtomicU32::new(SEED);
fn v(most: u32) -> u32 { STATE.store(STATE.load(Relaxed).wrapping_mul(1103515245).wrapping_add(12345), Relaxed); STATE.load(Relaxed) / 65536 % most }
fn t(line: usize) { N[line].fetch_add(1, Relaxed); }
fn c(line: usize, value: bool) -> bool { N[line].fetch_add(1, Relaxed); value }
macro_rules! own { ($line:expr) => { t($line) } }
";
const RUST_MAIN: &str =
    "    let lines = N.iter().enumerate().map(|(i, n)| (i, n.load(Relaxed))).filter(|(_, n)| *n > 0);
    std::fs::write(\"trace\", lines.map(|(i, n)| format!(\"{i} {n}\\n\")).collect::<String>()).unwrap();
}
";

struct Writer {
    text: String,
    line: usize,
    random: u64,
    language: Language,
    loops: usize,
}

impl Writer {
    fn below(&mut self, most: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % most
    }

    fn put(&mut self, depth: usize, text: &str) {
        let text = text.replace("LINE", &self.line.to_string());
        writeln!(self.text, "{:1$}{text}", "", depth * 2).unwrap();
        self.line += text.lines().count().max(1);
    }

    /// A condition over one line or several, between what begins and what ends it.
    fn condition(&mut self, depth: usize, begin: &str, end: &str) {
        let mut begin = begin.to_owned();
        for _ in 0..self.below(3) {
            let (operand, operator) = (self.operand(), ["&&", "||"][self.below(2) as usize]);
            if self.below(2) == 0 {
                self.put(depth, &format!("{begin}{operand} {operator}"));
                begin = "    ".to_owned();
            } else {
                self.put(depth, &format!("{begin}{operand}"));
                begin = format!("    {operator} ");
            }
        }
        let operand = self.operand();
        self.put(depth, &format!("{begin}{operand}{end}"));
    }

    /// A condition as any, or one of the system.
    fn operand(&mut self) -> String {
        let name = if self.language != Rust && self.below(4) == 0 { "SYSC" } else { "c" };
        format!("{name}(LINE, v({}) == 0)", self.below(3) + 2)
    }

    fn block(&mut self, depth: usize) {
        for _ in 0..=self.below(3) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        let is_rust = self.language == Rust;
        let (open, shut) = if is_rust { ("", " {") } else { ("(", ") {") };
        match if depth > 5 { self.below(3) } else { self.below(20) } {
            0 => self.put(depth, "t(LINE);"),
            1 => self.put(depth, if is_rust { "own!(LINE);" } else { "OWN(LINE);" }),
            2 => self.put(depth, if is_rust { "t(LINE); // x" } else { "SYS(LINE);" }),
            3 | 4 => {
                self.condition(depth, &format!("if {open}"), shut);
                self.block(depth + 1);
                if self.below(2) == 0 {
                    self.put(depth, "} else {");
                    self.block(depth + 1);
                }
                self.put(depth, "}");
            }
            5 if !is_rust => {
                self.condition(depth, "if (", ")");
                let one = ["t(LINE);", "SYS(LINE); // alone", "OWN(LINE);"][self.below(3) as usize];
                self.put(depth + 1, one);
            }
            6 => self.ternary(depth),
            7 => {
                self.put(
                    depth,
                    if is_rust { "for _ in 0..v(4) {" } else { "for (int i = v(4); c(LINE, i > 0); i--) {" },
                );
                self.inside(depth);
            }
            8 => {
                self.condition(depth, &format!("while {open}"), shut);
                self.inside(depth);
            }
            9 => self.switch(depth),
            10 => {
                self.condition(depth, &format!("if {open}"), shut);
                self.block(depth + 1);
                self.put(depth + 1, if self.loops == 0 { "return;" } else { ["break;", "continue;"][depth % 2] });
                self.put(depth, "}");
                self.put(depth, "t(LINE);");
            }
            11 if self.language == Cpp => {
                self.put(depth, "try {");
                self.block(depth + 1);
                self.condition(depth + 1, "if (", ")");
                self.put(depth + 2, "throw c(LINE, 1);");
                self.block(depth + 1);
                self.put(depth, "} catch (int) {");
                self.block(depth + 1);
                self.put(depth, "}");
            }
            12 if self.language == Cpp => self.closure(depth, "auto f = [&] {", "};"),
            12 if is_rust => self.closure(depth, "let f = || {", "};"),
            13 if !is_rust => {
                let label = self.line;
                self.condition(depth, "if (", ")");
                self.put(depth + 1, &format!("goto l{label};"));
                self.block(depth);
                self.put(depth, &format!("l{label}:;"));
                self.put(depth, "t(LINE);");
            }
            14 | 15 => {
                self.condition(depth, &format!("if {open}"), shut);
                self.put(depth + 1, "{");
                self.condition(depth + 2, &format!("if {open}"), shut);
                self.put(depth + 3, "return t(LINE);");
                self.put(depth + 2, "}");
                self.block(depth + 2);
                self.put(depth + 1, "}");
                self.put(depth + 1, "return t(LINE);");
                self.put(depth, "}");
                self.put(depth, "t(LINE);");
            }
            16 if !is_rust => {
                self.put(depth, "do {");
                self.loops += 1;
                self.block(depth + 1);
                self.loops -= 1;
                if self.below(2) == 0 {
                    self.put(depth + 1, "break;");
                }
                self.condition(depth, "} while (", ");");
            }
            17 if !is_rust => {
                self.condition(depth, "if (", ")");
                self.put(depth + 1, "STOP(LINE);");
                self.put(depth, "t(LINE);");
            }
            18 if !is_rust => {
                self.condition(depth, "if (", ") {");
                self.put(depth + 1, "MAYBE(LINE, v(3) == 0)");
                self.put(depth + 1, "return t(LINE);");
                self.put(depth, "}");
                self.put(depth, "t(LINE);");
            }
            19 if !is_rust => {
                self.condition(depth, "if (", ")");
                let begin = ["", "return "][self.below(2) as usize];
                self.put(depth + 1, &format!("{begin}BOTH(c(LINE, 1),"));
                self.put(depth + 4, "c(LINE, 2));");
                self.put(depth, "t(LINE);");
            }
            _ => self
                .put(depth, "\n// A comment.\nt(LINE); /* x */".replace("LINE", &(self.line + 2).to_string()).as_str()),
        }
    }

    /// The body of a loop.
    fn inside(&mut self, depth: usize) {
        self.loops += 1;
        self.block(depth + 1);
        self.loops -= 1;
        self.put(depth, "}");
    }

    fn ternary(&mut self, depth: usize) {
        if self.language == Rust {
            self.put(depth, "let _ = if c(LINE, v(2) == 0) {");
            self.put(depth + 1, "c(LINE, true)");
            self.put(depth, "} else {");
            self.put(depth + 1, "c(LINE, false)");
            return self.put(depth, "};");
        }
        self.put(depth, "(void)(c(LINE, v(2) == 0)");
        self.put(depth + 1, "? c(LINE, 1)");
        if self.below(2) == 0 {
            self.put(depth + 1, ": c(LINE, v(2))");
            self.put(depth + 1, "? c(LINE, 2)");
        }
        self.put(depth + 1, ": c(LINE, 3));");
    }

    fn switch(&mut self, depth: usize) {
        let is_rust = self.language == Rust;
        self.put(depth, if is_rust { "match v(4) {" } else { "switch (v(4)) {" });
        for number in 0..3 {
            self.put(depth, &if is_rust { format!("{number} => {{") } else { format!("case {number}:") });
            // `break` and `continue` of a loop are not those of a switch.
            let loops = std::mem::take(&mut self.loops);
            self.put(depth + 1, "t(LINE);");
            self.block(depth + 1);
            self.loops = loops;
            match self.below(3) {
                _ if is_rust => self.put(depth, "}"),
                0 => {}
                _ => self.put(depth + 1, "break;"),
            }
        }
        self.put(depth, if is_rust { "_ => {" } else { "default:" });
        self.put(depth + 1, "t(LINE);");
        self.put(depth, if is_rust { "} }" } else { "}" });
    }

    fn closure(&mut self, depth: usize, begin: &str, end: &str) {
        self.put(depth, "{");
        self.put(depth + 1, begin);
        let loops = std::mem::take(&mut self.loops);
        self.block(depth + 2);
        self.loops = loops;
        self.put(depth + 1, end);
        for _ in 0..=self.below(2) {
            self.put(depth + 1, "f();");
        }
        self.put(depth, "}");
    }
}

/// Writes a program.
fn program(language: Language, seed: u64) -> String {
    let (head, main) = if language == Rust { (RUST_HEAD, RUST_MAIN) } else { (C_HEAD, C_MAIN) };
    let random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut writer = Writer { text: String::new(), line: 1, random, language, loops: 0 };
    writer.put(0, &head.trim_end().replace("SEED", &(seed + 1).to_string()));
    let mut calls = String::new();
    for function in 0..25 {
        let template = language == Cpp && function % 3 == 0;
        let begin = match language {
            Rust => format!("fn f{function}() {{"),
            _ if template => format!("template <typename T> void f{function}() {{"),
            _ => format!("void f{function}(void) {{"),
        };
        writer.put(0, &begin);
        writer.block(1);
        writer.put(0, "}");
        // Of templates that nobody instantiates compilers say nothing.
        for call in 0..writer.below(5).max(template.into()) {
            let argument = if template { ["<int>", "<long>"][call as usize % 2] } else { "" };
            write!(calls, " f{function}{argument}();").unwrap();
        }
    }
    let begin = if language == Rust { "fn main() {" } else { "int main(void) {" };
    writer.put(0, &format!("{begin}\n {calls}\n{}", main.trim_end()));
    writer.text
}

/// Builds and runs a program, and notes the lines that have other counts than its trace.
fn check(language: Language, clang: &Clang, seed: u64, wrong: &mut Vec<String>) -> usize {
    let dir = tempfile::tempdir().unwrap();
    let text = program(language, seed);
    let name = ["a.c", "a.cpp", "a.rs"][language as usize];
    fs::write(dir.path().join(name), &text).unwrap();
    fs::create_dir(dir.path().join("sys")).unwrap();
    fs::write(dir.path().join("sys/sys.h"), "#define SYS(line) t(line)\n#define SYSC(line, value) c(line, value)\n")
        .unwrap();
    let mut compiler = match language {
        C => Command::new(&clang.clang),
        Cpp => Command::new(&clang.clangxx),
        Rust => Command::new("rustc"),
    };
    let rust = ["--edition=2024", "-Cinstrument-coverage", "-Copt-level=0", "-Aunused"].as_slice();
    let flags = ["-w", "-fprofile-instr-generate", "-fcoverage-mapping", "-isystem", "sys"].as_slice();
    run(compiler.args(if language == Rust { rust } else { flags }).args([name, "-o", "app"]).current_dir(&dir));
    let raw = dir.path().join("app.profraw");
    run(Command::new(dir.path().join("app")).env("LLVM_PROFILE_FILE", &raw).current_dir(&dir));
    let trace = fs::read_to_string(dir.path().join("trace")).unwrap();
    let ran: Vec<&str> = trace.lines().map(|line| line.split_once(' ').unwrap().0).collect();
    let counts: Vec<&str> = trace.lines().map(|line| line.split_once(' ').unwrap().1).collect();
    let (mut truth, mut judged) = (String::new(), 0);
    let head = if language == Rust { RUST_HEAD } else { C_HEAD }.lines().count();
    for (number, line) in (1..).zip(text.lines()) {
        let number: usize = number;
        let marker = number.to_string();
        // Clang 14 and 16 have no region for it.
        let is_unknown =
            clang.version < 19 && (line.contains("SYSC") || line.contains("SYS") && line.contains("// alone"));
        let is_judged = number > head && line.contains(&format!("({marker}")) && !is_unknown;
        let count = ran.iter().position(|ran| **ran == marker).map_or("0", |place| counts[place]);
        judged += usize::from(is_judged);
        let truth_of = if is_judged { count } else { "?" };
        writeln!(truth, "{line} //= {truth_of}").unwrap();
    }
    let arguments = [raw.to_str().unwrap().to_owned(), "--object".to_owned(), "app".to_owned()];
    let what = format!("{language:?} of clang {}, seed {seed}", clang.version);
    check_lines(&what, &report(dir.path(), &arguments), &[(name, &truth)], wrong);
    judged
}

fn check_all(clangs: &[Clang], seeds: u64) {
    let (mut wrong, mut judged) = (Vec::new(), 0);
    for seed in 0..seeds {
        for clang in clangs {
            judged += check(C, clang, seed, &mut wrong) + check(Cpp, clang, seed, &mut wrong);
        }
        judged += check(Rust, &clangs[clangs.len() - 1], seed, &mut wrong);
    }
    assert!(wrong.is_empty(), "{} of {judged} lines, by seed and line:\n{}", wrong.len(), wrong.join("\n"));
}

#[needs("clangs")]
fn lines_have_the_counts_of_a_trace() {
    check_all(&compilers(), 2);
}

#[test]
#[ignore = "cargo xtask test --all runs it"]
fn hundreds_of_functions_of_each_release() {
    check_all(&all_compilers(), 15);
}
