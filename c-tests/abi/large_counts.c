// Counts of more than 32 bits, the value 0, and the largest that a reader takes.
// profrt: not mapped all: it counts in all of the section, padding included
// profrt: flags -fprofile-instr-generate
// profrt: object main.o
// profrt: program main main.o
#include <stdint.h>
#include <stdio.h>

uint64_t *__llvm_profile_begin_counters(void);
uint64_t *__llvm_profile_end_counters(void);

__attribute__((noinline)) int one(int x) { return x ? 1 : 2; }
__attribute__((noinline)) int two(int x) { return x ? 1 : 2; }

int main(void) {
  uint64_t *first = __llvm_profile_begin_counters(), *last = __llvm_profile_end_counters();
  printf("%d\n", (int)(last - first));
  for (uint64_t *c = first; c < last; c++)
    *c = (uint64_t)1 << (33 + 5 * (c - first) % 22);
  *first = 0;
  return 0;
}
