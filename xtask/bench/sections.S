// Sections as they would be of many functions: compiling as much would take minutes. FUNCTIONS, and of each COUNTERS and SITES (all for call targets),
// come from the command line. Records of raw version 10 on a CPU with addresses of 8 bytes.
.section __llvm_prf_cnts,"aw",@progbits
.p2align 3
.globl many_counters
.hidden many_counters
many_counters: .zero FUNCTIONS * COUNTERS * 8
.globl many_counters_end
.hidden many_counters_end
many_counters_end:
.section __llvm_prf_data,"aw",@progbits
.p2align 3
.globl many_records
.hidden many_records
many_records:
.set n, 0
.rept FUNCTIONS
0: .quad 0x9E3779B97F4A7C15 * (n + 1), 1, many_counters + n * COUNTERS * 8 - 0b, 0, 0, 0
.long COUNTERS
.short SITES, 0, 0, 0
.long 0
.set n, n + 1
.endr
.section .rodata
.p2align 2
.globl many_functions
.hidden many_functions
many_functions: .long FUNCTIONS
.section .note.GNU-stack,"",@progbits
