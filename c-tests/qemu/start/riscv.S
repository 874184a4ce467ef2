# Start-up of a RISC-V core in machine mode.
  .section .start, "ax"
  .globl reset
reset:
  csrr t0, mhartid
  bnez t0, 2f
  la sp, stack_top
  la t0, 2f
  csrw mtvec, t0
  la t0, bss_start
  la t1, bss_end
1:
  bgeu t0, t1, 1f
  sb zero, (t0)
  addi t0, t0, 1
  j 1b
1:
  call before_start
  call profrt_start
  call main
  call stop
  .balign 4
2:
  wfi
  j 2b
