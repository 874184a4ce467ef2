//! Sections of many functions, for the assembler: compiling as much would take minutes.

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
/// Room for a million values, 80 a function.
pub const VALUES: Many = Many { name: "values", functions: 12_500, counters: 1, sites: 5 };
/// A shared object.
pub const OBJECT: Many = Many { name: "object", functions: 100, counters: 300, sites: 0 };

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
.hidden many_counters
many_counters: .zero {all}
.globl many_counters_end
.hidden many_counters_end
many_counters_end:
.section __llvm_prf_data,"aw",@progbits
.p2align 3
.globl many_records
.hidden many_records
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
.hidden many_functions
many_functions: .long {functions}
.section .note.GNU-stack,"",@progbits
"#
        )
    }
}
