// Counters of a program by the hundred thousand bytes.
// A function with so many counters that a merge reads them piece by piece. A record of raw version 10.
#include <stdint.h>
#define STRING(x) #x
#define NUMBER(x) STRING(x)
extern uint64_t big[];
__asm__(".section __llvm_prf_cnts,\"aw\",@progbits\n.p2align 3\n.globl big\n.hidden big\nbig: .zero 8 * " NUMBER(BIG) "\n"
        ".section __llvm_prf_data,\"aw\",@progbits\n.p2align 3\n0: .quad 0x9e3779b97f4a7c15, 1, big - 0b, 0, 0, 0\n"
        ".long " NUMBER(BIG) "\n.short 0, 0, 0, 0\n.long 0\n.text\n");
// Each third page stays zeros.
__attribute__((constructor)) static void UNCOUNTED count_big(void) {
  for (int i = 0; i < BIG; i++)
    big[i] += i / 512 % 3 ? i % 7 : 0;
}
