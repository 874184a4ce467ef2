// Start-up of an AArch64 core.
  .section .start, "ax"
  .globl reset
reset:
  // Floating point and vectors do not trap: compilers use them for copies.
  mov x0, #(3 << 20)
  msr cpacr_el1, x0
  isb
  ldr x0, =stack_top
  mov sp, x0
  ldr x0, =bss_start
  ldr x1, =bss_end
1:
  cmp x0, x1
  b.hs 2f
  strb wzr, [x0], #1
  b 1b
2:
  bl before_start
  bl profrt_start
  bl main
  bl stop
