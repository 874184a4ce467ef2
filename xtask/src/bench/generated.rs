//! Programs that are generated: functions for the compiler, and whole sections for the assembler where compiling as much would
//! take minutes.

use std::fmt::Write as _;

/// Generated functions for a dump.
#[derive(Clone, Copy, Debug)]
pub struct Functions {
    pub name: &'static str,
    pub functions: usize,
    pub sites: usize,
    /// Values at each site.
    pub values: usize,
}

/// 100,000 live nodes.
pub const NODES: Functions = Functions { name: "nodes", functions: 1_250, sites: 5, values: 16 };

impl Functions {
    /// Functions with sites at which `visit` lets every value be seen.
    pub fn text(&self) -> String {
        let mut text = String::from("typedef void target(void);\n");
        for value in 0..self.values {
            let _ = writeln!(text, "__attribute__((no_profile_instrument_function)) static void t{value}(void) {{}}");
        }
        text.push_str("static target *const volatile targets[] = { 0");
        for value in 0..self.values {
            let _ = write!(text, ", t{value}");
        }
        text.push_str(" };\n");
        for function in 0..self.functions {
            let calls = "t();".repeat(self.sites);
            let _ = writeln!(
                text,
                "__attribute__((noinline)) void f{function}(target *t) {{ __asm__ volatile(\"\"); {calls} }}"
            );
        }
        let _ = writeln!(text, "void visit(void) {{\nfor (int i = 1; i <= {}; i++) {{", self.values);
        for function in 0..self.functions {
            let _ = writeln!(text, "f{function}(targets[i]);");
        }
        text.push_str("}\n}\n");
        text
    }
}

/// As many functions as `sites.c` calls, with a site each, and `visit`, which calls them all and has no record.
pub fn sites() -> String {
    let mut text = String::from("typedef void target(void);\n");
    for function in 0..SITES {
        let _ = writeln!(text, "__attribute__((noinline)) void f{function}(target *t) {{ t(); }}");
    }
    text.push_str("__attribute__((no_profile_instrument_function)) void visit(target *t) {\n");
    for function in 0..SITES {
        let _ = writeln!(text, "f{function}(t);");
    }
    text.push_str("}\n");
    text
}

/// The number of sites of `sites.c`.
pub const SITES: usize = 4096;

/// Sections as they would be of so many functions.
#[derive(Clone, Copy, Debug)]
pub struct Many {
    pub name: &'static str,
    pub functions: usize,
    /// Of each function.
    pub counters: usize,
    /// Of each function, all for call targets.
    pub sites: usize,
}

/// 1 MB of counters.
pub const SMALL: Many = Many { name: "small", functions: 500, counters: 250, sites: 0 };
/// 20 MB of counters.
pub const BIG: Many = Many { name: "big", functions: 10_000, counters: 250, sites: 0 };
/// As many records as a large program has.
pub const WIDE: Many = Many { name: "wide", functions: 100_000, counters: 4, sites: 0 };
/// Room for a million values, 80 a function.
pub const VALUES: Many = Many { name: "values", functions: 12_500, counters: 1, sites: 5 };
/// Growing numbers of functions.
pub const GROWTH: [Many; 3] = [
    Many { name: "functions-1k", functions: 1_000, counters: 4, sites: 0 },
    Many { name: "functions-10k", functions: 10_000, counters: 4, sites: 0 },
    Many { name: "functions-1m", functions: 1_000_000, counters: 4, sites: 0 },
];
pub const MANY: [Many; 7] = [SMALL, BIG, WIDE, VALUES, GROWTH[0], GROWTH[1], GROWTH[2]];

impl Many {
    /// Records of raw version 10 on a CPU with addresses of 8 bytes.
    pub fn text(&self) -> String {
        let Many { functions, counters, sites, .. } = self;
        let each = counters * 8;
        let all = functions * each;
        format!(
            r#".section __llvm_prf_cnts,"aw",@progbits
.p2align 3
.globl many_counters
many_counters: .zero {all}
.globl many_counters_end
many_counters_end:
.section __llvm_prf_data,"aw",@progbits
.p2align 3
.globl many_records
many_records:
.set n, 0
.rept {functions}
0: .quad 0x9E3779B97F4A7C15 * (n + 1), 1, many_counters + n * {each} - 0b, 0, 0, 0
.long {counters}
.short {sites}, 0, 0, 0
.long 0
.set n, n + 1
.endr
.section .rodata
.p2align 2
.globl many_functions
many_functions: .long {functions}
.section .note.GNU-stack,"",@progbits
"#
        )
    }
}
