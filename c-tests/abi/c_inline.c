// The three kinds of inline in C, in two units, and functions that only one of them uses.
// profrt: object one.o
// profrt: object two.o -DSECOND
// profrt: program main one.o two.o
// profrt: variant fe
// profrt: flags -fprofile-instr-generate -fcoverage-mapping
// profrt: variant ir
// profrt: flags -fprofile-generate
// profrt: variant gnu89
// profrt: flags -fgnu89-inline -fprofile-instr-generate
// profrt: variant fe-o2-gc
// profrt: flags -O2 -ffunction-sections -fprofile-instr-generate
// profrt: lflags -Wl,--gc-sections
#include <stdio.h>

static inline int local(int x) { return x > 1 ? x : 1; }
#ifdef __GNUC_GNU_INLINE__
static
#endif
    inline int
    external(int x) {
  return x > 2 ? x : 2;
}
__attribute__((always_inline)) static inline int always(int x) { return x > 3 ? x : 3; }
static inline int unused_here(int x) { return x > 4 ? x : 4; }
int second(int x);

#ifdef SECOND
#ifndef __GNUC_GNU_INLINE__
extern inline int external(int x);
#endif
int second(int x) { return local(x) + external(x) + always(x) + unused_here(x); }
#else
int main(int argc, char **argv) {
  (void)argv;
  int sum = 0;
  for (int i = 0; i < 6; i++)
    sum += local(i) * external(i) + always(i) - second(i * argc);
  printf("%d\n", sum);
  return 0;
}
#endif
