# Start-up of an x86-64 core from where a loader leaves it by the PVH note: 32 bits, no paging.
  .section .note.Xen, "a"
  .balign 4
  .long 4, 4, 18
  .asciz "Xen"
  .long reset

  .section .start, "ax"
  .globl reset
  .code32
reset:
  movl $stack_top, %esp
  # Page tables that map the first gigabyte onto itself.
  movl $(directory + 3), table
  movl $(pages + 3), directory
  movl $0x83, %eax
  xorl %ecx, %ecx
1:
  movl %eax, pages(, %ecx, 8)
  addl $0x200000, %eax
  incl %ecx
  cmpl $512, %ecx
  jne 1b
  movl $table, %eax
  movl %eax, %cr3
  movl $0x620, %eax             # PAE, and SSE as compiled code may use it
  movl %eax, %cr4
  movl $0xc0000080, %ecx        # long mode
  rdmsr
  orl $0x100, %eax
  wrmsr
  movl $0x80000003, %eax
  movl %eax, %cr0
  lgdt descriptor
  ljmp $8, $2f

  .code64
2:
  xorl %eax, %eax
  movw %ax, %ds
  movw %ax, %es
  movw %ax, %ss
  movq $bss_start, %rdi
  movq $bss_end, %rcx
  subq %rdi, %rcx
  rep stosb
  call before_start
  call profrt_start
  call main
  movl %eax, %edi
  call stop

  .balign 8
gdt:
  .quad 0, 0x00af9a000000ffff
descriptor:
  .word 15
  .long gdt

  # Not in .bss, which is cleared while they are in use.
  .section .data.tables, "aw"
  .balign 4096
table:
  .skip 4096
directory:
  .skip 4096
pages:
  .skip 4096
